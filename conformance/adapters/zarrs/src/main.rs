//! zarrs as an adapter of the conformance suite: version, read, write, open.
//!
//! Elements are converted to and from JSON by zarrs' own forms of fill values.

use std::{error::Error, fs, process::ExitCode, sync::Arc};
use zarrs::{
    array::{Array, ArrayBytes, ArrayBytesOffsets, ArrayCreateError, ArrayMetadata, DataType, FillValue},
    filesystem::FilesystemStore,
    group::Group,
    plugin::PluginCreateError,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    // The location of the sources on this machine is of no use in a report.
    std::panic::set_hook(Box::new(|panic| {
        let what = panic.payload_as_str().unwrap_or("no text");
        let (file, line) = panic.location().map_or(("", 0), |at| (at.file(), at.line()));
        eprintln!("panicked at {}:{line}: {what}", file.rsplit(['/', '\\']).next().unwrap_or_default());
    }));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["version"] => version(),
        ["read", array, out] => read(array, out),
        ["write", metadata, elements, out] => write(metadata, elements, out),
        ["open", array] => open(array),
        _ => Err("usage: version | read ARRAY OUT | write METADATA ELEMENTS OUT | open ARRAY".into()),
    };
    let Err(e) = done else { return ExitCode::SUCCESS };
    eprintln!("{e}");
    ExitCode::from(if is_unsupported(&*e) { 2 } else { 1 })
}

/// Returns true for an extension that zarrs does not have.
fn is_unsupported(e: &(dyn Error + 'static)) -> bool {
    use ArrayCreateError as A;
    let plugin = match e.downcast_ref::<A>() {
        Some(
            A::DataTypeCreateError(e)
            | A::CodecsCreateError(e)
            | A::StorageTransformersCreateError(e)
            | A::ChunkGridCreateError(e)
            | A::ChunkKeyEncodingCreateError(e),
        ) => Some(e),
        _ => None,
    };
    matches!(plugin, Some(PluginCreateError::Unsupported(_)))
}

fn version() -> Result<()> {
    println!("{}", zarrs::version::version_str());
    Ok(())
}

fn opened(path: &str) -> Result<Array<FilesystemStore>> {
    Ok(Array::open(Arc::new(FilesystemStore::new(path)?), "/")?)
}

fn open(path: &str) -> Result<()> {
    let document: Option<serde_json::Value> = serde_json::from_slice(&fs::read(format!("{path}/zarr.json"))?).ok();
    let is_group = document.is_some_and(|d| d.get("node_type").is_some_and(|n| n == "group"));
    if is_group {
        Group::open(Arc::new(FilesystemStore::new(path)?), "/")?;
    } else {
        opened(path)?;
    }
    Ok(())
}

fn read(path: &str, out: &str) -> Result<()> {
    let array = opened(path)?;
    let bytes: ArrayBytes = array.retrieve_array_subset(&array.subset_all())?;
    let mut lines = String::new();
    each(&bytes, array.data_type(), |element| {
        let form = array.data_type().metadata_fill_value(&FillValue::new(element.to_vec()))?;
        let form = serde_json::to_string(&form)?;
        // One-byte floats have no canonical NaN, so the form does not determine the bits.
        lines += &match element {
            [byte] if form == "\"NaN\"" => format!("\"0x{byte:02x}\""),
            _ => form,
        };
        lines.push('\n');
        Ok(())
    })?;
    Ok(fs::write(out, lines)?)
}

fn each(bytes: &ArrayBytes, data_type: &DataType, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    match bytes {
        ArrayBytes::Fixed(bytes) => {
            let size = data_type.fixed_size().ok_or("elements without a size")?;
            bytes.chunks(size).try_for_each(each)
        }
        ArrayBytes::Variable(variable) => {
            let (bytes, offsets) = (variable.bytes(), variable.offsets());
            offsets.windows(2).try_for_each(|at| each(&bytes[at[0]..at[1]]))
        }
        ArrayBytes::Optional(_) => Err("optional elements have no form here".into()),
    }
}

fn write(metadata: &str, elements: &str, out: &str) -> Result<()> {
    let metadata: ArrayMetadata = serde_json::from_slice(&fs::read(metadata)?)?;
    fs::create_dir(out)?;
    let array = Array::new_with_metadata(Arc::new(FilesystemStore::new(out)?), "/", metadata)?;
    array.store_metadata()?;
    let text = fs::read_to_string(elements)?;
    let mut all = Vec::new();
    for line in text.lines() {
        let fill = array.data_type().fill_value_v3(&serde_json::from_str(line)?)?;
        all.push(fill.as_ne_bytes().to_vec());
    }
    let bytes = if array.data_type().fixed_size().is_some() {
        ArrayBytes::new_flen(all.concat())
    } else {
        let ends = all.iter().scan(0, |end, e| {
            *end += e.len();
            Some(*end)
        });
        let offsets: Vec<usize> = [0].into_iter().chain(ends).collect();
        ArrayBytes::new_vlen(all.concat(), ArrayBytesOffsets::new(offsets)?)?
    };
    Ok(array.store_array_subset(&array.subset_all(), bytes)?)
}
