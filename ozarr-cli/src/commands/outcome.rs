//! How verbs end.

/// How a subcommand ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Done,
    /// It found what should not be.
    ProblemsFound,
}
