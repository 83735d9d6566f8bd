//! `numpy.datetime64` and `numpy.timedelta64`: data types for points in time and for durations, as 64-bit integers in a
//! [unit](unit) of time.

mod datetime64;
mod timedelta64;
mod unit;

zarr_plugin_api::export_plugin! {
    id: "dev.zarr.numpy-datetime",
    DataType: [datetime64::Datetime64, timedelta64::Timedelta64]
}

#[cfg(test)]
mod tests;
