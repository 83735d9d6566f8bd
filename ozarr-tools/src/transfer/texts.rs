//! The JSON texts of elements in a file, one at a time, so that memory does not grow with their number.

use super::json::ListSizes;
use ozarr::{
    Array, Error, ErrorKind, Json, Result,
    zarr_core::{
        layout::Layout,
        limits::{Limits, product},
    },
};
use std::{io, str};

/// The texts of elements in C order.
pub(super) enum Texts<'t> {
    /// One text per line.
    Lines(str::Lines<'t>, u64),
    /// Nested lists.
    Lists(Lists<'t>),
}

impl<'t> Texts<'t> {
    pub(super) fn lines(file: &'t [u8]) -> Result<Self> {
        let text = str::from_utf8(file);
        let text = text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not valid UTF-8"))?;
        Ok(Self::Lines(text.lines(), 0))
    }
    pub(super) fn lists(file: &'t [u8], shape: &[u64]) -> Result<Self> {
        Lists::new(file, shape).map(Self::Lists)
    }
    /// Returns the next element in the form that an array accepts.
    pub(super) fn next(&mut self, decoder: &Decoder<'_>) -> Result<Option<Vec<u8>>> {
        match self {
            Texts::Lines(lines, at) => {
                let Some(line) = lines.next() else { return Ok(None) };
                *at += 1;
                decoder.element(line.as_bytes()).map(Some).map_err(|e| e.within(format_args!("line {at}")))
            }
            Texts::Lists(lists) => {
                let Some(text) = lists.next()? else { return Ok(None) };
                decoder.element(text).map(Some).map_err(|e| {
                    // Line and column would be those within the element.
                    let ErrorKind::Json { reason, .. } = e.kind() else { return e.within(lists.index()) };
                    Error::argument(format!("invalid JSON: {reason}")).within(lists.index())
                })
            }
        }
    }
}

/// Parses the text of an element.
pub(super) struct Decoder<'a> {
    array: &'a Array,
    limits: Limits,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(array: &'a Array) -> Self {
        // An element is data: its length has the limit of a chunk, not that of a document.
        let limits = array.hierarchy().context().limits.clone();
        let most = limits.chunk_bytes;
        Self { array, limits: limits.with_metadata_bytes(most) }
    }
    fn element(&self, text: &[u8]) -> Result<Vec<u8>> {
        self.limits.chunk("the length of an element in bytes", text.len() as u64)?;
        let r = self.array.representation();
        let element = r.data_type().fill_from_json(&Json::parse(text, &self.limits)?)?;
        if let Layout::Variable { text: true } = r.layout() {
            str::from_utf8(&element).map_err(|_| Error::argument("the element is not valid UTF-8"))?;
        } else if !r.layout().is_variable() {
            r.data_type().check_elements(&element)?;
        }
        Ok(element)
    }
}

/// Reads nested lists of a known shape, with one element at a time in memory.
pub(super) struct Lists<'t> {
    text: &'t [u8],
    at: usize,
    shape: Vec<u64>,
    /// The sizes of lists of elements, or of empty lists if a dimension has length 0.
    sizes: ListSizes,
    of_empty: bool,
    read: u64,
    total: u64,
}

impl<'t> Lists<'t> {
    fn new(text: &'t [u8], shape: &[u64]) -> Result<Self> {
        let empty = shape.iter().position(|n| *n == 0);
        let outer = &shape[..empty.unwrap_or(shape.len())];
        let (sizes, total) = (ListSizes::new(outer), product(outer, 1)?);
        Ok(Self { text, at: 0, shape: shape.to_vec(), sizes, of_empty: empty.is_some(), read: 0, total })
    }
    /// Returns the text of the next element.
    fn next(&mut self) -> Result<Option<&'t [u8]>> {
        while self.read < self.total {
            if self.read > 0 {
                self.expect(b',')?;
            }
            (0..self.sizes.edges(self.read)).try_for_each(|_| self.expect(b'['))?;
            let element = match self.of_empty {
                true => self.expect(b'[').and_then(|()| self.expect(b']')).map(|()| None)?,
                false => Some(self.element()?),
            };
            self.read += 1;
            (0..self.sizes.edges(self.read)).try_for_each(|_| self.expect(b']'))?;
            if element.is_some() {
                return Ok(element);
            }
        }
        self.space();
        if self.at < self.text.len() { Err(self.wrong("the end of the file")) } else { Ok(None) }
    }
    /// Returns the index of the element that was read last.
    fn index(&self) -> String {
        let (mut left, mut index) = (self.read.saturating_sub(1), Vec::new());
        for length in self.shape.iter().rev() {
            index.push(format!("[{}]", left % length.max(&1)));
            left /= length.max(&1);
        }
        index.into_iter().rev().collect()
    }
    fn space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn expect(&mut self, byte: u8) -> Result<()> {
        self.space();
        if self.text.get(self.at) != Some(&byte) {
            return Err(self.wrong(&format!("`{}`", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }
    /// Returns the text of a value up to its end, without checking that it is JSON.
    fn element(&mut self) -> Result<&'t [u8]> {
        self.space();
        let (start, mut depth, mut in_string) = (self.at, 0u64, false);
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\\' if in_string => self.at += 1,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'[' | b'{' => depth += 1,
                b',' | b' ' | b'\t' | b'\n' | b'\r' | b']' | b'}' if depth == 0 => break,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.text.len());
        if in_string || depth > 0 {
            return Err(self.wrong("the end of an element"));
        }
        if self.at == start { Err(self.wrong("an element")) } else { Ok(&self.text[start..self.at]) }
    }
    #[cold]
    fn wrong(&self, expected: &str) -> Error {
        let before = &self.text[..self.at];
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|b| **b != b'\n').count();
        let shape = &self.shape;
        let place = format!("expected {expected} at line {line}, column {column}");
        Error::argument(format!("the nested lists do not match the region of shape {shape:?}: {place}"))
    }
}
