//! The input and the output of a codec.

use ozarr::{
    Error, Result,
    zarr_core::{
        data_type::DataType,
        layout::Layout,
        representation::Representation,
        view::{Dims, Handle, Heap, Region, View, ViewMut},
    },
};
use proptest::{collection::vec, prelude::*};

/// The bytes of each element of an array, in C order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Elements {
    pub(crate) shape: Vec<u64>,
    pub(crate) each: Vec<Vec<u8>>,
}

/// Elements, or bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Array(Elements),
    Bytes(Vec<u8>),
}

/// Returns elements that are valid for a data type: invalid ones are replaced by the fill value.
pub(crate) fn elements(of: &Representation) -> BoxedStrategy<Elements> {
    let n = of.shape().iter().product::<u64>() as usize;
    let (of, shape) = (of.clone(), of.shape().to_vec());
    let one: BoxedStrategy<Vec<u8>> = match of.layout() {
        Layout::Variable { text: true } => "\\PC{0,5}".prop_map(String::into_bytes).boxed(),
        Layout::Variable { .. } => vec(any::<u8>(), 0..6).boxed(),
        fixed => vec(any::<u8>(), fixed.size()).boxed(),
    };
    // Includes runs and fill values, so that compressors have redundancy and shards have empty chunks.
    let one = prop_oneof![4 => one.clone(), 1 => Just(of.fill().to_vec()), 1 => Just(Vec::new())];
    let alike = vec(one.clone(), 1).prop_map(move |one| std::iter::repeat_n(one[0].clone(), n).collect::<Vec<_>>());
    let each = prop_oneof![5 => vec(one, n), 1 => alike];
    each.prop_map(move |each| Elements {
        shape: shape.clone(),
        each: each
            .into_iter()
            .map(|e| if is_element(of.data_type().as_ref(), &e) { e } else { of.fill().to_vec() })
            .collect(),
    })
    .boxed()
}

pub(crate) fn is_element(data_type: &dyn DataType, element: &[u8]) -> bool {
    match data_type.layout() {
        Layout::Variable { text } => !text || std::str::from_utf8(element).is_ok(),
        fixed => element.len() == fixed.size() && data_type.check_elements(element).is_ok(),
    }
}

/// Memory for the elements of an array: `gaps` selects Fortran order with unused memory between the parts.
pub(crate) struct Memory {
    bytes: Vec<u8>,
    heap: Option<Heap>,
    shape: Vec<u64>,
    element: usize,
    gaps: bool,
}

const UNTOUCHED: u8 = 0x5A;

impl Memory {
    /// Allocates memory for an array of this representation with another shape.
    pub(crate) fn new(of: &Representation, shape: &[u64], gaps: bool) -> Self {
        let element = of.element_size();
        let room: u64 = if gaps { shape.iter().map(|n| n + 1).product() } else { shape.iter().product() };
        let heap = of.new_heap();
        let mut bytes = vec![UNTOUCHED; room as usize * element];
        if heap.is_some() {
            // Handles must be valid: these are of an empty fill value.
            bytes = Handle::of_fill(of.fill().len()).to_bytes().repeat(room as usize);
        }
        Self { bytes, heap, shape: shape.to_vec(), element, gaps }
    }
    /// Allocates memory and fills it with elements.
    pub(crate) fn with_elements(of: &Representation, elements: &Elements, gaps: bool) -> Result<Self> {
        let mut memory = Self::new(of, &elements.shape, gaps);
        let flat = match &memory.heap {
            None => elements.each.concat(),
            Some(heap) => {
                let buffer = heap.push(elements.each.concat())?;
                let mut offset = 0;
                let handle = |e: &Vec<u8>| {
                    let handle = Handle { buffer, offset, len: e.len() as u32 };
                    offset += e.len() as u64;
                    handle.to_bytes()
                };
                elements.each.iter().flat_map(handle).collect()
            }
        };
        let heap = memory.heap.take();
        let source = View::new(&flat, &elements.shape, memory.element)?.with_heap(heap.as_ref());
        memory.view_mut_with(heap.as_ref())?.copy_from(&source, 1)?;
        memory.heap = heap;
        Ok(memory)
    }
    fn around(&self) -> Dims {
        self.shape.iter().rev().map(|n| n + 1).collect()
    }
    fn order(&self) -> Vec<usize> {
        (0..self.shape.len()).rev().collect()
    }
    pub(crate) fn view(&self) -> Result<View<'_>> {
        if !self.gaps {
            return Ok(View::new(&self.bytes, &self.shape, self.element)?.with_heap(self.heap.as_ref()));
        }
        let all = View::new(&self.bytes, &self.around(), self.element)?.with_heap(self.heap.as_ref());
        all.permute(&self.order())?.region(&Region::whole(&self.shape))
    }
    fn view_mut_with<'m>(&'m mut self, heap: Option<&'m Heap>) -> Result<ViewMut<'m>> {
        if !self.gaps {
            return Ok(ViewMut::new(&mut self.bytes, &self.shape, self.element)?.with_heap(heap));
        }
        let (around, order) = (self.around(), self.order());
        let all = ViewMut::new(&mut self.bytes, &around, self.element)?.with_heap(heap);
        all.permute(&order)?.region(&Region::whole(&self.shape))
    }
    /// Passes the memory to `f`, which writes to it.
    pub(crate) fn write(&mut self, f: impl FnOnce(ViewMut<'_>) -> Result<()>) -> Result<()> {
        let heap = self.heap.take();
        let done = self.view_mut_with(heap.as_ref()).and_then(f);
        self.heap = heap;
        done
    }
    pub(crate) fn elements(&self) -> Result<Elements> {
        let (mut scratch, view) = (Vec::new(), self.view()?);
        let flat = view.contiguous(&mut scratch)?;
        let each = match &self.heap {
            None => flat.chunks(self.element.max(1)).map(<[u8]>::to_vec).collect(),
            Some(heap) => {
                let strings = heap.strings();
                let (handles, _) = flat.as_chunks::<{ Handle::SIZE }>();
                handles.iter().map(|h| Ok(strings.get(Handle::from_bytes(h))?.to_vec())).collect::<Result<_>>()?
            }
        };
        Ok(Elements { shape: self.shape.clone(), each })
    }
    /// Returns whether nothing was written between the parts.
    pub(crate) fn gaps_are_untouched(&self) -> Result<bool> {
        if !self.gaps || self.heap.is_some() || self.shape.is_empty() {
            return Ok(true);
        }
        let mut copy = self.bytes.clone();
        let (around, order) = (self.around(), self.order());
        let all = ViewMut::new(&mut copy, &around, self.element)?.permute(&order)?;
        all.region(&Region::whole(&self.shape))?.fill(&vec![UNTOUCHED; self.element])?;
        Ok(copy.iter().all(|b| *b == UNTOUCHED))
    }
}

impl Elements {
    /// Returns the elements of a region.
    pub(crate) fn part(&self, region: &Region) -> Self {
        let each = crate::elements::part_of(&self.each, &self.shape, region).into_iter().cloned().collect();
        Self { shape: region.len.to_vec(), each }
    }
    /// Returns the elements with those of a region replaced.
    pub(crate) fn with(&self, region: &Region, new: &Self) -> Self {
        let mut all = self.clone();
        let mut rest = new.each.iter();
        for (i, e) in all.each.iter_mut().enumerate() {
            if crate::elements::is_inside(i, &self.shape, region)
                && let Some(n) = rest.next()
            {
                e.clone_from(n);
            }
        }
        all
    }
}

/// Returns regions of a shape with at least one element, unless the shape has none.
pub(crate) fn region(shape: &[u64]) -> BoxedStrategy<Region> {
    let axes: Vec<_> =
        shape.iter().map(|&n| (0..n.max(1)).prop_flat_map(move |s| (Just(s), 1..=(n - s).max(1)))).collect();
    axes.prop_map(|axes| Region {
        start: axes.iter().map(|(s, _)| *s).collect(),
        len: axes.iter().map(|(_, n)| *n).collect(),
    })
    .boxed()
}

/// Returns arbitrary bytes, some of them highly repetitive.
pub(crate) fn bytes(multiple: usize) -> BoxedStrategy<Vec<u8>> {
    let whole = move |mut v: Vec<u8>| {
        v.truncate(v.len() / multiple * multiple);
        v
    };
    let any_bytes = prop_oneof![2 => vec(any::<u8>(), 0..80), 1 => vec(0u8..3, 0..600)];
    let runs = (any::<u8>(), 0usize..2000).prop_map(|(b, n)| vec![b; n]);
    prop_oneof![6 => any_bytes, 1 => runs].prop_map(whole).boxed()
}

/// Returns the error for a value of the wrong kind, which only a bug in this suite can cause.
pub(crate) fn wrong_value() -> Error {
    Error::argument("a codec received a value of another kind")
}
