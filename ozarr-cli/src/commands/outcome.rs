//! Outcomes of subcommands.

/// The outcome of a subcommand that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It succeeded.
    Done,
    /// It found problems.
    ProblemsFound,
}
