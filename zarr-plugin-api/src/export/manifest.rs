//! The manifest that a plugin contains, built at compile time.

/// The facts from which the manifest of a plugin is built.
pub struct Info {
    /// The id of the plugin: one or more words with dots between.
    pub id: &'static str,
    /// The version of the crate.
    pub version: &'static str,
    /// The license of the crate.
    pub license: &'static str,
    /// The extensions that the plugin offers.
    pub offered: &'static [ProvidedExtension],
}

/// An extension in the manifest of a plugin.
pub struct ProvidedExtension {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    pub(crate) strided: bool,
    pub(crate) lossy: bool,
}

/// A manifest that can be found in a library without running code: magic number, length, text.
#[repr(C)]
pub struct Embedded<const N: usize> {
    magic: [u8; 8],
    len: [u8; 8],
    /// The manifest in JSON.
    pub text: [u8; N],
}

impl<const N: usize> Embedded<N> {
    /// Builds the manifest. `N` must be [`Info::len`].
    pub const fn new(info: &Info) -> Self {
        let writer = info.written(Writer { text: [0; N], len: 0 });
        Self { magic: *b"ZARRPLG1", len: (N as u64).to_le_bytes(), text: writer.text }
    }
}

/// Writes text, and counts bytes that do not fit: without any room, it measures the length.
struct Writer<const N: usize> {
    text: [u8; N],
    len: usize,
}

impl<const N: usize> Writer<N> {
    const fn raw(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            if self.len < N {
                self.text[self.len] = bytes[i];
            }
            self.len += 1;
            i += 1;
        }
        self
    }
    const fn string(self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            assert!(
                bytes[i] >= b' ' && bytes[i] != b'"' && bytes[i] != b'\\',
                "a name in a manifest must not need escapes"
            );
            i += 1;
        }
        self.raw("\"").raw(text).raw("\"")
    }
}

impl Info {
    /// Returns the length of the manifest in bytes.
    #[allow(clippy::len_without_is_empty, reason = "a manifest is never empty")]
    pub const fn len(&self) -> usize {
        self.written(Writer { text: [], len: 0 }).len
    }
    const fn written<const N: usize>(&self, mut w: Writer<N>) -> Writer<N> {
        w = w.raw("{\"manifest\":1,\"id\":").string(self.id).raw(",\"version\":").string(self.version);
        w = w.raw(",\"license\":").string(self.license).raw(",\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":[");
        let mut i = 0;
        while i < self.offered.len() {
            let offered = &self.offered[i];
            check_name(offered.name);
            w = w.raw(if i == 0 { "{\"kind\":" } else { ",{\"kind\":" }).string(offered.kind);
            w = w.raw(",\"name\":").string(offered.name).raw(",\"aliases\":[");
            let mut k = 0;
            while k < offered.aliases.len() {
                w = w.raw(if k == 0 { "" } else { "," }).string(offered.aliases[k]);
                k += 1;
            }
            w = w.raw("],\"caps\":[").raw(match (offered.strided, offered.lossy) {
                (true, true) => "\"strided\",\"lossy\"",
                (true, false) => "\"strided\"",
                (false, true) => "\"lossy\"",
                (false, false) => "",
            });
            w = w.raw("],\"needs\":[]}");
            i += 1;
        }
        w.raw("]}")
    }
}

const fn check_name(name: &str) {
    let bytes = name.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        assert!(bytes[i] != b'<', "a plugin cannot provide a family of names");
        i += 1;
    }
}
