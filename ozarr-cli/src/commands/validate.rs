//! `ozarr validate`: reports every problem of a hierarchy, with node, key and id.

use super::Outcome;
use crate::{
    args::Validate as Args,
    location::Location,
    output::{Status, count, one_line, print, show},
    session::Session,
    words::Parts,
};
use ozarr::{
    Result,
    store::OpenMode,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::{Fault, Problem, ValidateOptions, Validation, validate};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::repair(&args.node.location, OpenMode::ReadOnly, &session.context)?;
    let bar = session.status.bar();
    let options = ValidateOptions::default().with_data(args.data).with_complete(args.complete).with_progress(&bar);
    let found = validate(&at.hierarchy, &at.path(), &options)?;
    drop(bar);
    report(&found, args, session.status)
}

fn report(found: &Validation, args: &Args, status: Status) -> Result<Outcome> {
    if args.node.json {
        let mut o: Object = [("problems", found.problems.iter().map(as_json).collect::<Json>())].into_iter().collect();
        o.set("nodes", found.nodes);
        o.set("chunks", found.chunks);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for p in &found.problems {
            show(&line(p))?;
        }
        let (nodes, problems) = (count(found.nodes, "node"), count(found.problems.len() as u64, "problem"));
        let data = if args.data { format!(", {} decoded", count(found.chunks, "chunk")) } else { String::new() };
        let next = if found.is_repairable { "; `ozarr repair --data` shows what can be repaired" } else { "" };
        status.print(&format!("{nodes}{data}, {problems}{next}"));
    }
    Ok(if found.problems.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// Formats a problem as one line that names its node and its key once.
pub(super) fn line(p: &Problem) -> String {
    let (node, key) = (p.node.to_string(), p.key.as_deref());
    let what = match &p.fault {
        Fault::Error(e) => Parts::of(e).below(key, &node).to_string(),
        fault => fault.to_string(),
    };
    let key = key.map_or(String::new(), |key| format!(" {key}:"));
    format!("{node}:{key} {what}{} [{}]", advice(p), p.kind)
}

/// Returns advice about a problem, to follow its description.
fn advice(problem: &Problem) -> &'static str {
    match problem.fault {
        Fault::Orphan => "; `ozarr repair` removes it",
        Fault::LostDocument => ": `ozarr repair` can recreate it from its copy",
        _ => "",
    }
}

/// Formats a problem as a JSON object.
pub(super) fn as_json(p: &Problem) -> Object {
    let (node, problem) = (p.node.to_string(), one_line(&format!("{}{}", p.fault, advice(p))));
    let mut o: Object = [("id", p.kind.id()), ("node", &*node), ("problem", &*problem)].into_iter().collect();
    o.set("key", p.key.as_deref().map_or(Json::Null, Json::from));
    if let Fault::MissingChunks { missing, examples, .. } = &p.fault {
        o.set("missing", *missing);
        o.set("examples", Json::from(examples.clone()));
    }
    o
}
