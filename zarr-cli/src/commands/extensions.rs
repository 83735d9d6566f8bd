//! `zarr extensions`: what this program knows.

use super::Outcome;
use crate::{args::Extensions as Args, output::print};
use zarr_array::{
    Context, Result,
    core::json::{Json, Object},
};

pub(crate) fn run(args: &Args, context: &Context) -> Result<Outcome> {
    if args.json {
        let listed = context.registry.list().map(|l| {
            let mut o: Object = [("extension_point", l.point.as_str()), ("name", l.name)].into_iter().collect();
            o.set("alias_of", l.alias_of.map_or(Json::Null, Json::from));
            o.set("tier", l.tier.to_string());
            o.set("origin", l.origin);
            o.set("shadowed", l.shadowed);
            o
        });
        print(&listed.collect::<Json>().to_pretty())?;
        return Ok(Outcome::Done);
    }
    for l in context.registry.list() {
        let alias = l.alias_of.map_or(String::new(), |n| format!(", as `{n}`"));
        let shadowed = if l.shadowed { ", shadowed" } else { "" };
        print(&format!("{:<20} {:<24} {} ({}){alias}{shadowed}", l.point.as_str(), l.name, l.tier, l.origin))?;
    }
    Ok(Outcome::Done)
}
