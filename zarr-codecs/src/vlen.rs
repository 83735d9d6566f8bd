//! The codecs `vlen-utf8` and `vlen-bytes`: array -> bytes codecs for elements of variable length, as in the registry
//! of Zarr extensions.
//!
//! The format is the number of elements, followed by the length and the bytes of each element. All numbers are 32-bit
//! little endian.
//!
//! ```
//! # use zarr_core::{codec::Chain, limits::Limits, registry::{CreateContext, Intent, Notes, Registry}};
//! # use zarr_core::{extension::Extension, json::Json, representation::Representation};
//! # use zarr_codecs as _;
//! # let (registry, limits, notes) = (Registry::builtin(), Limits::default(), Notes::default());
//! # let data_type = registry.data_type(&"string".into(), &limits)?.object;
//! # let array = Representation::new(data_type, &[4, 6], &[]);
//! # let cx = CreateContext::new(&registry, &limits, &notes, Intent::Open).with(&array);
//! let json = br#"{"name": "vlen-utf8"}"#;
//! let codec = Extension::from(Json::parse(json, &limits)?);
//! Chain::new(&[codec], &cx)?;
//! # Ok::<(), zarr_core::Error>(())
//! ```

use serde::{Deserialize, Serialize};
use zarr_core::{
    Error, Result,
    call::{CallContext, OutputBuffer},
    codec::ArrayToBytes,
    extension::Extension,
    json::Object,
    layout::Layout,
    registry::{CreateContext, ExtensionType, NoConfiguration},
    representation::{Representation, Size},
    view::{Dims, Handle, View, ViewMut},
};

#[derive(Debug)]
struct Vlen {
    text: bool,
    shape: Dims,
    count: u32,
    handle_bytes: usize,
}

impl Vlen {
    fn new(decoded: &Representation, cx: &CreateContext<'_>, text: bool) -> Result<Self> {
        if *decoded.layout() != (Layout::Variable { text }) {
            let wanted = if text { "variable-length strings" } else { "variable-length bytes" };
            return Err(Error::chain(format!("expected {wanted}, found data type `{:?}`", decoded.data_type())));
        }
        let count = u32::try_from(decoded.elements()?);
        let count = count.map_err(|_| Error::chain("a chunk has more than 2^32 elements"))?;
        Ok(Self { text, shape: decoded.shape().into(), count, handle_bytes: decoded.bytes_within(cx.limits)? })
    }
}

impl ArrayToBytes for Vlen {
    fn encoded_size(&self) -> Size {
        Size::Unknown
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
        let (strings, mut scratch) = (decoded.require_heap()?.strings(), Vec::new());
        out.extend(&self.count.to_le_bytes())?;
        for handle in decoded.contiguous(&mut scratch)?.as_chunks::<{ Handle::SIZE }>().0 {
            let bytes = strings.get(Handle::from_bytes(handle))?;
            let len =
                u32::try_from(bytes.len()).map_err(|_| Error::argument("an element is longer than 2^32 bytes"))?;
            out.extend(&len.to_le_bytes())?;
            out.extend(bytes)?;
        }
        Ok(())
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], mut out: ViewMut<'_>) -> Result<()> {
        let heap = out.require_heap()?;
        let (mut handles, mut at) = (call.scratch(self.handle_bytes)?, 4);
        let count = number(encoded, 0)?;
        if count != self.count {
            return Err(Error::data(format!("expected {} elements, found {count}", self.count)));
        }
        for handle in handles.as_chunks_mut::<{ Handle::SIZE }>().0 {
            let (len, start) = (number(encoded, at)?, at + 4);
            let bytes = encoded.get(start..).and_then(|rest| rest.get(..len as usize));
            let bytes = bytes.ok_or_else(|| Error::data("an element extends beyond the end of the chunk"))?;
            if self.text && std::str::from_utf8(bytes).is_err() {
                return Err(Error::data("an element is not valid UTF-8"));
            }
            *handle = Handle { buffer: 0, len, offset: start as u64 }.to_bytes();
            at = start + bytes.len();
        }
        if at != encoded.len() {
            return Err(Error::data(format!("{} unexpected bytes after the last element", encoded.len() - at)));
        }
        // One copy of the chunk, which all its elements share.
        let buffer = heap.push(encoded)?;
        for handle in handles.as_chunks_mut::<{ Handle::SIZE }>().0 {
            *handle = Handle { buffer, ..Handle::from_bytes(handle) }.to_bytes();
        }
        out.copy_from(&View::new(&handles, &self.shape, Handle::SIZE)?.with_heap(Some(heap)), 1)
    }
}

fn number(bytes: &[u8], at: usize) -> Result<u32> {
    let four = bytes.get(at..).and_then(<[u8]>::first_chunk::<4>);
    four.map(|b| u32::from_le_bytes(*b)).ok_or_else(|| Error::data("the chunk is truncated"))
}

macro_rules! vlen { ($(#[$doc:meta])* $configuration:ident $codec:ident $name:literal $text:literal) => {
    $(#[$doc])*
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(from = "NoConfiguration", into = "NoConfiguration")]
    pub struct $configuration;

    impl From<NoConfiguration> for $configuration {
        fn from(_: NoConfiguration) -> Self {
            Self
        }
    }
    impl From<$configuration> for NoConfiguration {
        fn from(_: $configuration) -> Self {
            Self {}
        }
    }
    impl From<$configuration> for Extension {
        fn from(_: $configuration) -> Self {
            Self::new($name, Object::new())
        }
    }

    #[derive(Debug)]
    struct $codec(Vlen);
    impl ExtensionType for $codec {
        const NAME: &'static str = $name;
        type Configuration = $configuration;
        fn create(_: $configuration, cx: &CreateContext<'_>) -> Result<Self> {
            Vlen::new(cx.representation()?, cx, $text).map(Self)
        }
        fn configuration(&self) -> $configuration {
            $configuration
        }
    }
    impl ArrayToBytes for $codec {
        fn encoded_size(&self) -> Size {
            self.0.encoded_size()
        }
        fn encode(&self, call: &CallContext<'_>, decoded: &View<'_>, out: &mut OutputBuffer<'_>) -> Result<()> {
            self.0.encode(call, decoded, out)
        }
        fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: ViewMut<'_>) -> Result<()> {
            self.0.decode(call, encoded, out)
        }
    }
    zarr_core::register!(ArrayToBytes: $codec);
} }
#[cfg(feature = "vlen-utf8")]
vlen! {
    /// The codec `vlen-utf8`, which writes text of variable length, of the data type `string`. It has no configuration.
    ///
    /// ```
    /// # use zarr_core::{extension::Extension, json::Json};
    /// use zarr_codecs::VlenUtf8;
    /// let json = br#"{"name": "vlen-utf8"}"#;
    /// # let json = Json::parse(json, &Default::default())?;
    /// assert_eq!(Extension::from(VlenUtf8), Extension::parse(&json)?);
    /// # Ok::<(), zarr_core::Error>(())
    /// ```
    VlenUtf8 VlenUtf8Codec "vlen-utf8" true
}
#[cfg(feature = "vlen-bytes")]
vlen! {
    /// The codec `vlen-bytes`, which writes byte strings of variable length, of the data type `bytes`. It has no
    /// configuration.
    ///
    /// ```
    /// # use zarr_core::{extension::Extension, json::Json};
    /// use zarr_codecs::VlenBytes;
    /// let json = br#"{"name": "vlen-bytes"}"#;
    /// # let json = Json::parse(json, &Default::default())?;
    /// assert_eq!(Extension::from(VlenBytes), Extension::parse(&json)?);
    /// # Ok::<(), zarr_core::Error>(())
    /// ```
    VlenBytes VlenBytesCodec "vlen-bytes" false
}

#[cfg(all(test, feature = "vlen-utf8", feature = "vlen-bytes"))]
mod tests {
    use zarr_core::{
        testing::Bench,
        view::{Handle, Heap, View, ViewMut},
    };

    /// ["a", "é", "", "zz"]
    const GOLDEN: &[u8] = b"\x04\0\0\0\x01\0\0\0a\x02\0\0\0\xc3\xa9\0\0\0\0\x02\0\0\0zz";

    fn decode(name: &str, data_type: &str, bytes: &[u8]) -> zarr_core::Result<Vec<Vec<u8>>> {
        let codec = Bench::new().codec(name, data_type, &[2, 2])?;
        let (heap, mut handles) = (Heap::new(b""), vec![0; 64]);
        let out = ViewMut::new(&mut handles, &[2, 2], Handle::SIZE)?.with_heap(Some(&heap));
        codec.decode_view(bytes, out)?;
        let strings = heap.strings();
        handles.as_chunks().0.iter().map(|h| Ok(strings.get(Handle::from_bytes(h))?.to_vec())).collect()
    }

    #[test]
    fn golden_bytes() {
        for (name, data_type) in [("\"vlen-utf8\"", "string"), ("\"vlen-bytes\"", "bytes")] {
            let want: [&[u8]; 4] = [b"a", "é".as_bytes(), b"", b"zz"];
            assert_eq!(decode(name, data_type, GOLDEN).unwrap(), want);
            let codec = Bench::new().codec(name, data_type, &[2, 2]).unwrap();
            let heap = Heap::new(b"");
            let buffer = heap.push(b"azz\xc3\xa9".to_vec()).unwrap();
            let at = |offset, len| Handle { buffer, len, offset }.to_bytes();
            let handles = [at(0, 1), at(3, 2), at(0, 0), at(1, 2)].concat();
            let view = View::new(&handles, &[2, 2], Handle::SIZE).unwrap().with_heap(Some(&heap));
            assert_eq!(codec.encode_view(&view).unwrap(), GOLDEN);
        }
    }

    #[test]
    fn damage() {
        for n in 0..GOLDEN.len() {
            assert!(decode("\"vlen-utf8\"", "string", &GOLDEN[..n]).is_err(), "{n}");
            for bit in [1, 0x80] {
                let mut bad = GOLDEN.to_vec();
                bad[n] ^= bit;
                let _no_panic = decode("\"vlen-bytes\"", "bytes", &bad);
            }
        }
        assert!(decode("\"vlen-bytes\"", "bytes", &[GOLDEN, b"x"].concat()).is_err());
        let not_text = [&GOLDEN[..8], b"\xff", &GOLDEN[9..]].concat();
        assert!(decode("\"vlen-utf8\"", "string", &not_text).is_err());
        assert!(decode("\"vlen-bytes\"", "bytes", &not_text).is_ok());
    }

    #[test]
    fn other_data_types_are_refused() {
        for (name, data_type) in [("\"vlen-utf8\"", "bytes"), ("\"vlen-bytes\"", "string"), ("\"vlen-utf8\"", "uint8")]
        {
            assert!(Bench::new().codec(name, data_type, &[2]).is_err(), "{name} {data_type}");
        }
    }
}
