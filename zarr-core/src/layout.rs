//! How the elements of a data type lie in memory.
//!
//! A data type describes itself by its layout, so a codec needs to know no type by name: `bytes` swaps scalars of any
//! kind, a shuffle strides by their width, and a type that arrives in a plugin works with every codec that accepts
//! its layout.

use std::sync::Arc;

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

/// A field of [`Layout::Struct`]: scalars of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What a scalar is.
    pub kind: ScalarKind,
    /// Bytes of one scalar, at least 1.
    pub width: usize,
    /// How many scalars the field has, at least 1.
    pub components: usize,
}

/// The layout of one element in memory. Scalars are in the byte order of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    /// Named fields one after another without gaps. A field of a nested struct stands here as `outer.inner`.
    Struct(Arc<[Field]>),
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
    pub fn size(&self) -> usize {
        match self {
            Layout::Fixed { width, components, .. } => *width * *components,
            Layout::Struct(fields) => fields.iter().map(|f| f.width * f.components).sum(),
            Layout::Variable { .. } => crate::view::Handle::SIZE,
        }
    }
    /// True if elements look different in another byte order.
    pub fn has_byte_order(&self) -> bool {
        let one = |kind, width| kind != ScalarKind::Raw && width > 1;
        match self {
            Layout::Fixed { kind, width, .. } => one(*kind, *width),
            Layout::Struct(fields) => fields.iter().any(|f| one(f.kind, f.width)),
            Layout::Variable { .. } => false,
        }
    }
    /// The width of the parts that a change of byte order reverses, 1 where byte order means nothing. `None`: parts
    /// of several widths, see [`swap`](Self::swap).
    pub fn swap_width(&self) -> Option<usize> {
        match self {
            _ if !self.has_byte_order() => Some(1),
            Layout::Fixed { width, .. } => Some(*width),
            _ => None,
        }
    }
    /// Changes the byte order of elements that lie one after another.
    pub fn swap(&self, elements: &mut [u8]) {
        let Layout::Struct(fields) = self else {
            return crate::view::swap_in_place(elements, self.swap_width().unwrap_or(1));
        };
        for element in elements.chunks_exact_mut(self.size().max(1)) {
            let mut at = 0;
            for f in fields.iter() {
                let end = at + f.width * f.components;
                if f.kind != ScalarKind::Raw {
                    element[at..end].chunks_exact_mut(f.width).for_each(<[u8]>::reverse);
                }
                at = end;
            }
        }
    }
    /// True for elements of any length.
    pub fn is_variable(&self) -> bool {
        matches!(self, Layout::Variable { .. })
    }
}
