//! How the elements of a data type lie in memory.
//!
//! A data type describes itself by its layout, so a codec needs to know no type by name: `bytes` swaps scalars of any
//! kind, a shuffle strides by their width, and a type that arrives in a plugin works with every codec that accepts
//! its layout.

/// What one scalar of an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarKind {
    /// One byte, 0 or 1.
    Bool,
    /// Two's complement.
    Int,
    /// Unsigned.
    UInt,
    /// IEEE 754 binary.
    Float,
    /// Opaque bytes without byte order.
    Raw,
}

/// The layout of one element in memory. Scalars are in the byte order of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Scalars of one kind one after another: one for numbers, two for complex numbers.
    Fixed {
        /// What a scalar is.
        kind: ScalarKind,
        /// Bytes of one scalar, at least 1.
        width: usize,
        /// How many scalars make an element, at least 1.
        components: usize,
    },
    /// Byte strings of any length. In memory an element is a [handle](crate::view::Handle) into a
    /// [heap](crate::view::Heap).
    Variable {
        /// True if the bytes are UTF-8 text.
        text: bool,
    },
}

impl Layout {
    /// One scalar.
    pub const fn scalar(kind: ScalarKind, width: usize) -> Self {
        Layout::Fixed { kind, width, components: 1 }
    }
    /// Bytes of one element in memory.
    pub const fn size(&self) -> usize {
        match self {
            Layout::Fixed { width, components, .. } => *width * *components,
            Layout::Variable { .. } => crate::view::Handle::SIZE,
        }
    }
    /// The width of the parts that a change of byte order reverses; 1 where byte order means nothing.
    pub const fn swap_width(&self) -> usize {
        match self {
            Layout::Fixed { kind: ScalarKind::Raw, .. } | Layout::Variable { .. } => 1,
            Layout::Fixed { width, .. } => *width,
        }
    }
    /// True for elements of any length.
    pub const fn is_variable(&self) -> bool {
        matches!(self, Layout::Variable { .. })
    }
}
