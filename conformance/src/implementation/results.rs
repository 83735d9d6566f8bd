//! x
use crate::report::Report;
/// x
pub fn results_page(reports: &[Report]) -> String {
    format!("{}", reports.len())
}
