//! `ozarr repair`: shows the repairs that are certain, and makes them with `--apply`. Data is never removed.

use super::Outcome;
use crate::{
    args::Repair as Args,
    location::Location,
    output::{Status, one_line, print, show},
    session::Session,
    words::Parts,
};
use ozarr::{
    Error, Result,
    store::OpenMode,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::{Action, RepairOptions, RepairReport, repair};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let mode = if args.apply { OpenMode::ReadWrite } else { OpenMode::ReadOnly };
    let at = Location::repair(&args.node.location, mode, &session.context)?;
    let bar = session.status.bar();
    let options = RepairOptions::default().with_data(args.data).with_apply(args.apply).with_progress(&bar);
    let found = repair(&at.hierarchy, &at.path(), &options)?;
    drop(bar);
    report(&found, args, session.status)
}

fn report(found: &RepairReport, args: &Args, status: Status) -> Result<Outcome> {
    let failed = found.failed() + found.unexamined.len();
    let lines = lines(found);
    if args.node.json {
        let mut o: Object = [("repairs", lines.iter().map(Line::as_json).collect::<Json>())].into_iter().collect();
        o.set("applied", args.apply);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for line in &lines {
            show(&format!("{}: {}: {}", line.node, line.repair, line.of))?;
            if let Some(e) = line.error {
                show(&format!("    failed: {}", Parts::of(e).below(Some(&line.of), &line.node)))?;
            }
        }
        let mut but = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        if !found.has_node {
            but += ", node not found";
        }
        status.print(&match (found.repairs.len() - found.failed(), args.apply) {
            (0, _) if failed == 0 => {
                let shards = if args.data { "" } else { " `--data` looks at shards too;" };
                format!("nothing to repair;{shards} what else `ozarr validate --data` finds cannot be repaired")
            }
            (n, true) => format!("{n} repaired{but}"),
            (0, false) => format!("nothing to repair{but}"),
            (n, false) => format!("{n} to repair{but}; pass `--apply` to repair"),
        });
    }
    let is_done = failed == 0 && (lines.is_empty() || args.apply);
    Ok(if is_done { Outcome::Done } else { Outcome::ProblemsFound })
}

/// A repair, or something that could not be examined.
struct Line<'r> {
    node: String,
    repair: &'r str,
    of: String,
    error: Option<&'r Error>,
}

fn lines(found: &RepairReport) -> Vec<Line<'_>> {
    let repairs = found.repairs.iter().map(|r| Line {
        node: r.node.to_string(),
        repair: r.action.as_str(),
        of: subject(&r.action),
        error: r.error.as_deref(),
    });
    let unexamined = found.unexamined.iter().map(|u| Line {
        node: u.node.to_string(),
        repair: "find what can be repaired",
        of: u.subject.to_string(),
        error: Some(&u.error),
    });
    repairs.chain(unexamined).collect()
}

/// Returns the object of an action, or its reason.
fn subject(action: &Action) -> String {
    match action {
        Action::RemoveOrphan { name, .. } => name.clone(),
        Action::RecreateDocument { key, .. } | Action::RebuildIndex { key, .. } => key.clone(),
        Action::Consolidate { stale, .. } => match &stale[..] {
            [first, _, ..] => format!("{first}, and {} more", stale.len() - 1),
            _ => stale.iter().map(ToString::to_string).collect(),
        },
        _ => String::new(),
    }
}

impl Line<'_> {
    fn as_json(&self) -> Object {
        let mut o: Object = [("node", &*self.node), ("repair", self.repair), ("of", &*self.of)].into_iter().collect();
        if let Some(e) = self.error {
            o.set("error", one_line(&e.to_string()));
        }
        o
    }
}
