//! Registers a codec of the application and uses it by name.
//!
//! `cargo run -p ozarr-examples --bin custom_codec`

use ozarr::{
    Context, Hierarchy, NewArray, Result,
    extension::{
        BytesToBytes, CallContext, CreateContext, ExtensionType, NoConfiguration, OutputBuffer, Registration, Registry,
        Size,
    },
    store::MemoryStore,
};

/// Inverts every bit.
#[derive(Debug)]
struct Invert;

impl ExtensionType for Invert {
    const NAME: &'static str = "acme.invert";
    type Configuration = NoConfiguration;
    fn create(_: NoConfiguration, _: &CreateContext<'_>) -> Result<Self> {
        Ok(Self)
    }
    fn configuration(&self) -> NoConfiguration {
        NoConfiguration {}
    }
}

impl BytesToBytes for Invert {
    fn encoded_size(&self, decoded: Size) -> Size {
        decoded
    }
    fn encode(&self, _: &CallContext<'_>, decoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        for (to, from) in out.space(decoded.len())?.iter_mut().zip(decoded) {
            *to = !from;
        }
        Ok(())
    }
    fn decode(&self, call: &CallContext<'_>, encoded: &[u8], out: &mut OutputBuffer<'_>) -> Result<()> {
        self.encode(call, encoded, out)
    }
}

fn main() -> Result<()> {
    let mut registry = Registry::builtin();
    registry.add(Registration::bytes_to_bytes::<Invert>())?;
    let hierarchy = Hierarchy::new(MemoryStore::default(), Context::with_registry(registry));

    let array = hierarchy.create_array("/a", NewArray::of::<u8>([4]).compressor("acme.invert"))?;
    array.write(.., &[1u8, 2, 3, 4])?;
    assert_eq!(array.read::<u8>(..)?, [1, 2, 3, 4]);
    assert_eq!(array.chunk(&[0])?.encoded()?, Some(vec![0xfe, 0xfd, 0xfc, 0xfb]));
    println!("{array}");
    Ok(())
}
