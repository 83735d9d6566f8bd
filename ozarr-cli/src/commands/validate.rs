//! `ozarr validate`: every problem of a hierarchy, with node, key and rule.

use super::Outcome;
use crate::{
    args::Validate as Args,
    location::Location,
    output::{count, one_line, print, print_status, show},
    progress::Bar,
};
use ozarr::{
    Context, Result,
    store::OpenMode,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::{Fault, Problem, ValidateOptions, Validation, validate};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let at = Location::repair(&args.node.location, OpenMode::ReadOnly, context)?;
    let bar = Bar::default();
    let options = ValidateOptions::default().with_data(args.data).with_complete(args.complete).with_progress(&bar);
    let found = validate(&at.hierarchy, &at.path(), &options)?;
    drop(bar);
    report(&found, args)
}

fn report(found: &Validation, args: &Args) -> Result<Outcome> {
    if args.node.json {
        let mut o: Object = [("problems", found.problems.iter().map(as_json).collect::<Json>())].into_iter().collect();
        o.set("nodes", found.nodes);
        o.set("chunks", found.chunks);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for p in &found.problems {
            show(&p.with_advice(advice(p)).to_string())?;
        }
        let (nodes, problems) = (count(found.nodes, "node"), count(found.problems.len() as u64, "problem"));
        let data = if args.data { format!(", {} decoded", count(found.chunks, "chunk")) } else { String::new() };
        let next = if found.is_repairable { "; `ozarr repair --data` shows what can be repaired" } else { "" };
        print_status(&format!("{nodes}{data}, {problems}{next}"));
    }
    Ok(if found.problems.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// What can be done about a problem, to be put behind what is wrong.
fn advice(problem: &Problem) -> &'static str {
    match problem.fault {
        Fault::Orphan => "; `ozarr repair` removes it",
        Fault::LostDocument => ": `ozarr repair` can recreate it from its copy",
        _ => "",
    }
}

fn as_json(p: &Problem) -> Object {
    let (node, problem) = (p.node.to_string(), one_line(&format!("{}{}", p.fault, advice(p))));
    let mut o: Object = [("node", &*node), ("rule", p.rule.as_str()), ("problem", &*problem)].into_iter().collect();
    o.set("key", p.key.as_deref().map_or(Json::Null, Json::from));
    if let Fault::MissingChunks { missing, examples, .. } = &p.fault {
        o.set("missing", *missing);
        o.set("examples", Json::from(examples.clone()));
    }
    o
}
