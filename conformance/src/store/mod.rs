//! Properties of stores: of every implementation of the abstract store interface, including the store of a storage
//! transformer.
//!
//! Each property only checks one aspect, so that one fault violates one property.

mod concurrent;
mod erase;
mod inputs;
mod list;
mod partial;
mod read;
mod sequence;
mod set;
mod subject;
mod tested;
mod update;

pub use subject::{Contents, Make, MakeWith, Reopen, Subject, filesystem, memory};

use crate::{
    check::{Check, Settings, Verdict},
    report::Record,
};

const fn property(id: &'static str, clause: &'static str, run: fn(&Subject, &Settings) -> Verdict) -> Check<Subject> {
    Check { id, clause, run }
}

/// The properties of stores.
pub const CHECKS: &[Check<Subject>] = &[
    property("get/missing", "store/get", read::missing),
    property("get/ranges", "store/get", read::ranges),
    property("get/ranges-outside", "store/get", read::ranges_outside),
    property("get/many-ranges", "store/get", read::many_ranges),
    property("get/stops", "store/get", read::stops),
    property("get/read-into", "store/get", read::read_into),
    property("get/size", "store/get", read::size),
    property("get/one-version", "store/get", read::one_version),
    property("partial-values/any", "store/partial-values", partial::values),
    property("partial-values/missing", "store/partial-values", partial::values_missing),
    property("partial-values/outside", "store/partial-values", partial::values_outside),
    property("set/get", "store/set", set::get),
    property("set/replaces", "store/set", set::replaces),
    property("set/empty", "store/set", set::empty),
    property("set/large", "store/set", set::large),
    property("set/odd-keys", "store/set", set::odd_keys),
    property("set/case", "store/case", set::case),
    property("set/similar-keys", "store/set", set::similar_keys),
    property("set/key-and-prefix", "store/set", set::key_and_prefix),
    property("set/aliasing", "store/set", set::aliasing),
    property("set/any-sequence", "store/set", sequence::any),
    property("set/reopen", "store/set", sequence::reopen),
    property("set/uri", "store/uri", sequence::uri),
    property("set-if-absent/one-after-another", "store/set-if-absent", set::if_absent),
    property("set-if-absent/one-winner", "store/set-if-absent", concurrent::one_winner),
    property("update/changes", "store/set", update::changes),
    property("update/fails", "store/set", update::fails),
    property("set-partial/overlays", "store/set-partial", partial::overlays),
    property("set-partial/extends", "store/set-partial", partial::extends),
    property("set-partial/creates", "store/set-partial", partial::creates),
    property("set-partial/many", "store/set-partial", partial::many),
    property("set-partial/outside", "store/set-partial", partial::outside),
    property("erase/removes", "store/erase", erase::removes),
    property("erase/missing", "store/erase", erase::missing),
    property("erase/values", "store/erase-values", erase::values),
    property("erase-prefix/removes", "store/erase-prefix", erase::prefix),
    property("erase-prefix/all", "store/erase-prefix", erase::all),
    property("erase-prefix/missing", "store/erase-prefix", erase::prefix_missing),
    property("list/all", "store/list", list::all),
    property("list/odd-keys", "store/list", list::odd_keys),
    property("list/erased", "store/list", list::erased),
    property("list/orphans", "store/list", list::orphans),
    property("list-prefix/any", "store/list-prefix", list::prefix),
    property("list-dir/any", "store/list-dir", list::dir),
    property("list-dir/erased", "store/list-dir", list::dir_erased),
    property("concurrent/one-key", "store/concurrent", concurrent::one_key),
    property("concurrent/many-keys", "store/concurrent", concurrent::many_keys),
    property("concurrent/parts", "store/concurrent", concurrent::parts),
    property("concurrent/updates", "store/concurrent", concurrent::updates),
    property("concurrent/erase-and-update", "store/concurrent", concurrent::erase_and_update),
    property("concurrent/erase-and-list", "store/concurrent", concurrent::erase_and_list),
];

/// Runs the checks of the properties on a kind of store.
pub fn run(subject: &Subject, prefix: &str, settings: &Settings, each: &mut dyn FnMut(Record)) {
    settings.run(prefix, subject, CHECKS, each);
}
