//! Reads and changes one document.

use zarr_core::{
    ErrorKind, Result,
    limits::Limits,
    metadata::NodeMetadata,
    source::{ByteRange, Source},
    store::Update,
};

/// Reads a document. Reads nothing if it is too large.
pub(super) fn read_document(source: &dyn Source, limits: &Limits) -> Result<NodeMetadata> {
    let limit = limits.metadata_bytes;
    if let Some(asked) = source.size()?.filter(|size| *size > limit) {
        return Err(ErrorKind::Limit { what: "the size of the metadata document in bytes", asked, limit }.into());
    }
    let mut parsed = None;
    source.read(&[ByteRange::All], &mut |_, text| {
        parsed = Some(NodeMetadata::parse(text, limits)?);
        Ok(())
    })?;
    parsed.ok_or_else(|| ErrorKind::Contract("a store returned no bytes").into())
}

type Change<'d> = &'d mut dyn FnMut(&mut NodeMetadata) -> Result<()>;

/// A change of the stored document.
pub(super) struct DocumentUpdate<'d> {
    limits: &'d Limits,
    change: Change<'d>,
    node: Option<NodeMetadata>,
    text: String,
}

impl<'d> DocumentUpdate<'d> {
    pub(super) fn new(limits: &'d Limits, change: Change<'d>) -> Self {
        Self { limits, change, node: None, text: String::new() }
    }
    /// Returns the node after the change.
    pub(super) fn changed(self) -> Option<NodeMetadata> {
        self.node
    }
}

impl Update for DocumentUpdate<'_> {
    fn apply(&mut self, old: Option<&dyn Source>) -> Result<Option<&[u8]>> {
        let Some(old) = old else { return Err(ErrorKind::NodeNotFound.into()) };
        let node = self.node.insert(read_document(old, self.limits)?);
        (self.change)(node)?;
        self.text = node.document().to_pretty();
        Ok(Some(self.text.as_bytes()))
    }
}
