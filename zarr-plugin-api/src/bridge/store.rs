//! `zp_store`: a store with all its abilities, in either direction. Experimental: both sides have the same minor.

mod give;
mod take;

pub(crate) use give::give;
pub(crate) use take::Taken;
