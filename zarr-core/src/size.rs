//! The sizes of encoded bytes.

/// The size of encoded bytes, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Always exactly this many bytes.
    Exact(u64),
    /// At most this many bytes from this writer. Readers must accept more, since other writers may not keep to it.
    AtMost(u64),
    /// The size is unknown.
    Unknown,
}

impl Size {
    /// Returns the upper bound, if there is one.
    pub fn max(self) -> Option<u64> {
        match self {
            Size::Exact(n) | Size::AtMost(n) => Some(n),
            Size::Unknown => None,
        }
    }
    /// True if a writer may produce `n` bytes.
    pub fn allows(self, n: u64) -> bool {
        match self {
            Size::Exact(exact) => n == exact,
            Size::AtMost(most) => n <= most,
            Size::Unknown => true,
        }
    }
    /// Applies `f` to the number. The result is `Unknown` if `f` returns `None`, for instance on overflow.
    pub fn map(self, f: impl FnOnce(u64) -> Option<u64>) -> Self {
        match self {
            Size::Exact(n) => f(n).map_or(Size::Unknown, Size::Exact),
            Size::AtMost(n) => f(n).map_or(Size::Unknown, Size::AtMost),
            Size::Unknown => Size::Unknown,
        }
    }
    /// Returns the size as an upper bound.
    pub fn bound(self) -> Self {
        self.max().map_or(Size::Unknown, Size::AtMost)
    }
}
