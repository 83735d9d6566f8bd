//! Exports the cases of one extension as the sample data of an entry in the extension registry.

use crate::cases::{Cases, Golden};
use ozarr::{
    Error, Result,
    zarr_core::json::{Json, Object},
};
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// Writes the golden arrays of an extension below a new folder, and returns how many there are.
///
/// Each `zarr.json` is written with its chunks and `elements.json`; a `README.md` lists the arrays. `name` is the name
/// of the extension, such as `gzip`, or with its extension point, `codec/gzip`.
///
/// # Errors
/// If there are no golden arrays, several extensions have this name, the folder is not empty, or a file cannot be
/// written.
pub fn export(cases: &Cases, name: &str, folder: &Path) -> Result<usize> {
    let goldens = cases.goldens()?;
    let (point, name) = find(&goldens, name)?;
    let of: Vec<&Golden> = goldens.iter().filter(|g| extension(g) == Some((point, name))).collect();
    fs::create_dir_all(folder).map_err(|e| Error::from(e).at_key(folder.display()))?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(Error::argument(format!("{} is not empty", folder.display())).with_hint("name a new folder"));
    }
    let mut page = format!(
        "# Arrays with `{name}`\n\nEach folder is an array, with its elements in C order in `elements.json`: each in the form \
         of a fill value.\n\n| folder | shape | data type | {name} | written by | |\n|-|-|-|-|-|-|\n"
    );
    for golden in &of {
        let label: PathBuf = golden.id.split('/').skip(2).collect();
        let into = folder.join(&label);
        golden.array.write_to(&into)?;
        fs::write(into.join("elements.json"), Json::Array(golden.elements()?).to_string() + "\n")?;
        let document = Json::parse(golden.array.document(), &Default::default())?;
        let member = |m: &str| document.as_object().and_then(|o| o.get(m)).cloned().unwrap_or(Json::Null);
        let text = |m: &str| golden.about.get(m).and_then(Json::as_str).unwrap_or_default().replace('|', "\\|");
        // Codecs are in a list.
        let place = [point, "codecs"][usize::from(point == "codec")];
        let used = configuration(&member(place), name).map_or_else(String::new, |c| format!("`{}`", Json::Object(c)));
        let label = label.display();
        let _infallible = writeln!(
            page,
            "| [{label}]({label}) | `{}` | `{}` | {} | {} | {} |",
            member("shape"),
            member("data_type"),
            used.replace('|', "\\|"),
            text("writer"),
            text("about")
        );
    }
    fs::write(folder.join("README.md"), page)?;
    Ok(of.len())
}

/// Returns the extension point and name of the extension that an array tests.
fn extension(golden: &Golden) -> Option<(&str, &str)> {
    let mut parts = golden.id.split('/');
    parts.next().zip(parts.next())
}

/// Returns the only extension with this name.
fn find<'g>(goldens: &'g [Golden], name: &str) -> Result<(&'g str, &'g str)> {
    let all: BTreeSet<_> = goldens.iter().filter_map(extension).collect();
    let full = |(point, name): &(&str, &str)| format!("{point}/{name}");
    let found: Vec<_> = all.iter().filter(|e| e.1 == name || full(e) == name).copied().collect();
    let list = |of: Vec<String>| of.join(", ");
    match found[..] {
        [one] => Ok(one),
        [] => {
            let e = Error::argument(format!("there are no golden arrays of `{name}`"));
            Err(e.with_hint(format!("there are some of {}", list(all.iter().map(full).collect()))))
        }
        _ => {
            let e = Error::argument(format!("`{name}` is the name of several extensions"));
            Err(e.with_hint(format!("pass one of {}", list(found.iter().map(full).collect()))))
        }
    }
}

/// Returns the first configuration of an extension in a document, at any depth.
fn configuration(json: &Json, name: &str) -> Option<Object> {
    match json {
        Json::Object(o) if o.get("name").and_then(Json::as_str) == Some(name) => {
            o.get("configuration").and_then(Json::as_object).cloned()
        }
        Json::Object(o) => o.iter().find_map(|(_, v)| configuration(v, name)),
        Json::Array(items) => items.iter().find_map(|v| configuration(v, name)),
        _ => None,
    }
}
