//! zarrs under measurement, used as its documentation describes.

use common::{Data, Failure, Job, Meter, Region, Task, counting, serve};
use std::{path::Path, sync::Arc};
use unsafe_cell_slice::UnsafeCellSlice;
use zarrs::{
    array::CodecOptions,
    array::{
        Array, ArrayBytesDecodeIntoTarget, ArrayBytesFixedDisjointView, ArrayShardedExt, ArrayShardedReadableExt,
        ArrayShardedReadableExtCache, ArraySubset,
    },
    filesystem::FilesystemStore,
    group::Group,
};

fn main() -> Result<(), Failure> {
    let (mut data, mut buffer) = (Data::default(), Vec::new());
    serve(|job, meter| run(job, meter, &mut data, &mut buffer, &CodecOptions::default()))
}

fn open(path: &Path) -> Result<Array<FilesystemStore>, Failure> {
    Ok(Array::open(Arc::new(FilesystemStore::new(path)?), "/")?)
}

fn subset(r: &Region) -> ArraySubset {
    ArraySubset::new_with_start_shape(r.start.to_vec(), r.shape.to_vec()).unwrap()
}

/// Selects all memory of a region's shape.
fn whole(r: &Region) -> ArraySubset {
    ArraySubset::new_with_shape(r.shape.to_vec())
}

fn run(
    job: &Job,
    meter: &mut Meter,
    data: &mut Data,
    buffer: &mut Vec<u8>,
    options: &CodecOptions,
) -> Result<(), Failure> {
    match job.task {
        Task::Read => {
            let array = open(&job.path)?;
            // Many small parts of shards are read through its cache of shard indexes.
            let cache =
                (array.is_sharded() && job.regions.len() > 8).then(|| ArrayShardedReadableExtCache::new(&array));
            for r in &job.regions {
                let subset = subset(r);
                let got: Vec<u16> = meter.time(|| {
                    Ok(match &cache {
                        Some(cache) => array.retrieve_array_subset_sharded_opt(cache, &subset, options)?,
                        None => array.retrieve_array_subset_opt(&subset, options)?,
                    })
                })?;
                meter.check(bytemuck::cast_slice(&got));
            }
            Ok(())
        }
        Task::Write => {
            let elements = data.load(&job.data)?;
            let array = open(&job.path)?;
            meter.time(|| Ok(array.store_array_subset_opt(&array.subset_all(), elements, options)?))
        }
        Task::Update => {
            let array = open(&job.path)?;
            for (i, r) in job.regions.iter().enumerate() {
                let (subset, elements) = (subset(r), counting(i, r.len()));
                meter.time(|| Ok(array.store_array_subset_opt(&subset, &elements[..], options)?))?;
            }
            Ok(())
        }
        Task::Copy => {
            let (from, to) = (open(&job.from)?, open(&job.path)?);
            meter.time(|| {
                let elements: Vec<u16> = from.retrieve_array_subset(&from.subset_all())?;
                Ok(to.store_array_subset(&to.subset_all(), &elements[..])?)
            })
        }
        Task::Open => {
            let sum = meter.time(|| {
                let group = Group::open(Arc::new(FilesystemStore::new(&job.path)?), "/")?;
                let mut sum = 0u64;
                for array in group.child_arrays()? {
                    sum += array.shape()[0] + array.attributes().get("number").and_then(|n| n.as_u64()).unwrap_or(0);
                }
                Ok(sum)
            })?;
            meter.check(&sum.to_le_bytes());
            Ok(())
        }
        Task::ReadInto => {
            let array = open(&job.path)?;
            for r in &job.regions {
                buffer.resize(r.len() * 2, 0);
                meter.time(|| {
                    let slice = UnsafeCellSlice::new(buffer);
                    // SAFETY: nothing else accesses the buffer.
                    let view = unsafe { ArrayBytesFixedDisjointView::new(slice, 2, &r.shape, whole(r)) };
                    let target = ArrayBytesDecodeIntoTarget::Fixed(&mut view?);
                    Ok(array.retrieve_array_subset_into_opt(&subset(r), target, options)?)
                })?;
                meter.check(buffer);
            }
            Ok(())
        }
        Task::Create => Err("unsupported".into()),
    }
}
