//! `zp_layout`, `zp_representation` and `zp_size`.

use crate::abi::{self, Str};
use std::sync::Arc;
use zarr_core::{
    Error, Result,
    data_type::DataType,
    layout::{Field, Layout, ScalarKind},
    representation::{Representation, Size},
};

/// The maximum size of an element of a plugin's data type, in bytes.
const MAX_ELEMENT: usize = 1 << 24;
/// The maximum number of fields of a struct.
const MAX_FIELDS: usize = 1 << 12;

/// An exported layout. It has a fixed address, to which pointers may point.
#[derive(Debug)]
pub(crate) struct FfiLayout {
    ffi: abi::Layout,
    // The data that `ffi` points to.
    _fields: Vec<*const abi::Field>,
    _ffi_fields: Box<[abi::Field]>,
    _names: Box<[(Box<str>, Str)]>,
}
// SAFETY: the pointers lead to data that the struct owns, and nothing changes after it is created.
unsafe impl Send for FfiLayout {}
// SAFETY: as above.
unsafe impl Sync for FfiLayout {}

fn kind_to(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::Bool => abi::KIND_BOOL,
        ScalarKind::Int => abi::KIND_INT,
        ScalarKind::UInt => abi::KIND_UINT,
        ScalarKind::Float => abi::KIND_FLOAT,
        _ => abi::KIND_RAW,
    }
}

impl FfiLayout {
    pub(crate) fn new(layout: &Layout) -> Self {
        let mut ffi = abi::Layout {
            struct_size: abi::size32::<abi::Layout>(),
            form: abi::FORM_FIXED,
            kind: 0,
            width: 0,
            components: 0,
            reserved0: 0,
            fields: std::ptr::null(),
            n_fields: 0,
        };
        let mut names: Box<[(Box<str>, Str)]> = Box::default();
        let mut ffi_fields: Box<[abi::Field]> = Box::default();
        match layout {
            Layout::Fixed { kind, width, components } => {
                (ffi.kind, ffi.width, ffi.components) = (kind_to(*kind), *width as u32, *components as u32);
            }
            Layout::Struct(all) => {
                ffi.form = abi::FORM_STRUCT;
                names = all.iter().map(|f| (f.name.clone().into(), Str::new(""))).collect();
                names.iter_mut().for_each(|(text, name)| *name = Str::new(text));
                let field = |(f, (_, name)): (&Field, &(Box<str>, Str))| abi::Field {
                    struct_size: abi::size32::<abi::Field>(),
                    kind: kind_to(f.kind),
                    width: f.width as u32,
                    components: f.components as u32,
                    name,
                };
                ffi_fields = all.iter().zip(&names).map(field).collect();
            }
            Layout::Variable { text: true } => ffi.form = abi::FORM_TEXT,
            _ => ffi.form = abi::FORM_BYTES,
        }
        let fields: Vec<*const abi::Field> = ffi_fields.iter().map(std::ptr::from_ref).collect();
        (ffi.fields, ffi.n_fields) = (fields.as_ptr(), fields.len());
        Self { ffi, _fields: fields, _ffi_fields: ffi_fields, _names: names }
    }
    pub(crate) fn get(&self) -> &abi::Layout {
        &self.ffi
    }
}

fn scalars(kind: u32, width: u32, components: u32) -> Result<(ScalarKind, usize, usize)> {
    let kind = match kind {
        abi::KIND_BOOL => ScalarKind::Bool,
        abi::KIND_INT => ScalarKind::Int,
        abi::KIND_UINT => ScalarKind::UInt,
        abi::KIND_FLOAT => ScalarKind::Float,
        abi::KIND_RAW => ScalarKind::Raw,
        other => return Err(Error::chain(format!("unknown scalar kind {other} in a layout"))),
    };
    let (width, components) = (width as usize, components as usize);
    let size = width.checked_mul(components).filter(|n| (1..=MAX_ELEMENT).contains(n));
    if size.is_none() || kind == ScalarKind::Bool && width != 1 {
        return Err(Error::chain(format!("invalid layout of {components} scalars of {width} bytes")));
    }
    Ok((kind, width, components))
}

/// Imports a layout that the other side passes.
///
/// # Safety
/// `p` is null or points to a `zp_layout` whose pointers are valid for the lengths that it states.
pub(crate) unsafe fn layout_from(p: *const abi::Layout) -> Result<Layout> {
    let none = || Error::chain("a data type has no layout");
    // SAFETY: the caller's promise; a layout begins with its size.
    let ffi = unsafe { abi::copied(p) }.ok_or_else(none)?;
    match ffi.form {
        abi::FORM_FIXED => {
            let (kind, width, components) = scalars(ffi.kind, ffi.width, ffi.components)?;
            Ok(Layout::Fixed { kind, width, components })
        }
        abi::FORM_BYTES => Ok(Layout::Variable { text: false }),
        abi::FORM_TEXT => Ok(Layout::Variable { text: true }),
        abi::FORM_STRUCT => {
            let (mut fields, mut total) = (Vec::new(), 0usize);
            if ffi.n_fields > MAX_FIELDS {
                return Err(Error::chain(format!(
                    "a struct has {} fields, more than the limit of {MAX_FIELDS}",
                    ffi.n_fields
                )));
            }
            // SAFETY: as above.
            for &f in unsafe { abi::slice(ffi.fields, ffi.n_fields) } {
                // SAFETY: as above; a field begins with its size.
                let f = unsafe { abi::copied(f) }.ok_or_else(none)?;
                let (kind, width, components) = scalars(f.kind, f.width, f.components)?;
                // SAFETY: as above.
                let name = unsafe { abi::text(f.name) }.unwrap_or_default().to_owned();
                total += width * components;
                if total > MAX_ELEMENT {
                    return Err(Error::chain(format!("an element is larger than the limit of {MAX_ELEMENT} bytes")));
                }
                fields.push(Field { name, kind, width, components });
            }
            if fields.is_empty() {
                return Err(Error::chain("a struct has no fields"));
            }
            Ok(Layout::Struct(fields.into()))
        }
        other => Err(Error::chain(format!("unknown layout form {other} of a data type"))),
    }
}

/// Returns the alignment that the scalars of a layout need.
#[cfg(feature = "load")]
pub(crate) fn alignment(layout: &Layout) -> usize {
    let one = |width: usize| if width.is_power_of_two() { width.min(16) } else { 1 };
    match layout {
        Layout::Fixed { kind: ScalarKind::Raw, .. } => 1,
        Layout::Fixed { width, .. } => one(*width),
        _ => 1,
    }
}

/// An exported representation. It has a fixed address, to which pointers may point.
#[derive(Debug)]
pub(crate) struct FfiRepresentation {
    ffi: abi::Representation,
    // The data that `ffi` points to.
    _layout: Box<FfiLayout>,
    _label: Box<(String, Str)>,
    _shape: Box<[u64]>,
    _fill: Box<(Box<[u8]>, abi::Bytes)>,
}
// SAFETY: the pointers lead to data that the struct owns, and nothing changes after it is created.
unsafe impl Send for FfiRepresentation {}
// SAFETY: as above.
unsafe impl Sync for FfiRepresentation {}

impl FfiRepresentation {
    pub(crate) fn new(representation: &Representation) -> Self {
        let layout = Box::new(FfiLayout::new(representation.layout()));
        let mut label = Box::new((format!("{:?}", representation.data_type()), Str::new("")));
        label.1 = Str::new(&label.0);
        let shape: Box<[u64]> = representation.shape().into();
        let mut fill = Box::new((Box::<[u8]>::from(representation.fill()), abi::Bytes::new(&[])));
        fill.1 = abi::Bytes::new(&fill.0);
        let ffi = abi::Representation {
            struct_size: abi::size32::<abi::Representation>(),
            rank: shape.len() as u32,
            layout: layout.get(),
            label: &raw const label.1,
            shape: shape.as_ptr(),
            fill: &raw const fill.1,
            data_type_json: std::ptr::null(),
            data_type: std::ptr::null(),
            data_type_self: std::ptr::null(),
        };
        Self { ffi, _layout: layout, _label: label, _shape: shape, _fill: fill }
    }
    /// Returns the representation with a data type of this library.
    pub(crate) fn with_data_type(mut self, vtable: &'static abi::DataType, this: *const std::ffi::c_void) -> Self {
        (self.ffi.data_type, self.ffi.data_type_self) = (vtable, this);
        self
    }
    pub(crate) fn get(&self) -> &abi::Representation {
        &self.ffi
    }
}

#[cfg(feature = "load")]
impl abi::Representation {
    /// Replaces members that are null with those of another representation.
    pub(crate) fn fill_in(&mut self, other: &Self) {
        fn either<T>(own: *const T, other: *const T) -> *const T {
            if own.is_null() { other } else { own }
        }
        if self.shape.is_null() {
            self.rank = other.rank;
        }
        self.layout = either(self.layout, other.layout);
        self.label = either(self.label, other.label);
        self.shape = either(self.shape, other.shape);
        self.fill = either(self.fill, other.fill);
    }
}

/// The parts of a representation that the other side passes.
pub(crate) struct Parts {
    #[cfg(feature = "load")]
    pub(crate) ffi: abi::Representation,
    pub(crate) layout: Layout,
    pub(crate) label: String,
    pub(crate) shape: Vec<u64>,
    pub(crate) fill: Vec<u8>,
}

impl Parts {
    /// # Safety
    /// `p` is null or points to a `zp_representation` whose pointers are valid for the lengths that it states.
    pub(crate) unsafe fn new(p: *const abi::Representation, max_rank: u32) -> Result<Self> {
        // SAFETY: the caller's promise; a representation begins with its size.
        let ffi = unsafe { abi::copied(p) }.ok_or_else(|| Error::chain("the pointer to a representation is null"))?;
        if ffi.rank > max_rank {
            return Err(Error::chain(format!(
                "an array has {} dimensions, more than the limit of {max_rank}",
                ffi.rank
            )));
        }
        // SAFETY: as above.
        let layout = unsafe { layout_from(ffi.layout) }?;
        // SAFETY: as above.
        let (label, shape) = unsafe { (abi::text(ffi.label), abi::slice(ffi.shape, ffi.rank as usize)) };
        // SAFETY: as above.
        let fill = unsafe { abi::bytes(ffi.fill) }.unwrap_or_default();
        if !layout.is_variable() && fill.len() != layout.size() {
            return Err(Error::chain(format!(
                "a fill value of {} bytes does not match the layout {layout:?}",
                fill.len()
            )));
        }
        let label = label.unwrap_or("a data type").to_owned();
        let (shape, fill) = (shape.to_vec(), fill.to_vec());
        Ok(Self {
            #[cfg(feature = "load")]
            ffi,
            layout,
            label,
            shape,
            fill,
        })
    }
    pub(crate) fn with(self, data_type: Arc<dyn DataType>) -> Representation {
        Representation::new(data_type, &self.shape, &self.fill)
    }
}

pub(crate) fn size_to(size: Size) -> abi::Size {
    let (kind, bytes) = match size {
        Size::Unknown => (abi::SIZE_UNKNOWN, 0),
        Size::AtMost(n) => (abi::SIZE_AT_MOST, n),
        Size::Exact(n) => (abi::SIZE_EXACT, n),
    };
    abi::Size { kind, reserved0: 0, bytes }
}

pub(crate) fn size_from(size: &abi::Size) -> Size {
    match size.kind {
        abi::SIZE_AT_MOST => Size::AtMost(size.bytes),
        abi::SIZE_EXACT => Size::Exact(size.bytes),
        _ => Size::Unknown,
    }
}
