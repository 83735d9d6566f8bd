//! `ozarr group`: creates a group.

use super::{Outcome, attrs};
use crate::{args::Group as Args, location::Location, output::print, session::Session, words::Failure};
use ozarr::Object;

pub(crate) fn run(args: &Args, session: &Session) -> Result<Outcome, Failure> {
    let attributes = args.attrs.as_deref().map_or_else(|| Ok(Object::new()), attrs::given)?;
    let at = Location::create(&args.group, &session.context)?;
    let ours = "choose another path";
    let typed = "choose another path, or change its attributes with `ozarr attrs set`";
    let created = at.hierarchy.create_group(&at.path(), &attributes);
    let group = created.map_err(|e| Failure::reworded(e, [(ours, typed)]))?;
    match args.json {
        true => print(&group.metadata().document().to_pretty())?,
        false => session.status.print(&format!("created group {}", at.typed)),
    }
    Ok(Outcome::Done)
}
