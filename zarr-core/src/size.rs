//! How many bytes codecs make.

/// What is known of the size of encoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Always this many.
    Exact(u64),
    /// A writer makes no more. A reader must not refuse more: another writer may have been less careful.
    AtMost(u64),
    /// Nothing.
    Unknown,
}

impl Size {
    /// The bound, if there is one.
    pub fn max(self) -> Option<u64> {
        match self {
            Size::Exact(n) | Size::AtMost(n) => Some(n),
            Size::Unknown => None,
        }
    }
    /// True if a writer may make `n` bytes.
    pub fn allows(self, n: u64) -> bool {
        match self {
            Size::Exact(exact) => n == exact,
            Size::AtMost(most) => n <= most,
            Size::Unknown => true,
        }
    }
    /// Applies `f` to the number. Unknown when it overflows.
    pub fn map(self, f: impl FnOnce(u64) -> Option<u64>) -> Self {
        match self {
            Size::Exact(n) => f(n).map_or(Size::Unknown, Size::Exact),
            Size::AtMost(n) => f(n).map_or(Size::Unknown, Size::AtMost),
            Size::Unknown => Size::Unknown,
        }
    }
    /// The same number as a bound.
    pub fn bound(self) -> Self {
        self.max().map_or(Size::Unknown, Size::AtMost)
    }
}
