//! `ozarr repair`: what can be made right without a doubt. Shown first, done with `--apply`; data is never removed.

use super::Outcome;
use crate::{
    args::Repair as Args,
    location::Location,
    output::{one_line, print, print_status, show},
    progress::Bar,
};
use ozarr::{
    Context, Result,
    store::OpenMode,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::{Repair, RepairOptions, RepairReport, repair};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    let mode = if args.apply { OpenMode::ReadWrite } else { OpenMode::ReadOnly };
    let at = Location::repair(&args.node.location, mode, context)?;
    let bar = Bar::default();
    let options = RepairOptions::default().with_data(args.data).with_apply(args.apply).with_progress(&bar);
    let found = repair(&at.hierarchy, &at.path(), &options)?;
    drop(bar);
    report(&found, args)
}

fn report(found: &RepairReport, args: &Args) -> Result<Outcome> {
    let failed = found.failed();
    if args.node.json {
        let repairs = found.repairs.iter().map(as_json);
        let mut o: Object = [("repairs", repairs.collect::<Json>())].into_iter().collect();
        o.set("applied", args.apply);
        print(&Json::Object(o).to_pretty())?;
    } else {
        for r in &found.repairs {
            show(&format!("{}: {}: {}", r.node, r.action, r.subject))?;
            if let Some(e) = &r.error {
                show(&format!("    failed: {e}"))?;
            }
        }
        let mut but = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        if !found.has_node {
            but += ", no node is there";
        }
        print_status(&match (found.repairs.len() - failed, args.apply) {
            (0, _) if failed == 0 => {
                let shards = if args.data { "" } else { " `--data` looks at shards too;" };
                format!("nothing to repair;{shards} what else `ozarr validate --data` finds cannot be repaired")
            }
            (n, true) => format!("{n} repaired{but}"),
            (0, false) => format!("nothing to repair{but}"),
            (n, false) => format!("{n} to repair{but}: nothing was done; `--apply` does it"),
        });
    }
    let is_done = failed == 0 && (found.repairs.is_empty() || args.apply);
    Ok(if is_done { Outcome::Done } else { Outcome::ProblemsFound })
}

fn as_json(r: &Repair) -> Object {
    let mut o: Object =
        [("node", r.node.as_str()), ("repair", r.action.as_str()), ("of", &r.subject)].into_iter().collect();
    if let Some(e) = &r.error {
        o.set("error", one_line(&e.to_string()));
    }
    o
}
