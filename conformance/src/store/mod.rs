//! Laws of stores: of everything that has the abstract store interface, a storage transformer's store too.
//!
//! A law looks only at what it is about: what is wrong in one place should break one law.

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

pub use subject::{Contents, Holding, Make, Reopen, Subject, filesystem, memory};

use crate::{
    check::{Check, Settings, Verdict},
    report::Record,
};

const fn law(id: &'static str, clause: &'static str, run: fn(&Subject, &Settings) -> Verdict) -> Check<Subject> {
    Check { id, clause, run }
}

/// The laws of stores.
pub const CHECKS: &[Check<Subject>] = &[
    law("get/missing", "store/get", read::missing),
    law("get/ranges", "store/get", read::ranges),
    law("get/ranges-outside", "store/get", read::ranges_outside),
    law("get/many-ranges", "store/get", read::many_ranges),
    law("get/stops", "store/get", read::stops),
    law("get/read-into", "store/get", read::read_into),
    law("get/size", "store/get", read::size),
    law("get/one-version", "store/get", read::one_version),
    law("partial-values/any", "store/partial-values", partial::values),
    law("partial-values/missing", "store/partial-values", partial::values_missing),
    law("partial-values/outside", "store/partial-values", partial::values_outside),
    law("set/get", "store/set", set::get),
    law("set/replaces", "store/set", set::replaces),
    law("set/empty", "store/set", set::empty),
    law("set/large", "store/set", set::large),
    law("set/odd-keys", "store/set", set::odd_keys),
    law("set/case", "store/case", set::case),
    law("set/similar-keys", "store/set", set::similar_keys),
    law("set/key-and-prefix", "store/set", set::key_and_prefix),
    law("set/aliasing", "store/set", set::aliasing),
    law("set/any-sequence", "store/set", sequence::any),
    law("set/reopen", "store/set", sequence::reopen),
    law("set/uri", "store/uri", sequence::uri),
    law("set-if-absent/one-after-another", "store/set-if-absent", set::if_absent),
    law("set-if-absent/one-winner", "store/set-if-absent", concurrent::one_winner),
    law("update/changes", "store/set", update::changes),
    law("update/fails", "store/set", update::fails),
    law("set-partial/overlays", "store/set-partial", partial::overlays),
    law("set-partial/extends", "store/set-partial", partial::extends),
    law("set-partial/creates", "store/set-partial", partial::creates),
    law("set-partial/many", "store/set-partial", partial::many),
    law("set-partial/outside", "store/set-partial", partial::outside),
    law("erase/removes", "store/erase", erase::removes),
    law("erase/missing", "store/erase", erase::missing),
    law("erase/values", "store/erase-values", erase::values),
    law("erase-prefix/removes", "store/erase-prefix", erase::prefix),
    law("erase-prefix/all", "store/erase-prefix", erase::all),
    law("erase-prefix/missing", "store/erase-prefix", erase::prefix_missing),
    law("list/all", "store/list", list::all),
    law("list/odd-keys", "store/list", list::odd_keys),
    law("list/erased", "store/list", list::erased),
    law("list/debris", "store/list", list::debris),
    law("list-prefix/any", "store/list-prefix", list::prefix),
    law("list-dir/any", "store/list-dir", list::dir),
    law("list-dir/erased", "store/list-dir", list::dir_erased),
    law("concurrent/one-key", "store/concurrent", concurrent::one_key),
    law("concurrent/many-keys", "store/concurrent", concurrent::many_keys),
    law("concurrent/parts", "store/concurrent", concurrent::parts),
    law("concurrent/updates", "store/concurrent", concurrent::updates),
    law("concurrent/erase-and-update", "store/concurrent", concurrent::erase_and_update),
    law("concurrent/erase-and-list", "store/concurrent", concurrent::erase_and_list),
];

/// Runs the laws on a kind of store.
pub fn run(subject: &Subject, prefix: &str, settings: &Settings, each: &mut dyn FnMut(Record)) {
    settings.run(prefix, subject, CHECKS, each);
}
