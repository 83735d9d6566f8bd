//! `ozarr consolidate`: writes consolidated metadata.

use super::Outcome;
use crate::{args::Consolidate as Args, location::Location, output::print, session::Session};
use ozarr::{
    Result,
    zarr_core::json::{Json, Object},
};
use ozarr_tools::consolidate;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let at = Location::write(&args.group, &session.context)?;
    let stale = consolidate(&at.hierarchy, &at.path())?;
    if args.json {
        let mut o: Object = [("group", at.path())].into_iter().collect();
        o.set("stale", stale.iter().map(|copy| Json::from(copy.to_string())).collect::<Json>());
        print(&Json::Object(o).to_pretty())?;
    } else {
        let renewed = match stale.len() {
            0 => String::new(),
            1 => ": 1 stale copy renewed".to_owned(),
            n => format!(": {n} stale copies renewed"),
        };
        session.status.print(&format!("consolidated the metadata below {}{renewed}", at.typed));
    }
    Ok(Outcome::Done)
}
