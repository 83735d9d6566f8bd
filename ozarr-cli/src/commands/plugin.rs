//! `ozarr plugin`: manages the plugins of this machine.

use super::{
    Outcome, add_plugin,
    installed_plugins::{installed, is_manifest, lock, names, remove_file, user_folder},
    needs, new_plugin,
};
use crate::{
    args::Plugin as Subcommand,
    location::Location,
    output::{one_line, print, print_status, show},
    session::Session,
    words::Failure,
};
use ozarr::{
    Error, Result,
    plugins::{Candidate, HEADER, Manifest, Plugin, ProvidedExtension, target, trust},
    zarr_core::{
        extension::ExtensionPoint,
        json::{Json, Object},
        registry::Registry,
    },
};
use std::path::{Path, PathBuf};

/// Only subcommands that need a `session` create one: the others work even when a plugin is broken.
pub(crate) fn run(subcommand: Subcommand, session: &dyn Fn() -> Result<Session, Failure>) -> Result<Outcome, Failure> {
    Ok(match subcommand {
        Subcommand::List { json } => list(json, &session()?)?,
        Subcommand::Inspect { file, json } => inspect(&file, json).map_err(|e| Failure::from(e).in_file(&file))?,
        Subcommand::Which { name, json } => which(&name, json, &session()?)?,
        Subcommand::Add(add) => add_plugin::run(&add).map_err(|e| Failure::from(e).in_file(&add.file))?,
        Subcommand::Remove { id, json } => remove(&id, json)?,
        Subcommand::Why { array, json } => {
            let session = session()?;
            let at = Location::read(&array, &session.context)?;
            needs::needs(&at, &session, json)?
        }
        Subcommand::Header => print(HEADER.trim_end()).map(|()| Outcome::Done)?,
        Subcommand::New(new) => new_plugin::run(&new)?,
    })
}

/// Returns `active`, `shadowed` (all its names refer to other extensions) or `refused`.
fn status(c: &Candidate, registry: &Registry) -> &'static str {
    let Some(manifest) = c.manifest.as_ref().filter(|_| c.refused.is_none()) else { return "refused" };
    let origin = c.library.as_ref().map(|l| l.display().to_string()).unwrap_or_default();
    let wins = |o: &ProvidedExtension| {
        registry
            .find(o.kind.point(), &o.name)
            .is_some_and(|r| r.provider() == manifest.id && r.origin().ends_with(&origin))
    };
    if manifest.extensions.iter().any(wins) { "active" } else { "shadowed" }
}

fn list(json: bool, session: &Session) -> Result<Outcome> {
    let (found, registry) = (&session.found, &session.context.registry);
    if json {
        let text = |t: Option<String>| t.map_or(Json::Null, Json::from);
        let plugin = |c: &Candidate| {
            let (m, broken) = (c.manifest.as_ref(), c.verify().err());
            let mut o: Object = [("manifest", c.file.display().to_string())].into_iter().collect();
            o.set("id", text(m.map(|m| m.id.clone())));
            o.set("version", text(m.map(|m| m.version.clone())));
            o.set("license", text(m.map(|m| m.license.clone())));
            o.set("extensions", m.map_or(Json::Null, names));
            o.set("library", text(c.library.as_ref().map(|l| l.display().to_string())));
            o.set("status", if broken.is_some() { "refused" } else { status(c, registry) });
            o.set("reason", text(broken.map(|e| e.to_string())));
            o
        };
        let given = |p: &std::sync::Arc<Plugin>| {
            let mut o: Object = [("id", p.id()), ("version", p.version()), ("status", "given")].into_iter().collect();
            o.set("library", p.file().display().to_string());
            o.set("extensions", names(p.manifest()));
            o
        };
        let folder = |(path, there): &(PathBuf, bool)| {
            let mut o: Object = [("path", path.display().to_string())].into_iter().collect();
            o.set("exists", *there);
            o
        };
        let mut all = Object::new();
        all.set("given", session.given.iter().map(given).collect::<Json>());
        all.set("plugins", found.plugins.iter().map(plugin).collect::<Json>());
        all.set("folders", found.folders.iter().map(folder).collect::<Json>());
        all.set("target", target());
        print(&Json::Object(all).to_pretty())?;
        return Ok(Outcome::Done);
    }
    for p in &session.given {
        show(&format!("{} {}: given ({})", p.id(), p.version(), p.file().display()))?;
    }
    for c in &found.plugins {
        let broken = c.verify().err();
        let (id, version) = c.manifest.as_ref().map_or(("?", "?"), |m| (&m.id, &m.version));
        let status = if broken.is_some() { "refused" } else { status(c, registry) };
        show(&format!("{id} {version}: {status} ({})", c.file.display()))?;
        for o in c.manifest.iter().flat_map(|m| &m.extensions) {
            show(&format!("  {} {}", o.kind.point(), o.names().collect::<Vec<_>>().join(", ")))?;
        }
        if let Some(e) = &broken {
            show(&format!("  {}", one_line(&e.reason().to_string())))?;
        }
    }
    if found.folders.is_empty() {
        print_status("no plugins are looked for: ZARR_PLUGINS is `off`");
    } else if found.plugins.is_empty() {
        let looked: Vec<String> = found.folders.iter().map(|(f, _)| f.display().to_string()).collect();
        print_status(&format!("no plugins are installed: there is no *.zarrplugin.json in {}", looked.join(", ")));
    }
    Ok(Outcome::Done)
}

fn inspect(file: &Path, json: bool) -> Result<Outcome> {
    let manifest = if is_manifest(file) { Manifest::installed(file)? } else { Manifest::embedded(file)? };
    if let Err(distrust) = trust(file) {
        print_status(&format!("warning: {distrust}"));
    }
    if json {
        print(&Json::from_serialize(&manifest)?.to_pretty())?;
        return Ok(Outcome::Done);
    }
    show(&format!("{} {}", manifest.id, manifest.version))?;
    show(&format!("license: {}", if manifest.license.is_empty() { "not said" } else { &manifest.license }))?;
    show(&format!("plugin interface: {}.{}", manifest.abi.major, manifest.abi.min_minor))?;
    for o in &manifest.extensions {
        let aliases = if o.aliases.is_empty() { String::new() } else { format!(" (also {})", o.aliases.join(", ")) };
        let unknown: Vec<&str> = o.unknown_caps().collect();
        let cap = |c: &String| format!(", {c}{}", if unknown.contains(&c.as_str()) { " (unknown)" } else { "" });
        let caps: String = o.caps.iter().map(cap).collect();
        show(&format!("{}: {}{aliases}{caps}", o.kind.point(), o.name))?;
    }
    for l in &manifest.libraries {
        show(&format!("library for {}: {}", l.target, l.path))?;
    }
    Ok(Outcome::Done)
}

fn which(name: &str, json: bool, session: &Session) -> Result<Outcome> {
    let registry = &session.context.registry;
    let points = ExtensionPoint::ALL.into_iter().filter(|p| registry.find(*p, name).is_some());
    let there: Vec<ExtensionPoint> = points.collect();
    let looked: Vec<String> = session.found.folders.iter().map(|(f, _)| f.display().to_string()).collect();
    let refused = |point| needs::refusal(&session.found, registry, point, name);
    if json {
        let one = |p: &ExtensionPoint| {
            let found = registry.find(*p, name);
            let mut o: Object = [("extension_point", p.as_str())].into_iter().collect();
            o.set("name", found.map_or("", |r| r.name()));
            o.set("provider", found.map_or("", |r| r.provider()));
            o.set("origin", found.map_or("", |r| r.origin()));
            o.set("explanation", registry.explain(*p, name));
            o.set("refused", refused(*p).map_or(Json::Null, Json::from));
            o
        };
        let mut all: Object = [("name", name)].into_iter().collect();
        all.set("found", there.iter().map(one).collect::<Json>());
        all.set("searched", looked.into_iter().collect::<Json>());
        print(&Json::Object(all).to_pretty())?;
    } else {
        for p in &there {
            let refused = refused(*p).map_or(String::new(), |r| format!("; refused: {r}"));
            show(&format!("{p} {}{refused}", registry.explain(*p, name)))?;
        }
        if there.is_empty() {
            let unknown = registry.unknown(ExtensionPoint::Codec, name);
            print_status(&format!("unknown name `{name}`: {}", unknown.hint().unwrap_or("no plugins were looked for")));
        }
    }
    let usable = there.iter().any(|p| refused(*p).is_none());
    Ok(if usable { Outcome::Done } else { Outcome::ProblemsFound })
}

fn remove(id: &str, json: bool) -> Result<Outcome> {
    let folder = user_folder()?;
    let _lock = lock(&folder);
    let all = installed(&folder);
    let there: Vec<_> = all.iter().filter(|(_, m)| m.id == id).collect();
    // An unreadable manifest has no id: it is removed by its file name.
    let unread = folder.join(id.strip_suffix(".zarrplugin.json").unwrap_or(id)).with_added_extension("zarrplugin.json");
    let is_unread = unread.is_file() && all.iter().all(|(path, _)| *path != unread);
    if there.is_empty() && Path::new(id).components().count() == 1 && is_unread {
        std::fs::remove_file(&unread).map_err(|e| Error::from(e).at_key(unread.display()))?;
        let removed = unread.display().to_string();
        let mut o: Object = [("id", id)].into_iter().collect();
        o.set("removed", [removed.as_str()].into_iter().collect::<Json>());
        print(&if json { Json::Object(o).to_pretty() } else { format!("removed {removed}") })?;
        return Ok(Outcome::Done);
    }
    if there.is_empty() {
        let e = Error::argument(format!("plugin `{id}` is not installed in {}", folder.display()));
        let offers = |m: &&Manifest| m.extensions.iter().flat_map(ProvidedExtension::names).any(|name| name == id);
        return Err(match all.iter().map(|(_, m)| m).find(offers) {
            Some(m) => e.with_hint(format!("remove its plugin with `ozarr plugin remove {0}`", m.id)),
            None => e.with_hint("list installed plugins with `ozarr plugin list`"),
        });
    }
    for (path, manifest) in &there {
        std::fs::remove_file(path).map_err(|e| Error::from(e).at_key(path.display()))?;
        manifest.libraries.iter().for_each(|l| remove_file(&folder, &l.path));
    }
    if json {
        let removed = there.iter().map(|(p, _)| Json::from(p.display().to_string())).collect::<Json>();
        let mut o: Object = [("id", id)].into_iter().collect();
        o.set("removed", removed);
        print(&Json::Object(o).to_pretty())?;
    } else {
        show(&format!("removed {id}"))?;
    }
    Ok(Outcome::Done)
}
