//! `ozarr plugin add`: installs a plugin for this user, unless that would make it or an installed plugin unusable.

use super::{
    Outcome,
    installed_plugins::{installed, is_manifest, lock, names, remove_file, user_folder},
};
use crate::{
    args::AddPlugin as Args,
    output::{print, print_status, show},
};
use ozarr::{
    Error, Result,
    plugins::{Library, LibraryFile, Manifest, Policy, ProvidedExtension, target, trust},
    zarr_core::{
        json::{Json, Object},
        registry::Registry,
    },
};
use ozarr_tools::OutputFile;
use std::{
    cmp::Ordering,
    io::Write,
    path::{Path, PathBuf},
};

/// A reason why the new plugin or an installed one would be unusable, in whole or in part.
struct Problem {
    /// Its name in JSON.
    kind: &'static str,
    /// The name of the extension concerned.
    name: Option<String>,
    /// The id of the other plugin.
    other: Option<String>,
    message: String,
}

impl Problem {
    fn new(kind: &'static str, message: String) -> Self {
        Self { kind, name: None, other: None, message }
    }
    fn of(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }
    fn with(self, id: &str) -> Self {
        Self { other: Some(id.to_owned()), ..self }
    }
    fn json(&self) -> Json {
        let mut o: Object = [("problem", self.kind), ("message", self.message.as_str())].into_iter().collect();
        for (member, value) in [("name", &self.name), ("plugin", &self.other)] {
            if let Some(value) = value {
                o.set(member, value.as_str());
            }
        }
        Json::Object(o)
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let file = args.file.as_path();
    if is_manifest(file) {
        return Err(Error::argument("a plugin is added by its library").with_hint("give the library, not the manifest"));
    }
    let policy = Policy::from_environment()?;
    let new = Library::read(file)?;
    let (manifest, hash) = (new.manifest(), new.sha256());
    let denied = policy.check(manifest, &hash).err().map(|reason| Problem::new("denied", reason.to_string()));
    if let (Some(denied), false) = (&denied, args.force) {
        return refuse(manifest, std::slice::from_ref(denied), args.json);
    }
    let folder = user_folder()?;
    std::fs::create_dir_all(&folder).map_err(|e| Error::from(e).at_key(folder.display()))?;
    // Under a name of its own, so that programs that use the old library are not disturbed.
    let extension = file.extension().map_or("so".into(), |e| e.to_string_lossy().into_owned());
    let library = folder.join(format!("{}-{}.{extension}", manifest.id, hash.get(..12).unwrap_or(&hash)));
    let copy = written(&library, new.bytes())?;
    if denied.is_none() {
        // Loading it reveals problems now rather than on first use. Nothing is locked while its code runs.
        new.load_copy(copy.is_at())?;
    }
    let _lock = lock(&folder);
    let (old, others): (Vec<_>, Vec<_>) = installed(&folder).into_iter().partition(|(_, m)| m.id == manifest.id);
    if let (Some((_, m)), false) = (old.first(), args.replace) {
        let e = Error::argument(format!("{} {} is installed in {}", m.id, m.version, folder.display()));
        return Err(e.with_hint("give `--replace` to put this one in its place"));
    }
    let at = folder.join(format!("{}.zarrplugin.json", manifest.id));
    let mut problems = problems(manifest, &old, &others)?;
    if at.exists() && old.iter().all(|(path, _)| *path != at) {
        let message = format!("{} exists, and is not a manifest of {} that can be read", at.display(), manifest.id);
        problems.push(Problem::new("occupied", message));
    }
    problems.extend(denied);
    if !problems.is_empty() && !args.force {
        return refuse(manifest, &problems, args.json);
    }
    for problem in &problems {
        print_status(&format!("warning: {}", problem.message));
    }
    for distrust in [trust(file), trust(&folder)].into_iter().filter_map(Result::err) {
        print_status(&format!("warning: {distrust}"));
    }
    let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let listed = LibraryFile { target: target(), path: name, sha256: hash };
    let manifest = Manifest { libraries: vec![listed], ..manifest.clone() };
    install(&manifest, copy, &library, &at, &old)?;
    if args.json {
        let mut o = report(&manifest, true, &problems);
        o.set("manifest", at.display().to_string());
        o.set("library", library.display().to_string());
        o.set("extensions", names(&manifest));
        print(&Json::Object(o).to_pretty())?;
    } else {
        let all: Vec<&str> = manifest.extensions.iter().flat_map(ProvidedExtension::names).collect();
        show(&format!("added {} {} ({}): {}", manifest.id, manifest.version, at.display(), all.join(", ")))?;
    }
    Ok(Outcome::Done)
}

fn problems(new: &Manifest, old: &[(PathBuf, Manifest)], others: &[(PathBuf, Manifest)]) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let registry = Registry::builtin();
    for offered in &new.extensions {
        let point = offered.kind.point();
        for name in offered.names() {
            let same = |o: &&ProvidedExtension| o.kind.point() == point && o.names().any(|n| n == name);
            for (_, other) in others.iter().filter(|(_, m)| m.extensions.iter().any(|o| same(&o))) {
                let message =
                    format!("the installed plugin {} offers `{name}` too, and neither could be used", other.id);
                problems.push(Problem::new("conflict", message).of(name).with(&other.id));
            }
            if registry.find(point, name).is_some() {
                let message = format!("`{name}` is the name of a built-in {point}");
                problems.push(Problem::new("built_in", message).of(name));
            }
        }
    }
    for (_, old) in old {
        for offered in &old.extensions {
            let still =
                |name: &str| new.extensions.iter().any(|o| o.kind == offered.kind && o.names().any(|n| n == name));
            for name in offered.names().filter(|name| !still(name)) {
                let message = format!("it does not offer `{name}`, which the installed version {} offers", old.version);
                problems.push(Problem::new("dropped", message).of(name));
            }
        }
        if is_older(&new.version, &old.version) {
            let message = format!("it is older than the installed version {}", old.version);
            problems.push(Problem::new("downgrade", message));
        }
    }
    Ok(problems)
}

fn report(new: &Manifest, added: bool, problems: &[Problem]) -> Object {
    let mut o: Object = [("id", new.id.as_str()), ("version", new.version.as_str())].into_iter().collect();
    o.set("added", added);
    o.set("problems", problems.iter().map(Problem::json).collect::<Json>());
    o
}

fn refuse(new: &Manifest, problems: &[Problem], json: bool) -> Result<Outcome> {
    if json {
        print(&Json::Object(report(new, false, problems)).to_pretty())?;
    }
    let messages: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
    let e = Error::argument(format!("{} {} was not added: {}", new.id, new.version, messages.join("; ")));
    Err(match problems.iter().find_map(|p| p.other.as_ref()) {
        Some(id) => {
            e.with_hint(format!("`ozarr plugin remove {id}` removes the other; `--force` adds this one anyway"))
        }
        None => e.with_hint("`--force` adds it anyway"),
    })
}

/// Renames the library, writes the manifest, and removes the files that they replace.
fn install(
    manifest: &Manifest,
    copy: OutputFile,
    library: &Path,
    at: &Path,
    old: &[(PathBuf, Manifest)],
) -> Result<()> {
    let folder = at.parent().unwrap_or(at);
    let text = Json::from_serialize(manifest)?.to_pretty();
    let was_there = library.exists();
    copy.commit()?;
    if let Err(e) = written(at, format!("{text}\n").as_bytes()).and_then(OutputFile::commit) {
        if !was_there {
            let _the_first_error_says_more = std::fs::remove_file(library);
        }
        return Err(e);
    }
    for (path, m) in old {
        let stale = m.libraries.iter().map(|l| &l.path).filter(|p| manifest.libraries.iter().all(|l| l.path != **p));
        stale.for_each(|p| remove_file(folder, p));
        if path != at {
            let _gone_already = std::fs::remove_file(path);
        }
    }
    Ok(())
}

/// Writes a complete file that does not have its name yet.
fn written(at: &Path, bytes: &[u8]) -> Result<OutputFile> {
    let out = OutputFile::create(at)?;
    out.file().write_all(bytes).map_err(|e| Error::from(e).at_key(at.display()))?;
    Ok(out)
}

/// Returns true if a version precedes another by the rules of Semantic Versioning; false for versions of another form.
fn is_older(version: &str, than: &str) -> bool {
    let parse = |version: &str| {
        let version = version.split('+').next().unwrap_or_default();
        let (numbers, pre) = version.split_once('-').map_or((version, None), |(n, pre)| (n, Some(pre.to_owned())));
        let numbers: Option<Vec<u64>> = numbers.split('.').map(|n| n.parse().ok()).collect();
        numbers.map(|numbers| (numbers, pre))
    };
    let (Some((a, a_pre)), Some((b, b_pre))) = (parse(version), parse(than)) else { return false };
    let number = |numbers: &[u64], i: usize| numbers.get(i).copied().unwrap_or(0);
    let numbers = (0..a.len().max(b.len())).map(|i| number(&a, i).cmp(&number(&b, i)));
    let order = numbers.fold(Ordering::Equal, Ordering::then).then_with(|| match (&a_pre, &b_pre) {
        (Some(a), Some(b)) => pre_release(a, b),
        // A pre-release precedes its release.
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    order == Ordering::Less
}

fn pre_release(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => match (a.parse::<u64>(), b.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.cmp(&b),
                // Numbers precede words.
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_older;

    #[test]
    fn versions_are_ordered_by_semantic_versioning() {
        let ascending = [
            "0.9.9",
            "0.10.0-alpha",
            "0.10.0-alpha.1",
            "0.10.0-alpha.2",
            "0.10.0-alpha.10",
            "0.10.0-alpha.beta",
            "0.10.0-rc.1",
            "0.10.0",
            "0.10.1",
            "1",
            "1.0.1",
            "2.0",
            "10.0.0",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(is_older(a, b), i < j, "{a} {b}");
            }
        }
        for (a, b) in [
            ("1.0", "1.0.0"),
            ("1.0.0", "1.0"),
            ("1.0+a", "1.0+b"),
            ("1.0+b", "1.0"),
            ("today", "1"),
            ("1", "today"),
            ("", "1"),
        ] {
            assert!(!is_older(a, b), "{a} {b}");
        }
    }
}
