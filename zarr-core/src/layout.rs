//! The layout of the elements of a data type in memory.
//!
//! Codecs depend on the layout of a data type, not on its name: `bytes` swaps scalars of any kind, a shuffle uses their
//! width, and a type from a plugin works with every codec that supports its layout.

use std::sync::Arc;

/// The kind of a scalar of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarKind {
    /// A boolean: one byte, 0 or 1.
    Bool,
    /// A signed integer in two's complement.
    Int,
    /// An unsigned integer.
    UInt,
    /// An IEEE 754 binary floating point number.
    Float,
    /// Opaque bytes without a byte order.
    Raw,
}

/// A field of [`Layout::Struct`]: scalars of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name of the field.
    pub name: String,
    /// The kind of its scalars.
    pub kind: ScalarKind,
    /// The size of a scalar in bytes, at least 1.
    pub width: usize,
    /// The number of scalars in the field, at least 1.
    pub components: usize,
}

/// The layout of one element in memory.
///
/// Scalars are in the native byte order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Consecutive scalars of one kind: one for a number, two for a complex number.
    Fixed {
        /// The kind of the scalars.
        kind: ScalarKind,
        /// The size of a scalar in bytes, at least 1.
        width: usize,
        /// The number of scalars in an element, at least 1.
        components: usize,
    },
    /// Named fields, one after another without gaps. A field of a nested struct has the name `outer.inner`.
    Struct(Arc<[Field]>),
    /// Byte strings of variable length. In memory an element is a [handle](crate::view::Handle) into a
    /// [heap](crate::view::Heap).
    Variable {
        /// True if the bytes are UTF-8 text.
        text: bool,
    },
}

impl Layout {
    /// Returns the layout of a single scalar.
    pub const fn scalar(kind: ScalarKind, width: usize) -> Self {
        Layout::Fixed { kind, width, components: 1 }
    }
    /// Returns the size of an element in memory, in bytes.
    pub fn size(&self) -> usize {
        match self {
            Layout::Fixed { width, components, .. } => *width * *components,
            Layout::Struct(fields) => fields.iter().map(|f| f.width * f.components).sum(),
            Layout::Variable { .. } => crate::view::Handle::SIZE,
        }
    }
    /// True if the bytes of an element depend on the byte order.
    pub fn has_byte_order(&self) -> bool {
        let one = |kind, width| kind != ScalarKind::Raw && width > 1;
        match self {
            Layout::Fixed { kind, width, .. } => one(*kind, *width),
            Layout::Struct(fields) => fields.iter().any(|f| one(f.kind, f.width)),
            Layout::Variable { .. } => false,
        }
    }
    /// Returns the width of the units that a change of byte order reverses; 1 if elements have no byte order.
    ///
    /// `None`: units have several widths, see [`swap`](Self::swap).
    pub fn swap_width(&self) -> Option<usize> {
        match self {
            _ if !self.has_byte_order() => Some(1),
            Layout::Fixed { width, .. } => Some(*width),
            _ => None,
        }
    }
    /// Changes the byte order of consecutive elements.
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
    /// True for elements of variable length.
    pub fn is_variable(&self) -> bool {
        matches!(self, Layout::Variable { .. })
    }
}
