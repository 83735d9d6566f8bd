//! Laws of storage transformers.

use super::Subject;
use crate::{
    check::{Check, Settings},
    report::Record,
};

pub(super) const CHECKS: &[Check<Subject>] = &[];

pub(super) fn run(subject: &Subject, id: &str, settings: &Settings, each: &mut dyn FnMut(Record)) {
    settings.run(id, subject, CHECKS, each);
}
