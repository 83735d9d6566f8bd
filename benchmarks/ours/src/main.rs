//! Ozarr under measurement.

use common::{Data, Failure, Job, Meter, Region, Task, counting, serve};
use ozarr::{
    Array, Context, Hierarchy, NewArray, Node,
    store::OpenMode,
    zarr_core::{
        call::Sequential,
        json::{Json, Object},
    },
};
use std::{path::Path, sync::Arc};

fn main() -> Result<(), Failure> {
    let (mut data, mut buffer) = (Data::default(), Vec::new());
    serve(|job, meter| run(job, meter, &mut data, &mut buffer))
}

fn hierarchy(path: &Path, job: &Job) -> Result<Hierarchy, Failure> {
    let mut context = Context::new();
    if job.one_thread {
        context = context.with_executor(Arc::new(Sequential));
    }
    Ok(Hierarchy::options().mode(OpenMode::ReadWrite).context(context).open(path)?)
}

fn array(path: &Path, job: &Job) -> Result<Array, Failure> {
    Ok(hierarchy(path, job)?.array("/")?)
}

fn ranges(r: &Region) -> [std::ops::Range<u64>; 3] {
    std::array::from_fn(|d| r.start[d]..r.start[d] + r.shape[d])
}

/// Creates an array that stores no chunks. Without a chunk shape, creates a group of `shape[0]` small arrays instead.
fn create(job: &Job) -> Result<(), Failure> {
    let hierarchy = Hierarchy::create(&job.path)?;
    if job.chunk == [0; 3] {
        hierarchy.create_group("/", ())?;
        for i in 0..job.shape[0] {
            let attributes: Object = [("number", Json::from(i)), ("unit", Json::from("K"))].into_iter().collect();
            let new = NewArray::new([100, 10], "float32").chunks([10, 10]).attributes(attributes);
            hierarchy.create_array(&format!("/array{i:05}"), &new)?;
        }
        return Ok(());
    }
    let Json::Array(codecs) = Json::parse(job.codecs.as_bytes(), &Default::default())? else {
        return Err("codecs are a list".into());
    };
    let new = NewArray::new(job.shape, "uint16").chunks(job.chunk).codecs(codecs).overwrite();
    let new = match job.shard {
        Some(shard) => new.shards(shard),
        None => new,
    };
    hierarchy.create_array("/", &new)?;
    Ok(())
}

fn run(job: &Job, meter: &mut Meter, data: &mut Data, buffer: &mut Vec<u16>) -> Result<(), Failure> {
    match job.task {
        Task::Create => create(job),
        Task::Read => {
            let array = array(&job.path, job)?;
            for r in &job.regions {
                let got = meter.time(|| Ok(array.read::<u16>(ranges(r))?))?;
                meter.check(bytemuck::cast_slice(&got));
            }
            Ok(())
        }
        Task::ReadInto => {
            let array = array(&job.path, job)?;
            for r in &job.regions {
                buffer.resize(r.len(), 0);
                meter.time(|| Ok(array.read_into(ranges(r), buffer)?))?;
                meter.check(bytemuck::cast_slice(buffer));
            }
            Ok(())
        }
        Task::Write => {
            let elements = data.load(&job.data)?;
            let array = array(&job.path, job)?;
            meter.time(|| Ok(array.write(.., elements)?))
        }
        Task::Update => {
            let array = array(&job.path, job)?;
            for (i, r) in job.regions.iter().enumerate() {
                let elements = counting(i, r.len());
                meter.time(|| Ok(array.write(ranges(r), &elements)?))?;
            }
            Ok(())
        }
        Task::Copy => {
            let (from, to) = (array(&job.from, job)?, array(&job.path, job)?);
            meter.time(|| Ok(to.write(.., &from.read::<u16>(..)?)?))
        }
        Task::Open => {
            let sum = meter.time(|| {
                let root = hierarchy(&job.path, job)?.group("/")?;
                let mut sum = 0u64;
                for child in root.children()? {
                    let Node::Array(array) = child.node? else { continue };
                    sum += array.shape()[0] + array.attributes().get("number").and_then(Json::as_u64).unwrap_or(0);
                }
                Ok(sum)
            })?;
            meter.check(&sum.to_le_bytes());
            Ok(())
        }
    }
}
