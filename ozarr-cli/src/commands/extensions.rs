//! `ozarr extensions`: lists the known extensions.

use super::{Outcome, needs};
use crate::{
    args::Extensions as Args,
    output::{print, show},
    session::Session,
};
use ozarr::{
    Result,
    zarr_core::{
        json::{Json, Object},
        registry::Listed,
    },
};

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome> {
    let context = &session.context;
    let refused =
        |l: &Listed<'_>| needs::refusal(&session.found, &context.registry, l.point, l.name).filter(|_| !l.shadowed);
    if args.json {
        let listed = context.registry.list().map(|l| {
            let mut o: Object = [("extension_point", l.point.as_str()), ("name", l.name)].into_iter().collect();
            o.set("alias_of", l.alias_of.map_or(Json::Null, Json::from));
            o.set("tier", l.tier.to_string());
            o.set("origin", l.origin);
            o.set("shadowed", l.shadowed);
            o.set("refused", refused(&l).map_or(Json::Null, Json::from));
            o
        });
        print(&listed.collect::<Json>().to_pretty())?;
        return Ok(Outcome::Done);
    }
    for l in context.registry.list() {
        let alias = l.alias_of.map_or(String::new(), |n| format!(", as `{n}`"));
        let refused = refused(&l).map_or(String::new(), |why| format!(", refused: {why}"));
        let shadowed = if l.shadowed { ", shadowed" } else { "" };
        show(&format!("{:<20} {:<24} {} ({}){alias}{shadowed}{refused}", l.point.as_str(), l.name, l.tier, l.origin))?;
    }
    Ok(Outcome::Done)
}
