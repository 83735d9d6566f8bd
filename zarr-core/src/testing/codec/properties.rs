//! The properties that codecs must have.

use super::{super::regions, Codec, CodecKind};
use crate::{
    error::Result,
    layout::{Layout, ScalarKind},
    representation::Size,
    view::{View, ViewMut},
};

/// The sizes of samples for codecs that encode bytes, as multiples of the codec's unit.
const SIZES: [usize; 12] = [0, 1, 3, 7, 12, 13, 127, 128, 1000, 1001, 4096, 70_001];
/// In samples of at most this many bytes, every byte is damaged,
const DAMAGED: usize = 200;
/// and in encoded samples of at most this many bytes, in every possible way.
const DAMAGED_IN_EVERY_WAY: usize = 32;

/// The required effect of damage.
#[derive(Clone, Copy, PartialEq)]
enum Damage {
    Survived,
    CutsRefused,
    Refused,
}

impl Codec {
    /// Checks that bytes, or all elements of the array, are encoded to no more than the promised size, always the same
    /// way, and that decoding restores them: from and to memory with and without gaps, whole and in parts, with and
    /// without a known size.
    #[track_caller]
    pub fn assert_round_trip(&self, decoded: &[u8]) -> &Self {
        self.check_round_trip(decoded).unwrap_or_else(|e| panic!("{self}: {e}"));
        self
    }
    /// Like [`assert_round_trip`](Self::assert_round_trip), for several contents and, for codecs that encode bytes,
    /// many sizes.
    #[track_caller]
    pub fn assert_round_trips(&self) -> &Self {
        for sample in self.samples() {
            self.assert_round_trip(&sample);
        }
        self
    }
    /// Checks a codec that cannot detect damage: if encoded bytes are truncated anywhere, or any byte is changed,
    /// decoding returns, with other bytes or an error.
    #[track_caller]
    pub fn assert_survives_damage(&self) -> &Self {
        self.assert_damage(Damage::Survived)
    }
    /// Checks a codec without a checksum: as [`assert_survives_damage`](Self::assert_survives_damage), and decoding
    /// fails if encoded bytes are truncated anywhere.
    #[track_caller]
    pub fn assert_rejects_cuts(&self) -> &Self {
        self.assert_damage(Damage::CutsRefused)
    }
    /// Checks a codec with a checksum: as [`assert_rejects_cuts`](Self::assert_rejects_cuts), and if a byte is changed,
    /// decoding fails or returns the original bytes.
    #[track_caller]
    pub fn assert_rejects_damage(&self) -> &Self {
        self.assert_damage(Damage::Refused)
    }

    fn check_round_trip(&self, data: &[u8]) -> Result<()> {
        let CodecKind::BytesToBytes(codec) = &self.kind else { return self.check_array(data) };
        let n = data.len() as u64;
        let (exact, unknown) = (self.for_size(Size::Exact(n))?, self.for_size(Size::Unknown)?);
        let encoded = exact.encode(data)?;
        assert!(exact.encode(data)? == encoded, "{self}: encoding the same data twice has two results");
        let (size, len) = (codec.encoded_size(Size::Exact(n)), encoded.len());
        assert!(size.allows(len as u64), "{self}: {n} bytes are encoded to {len} bytes, expected {size:?}");
        assert!(exact.decode_exact(&encoded, data.len())? == data, "{self}: {n} bytes are not restored");
        assert!(unknown.decode(&encoded)? == data, "{self}: {n} bytes are not restored if their size is unknown");
        if n > 0 {
            let short = exact.decode_exact(&encoded, data.len() - 1);
            assert!(short.is_err(), "{self}: {n} bytes are decoded into {}", n - 1);
        }
        Ok(())
    }
    fn check_array(&self, data: &[u8]) -> Result<()> {
        let encoded = self.encode(data)?;
        assert!(self.encode(data)? == encoded, "{self}: encoding the same data twice has two results");
        if let CodecKind::ArrayToBytes(codec) = &self.kind {
            let (size, len) = (codec.encoded_size(), encoded.len());
            assert!(size.allows(len as u64), "{self}: the array is encoded to {len} bytes, expected {size:?}");
        }
        assert!(self.decode(&encoded)? == data, "{self}: elements are not restored");
        // The same, with a gap of one element after each element.
        let (shape, size) = (self.array.shape(), self.array.element_size());
        let strides: Vec<isize> = self.view(data)?.strides().map(|s| s * 2).collect();
        let mut memory = vec![0xAA; data.len() * 2];
        self.decode_view(&encoded, ViewMut::strided(&mut memory, 0, shape, &strides, size)?)?;
        let gaps = memory.chunks(size.max(1)).skip(1).step_by(2);
        assert!(gaps.flatten().all(|b| *b == 0xAA), "{self}: decoding writes between elements");
        let apart = View::strided(&memory, 0, shape, &strides, size)?;
        assert!(apart.contiguous(&mut Vec::new())? == data, "{self}: elements are not restored to memory with gaps");
        assert!(self.encode_view(&apart)? == encoded, "{self}: elements with gaps are encoded differently");
        for region in regions(shape) {
            let part = self.decode_region(&encoded, &region)?;
            assert!(part == self.part(data, &region)?, "{self}: {region:?} is not restored");
        }
        Ok(())
    }
    fn samples(&self) -> Vec<Vec<u8>> {
        let bits = match self.array.layout() {
            Layout::Fixed { kind: ScalarKind::Bool, .. } => 1,
            _ => 0xff,
        };
        let (sizes, bits) = match self.kind {
            CodecKind::BytesToBytes(_) => (SIZES.map(|n| n * self.multiple).to_vec(), 0xff),
            _ => (vec![self.array.bytes().expect("elements of fixed size") as usize], bits),
        };
        let sample = |n, step| (0..n).map(|i| (i * step / 3 * i) as u8 & bits).collect();
        sizes.iter().flat_map(|n| [0, 1, 7].map(|step| sample(*n, step))).collect()
    }
    #[track_caller]
    fn assert_damage(&self, expected: Damage) -> &Self {
        let (array, most) = (!matches!(self.kind, CodecKind::BytesToBytes(_)), DAMAGED.max(self.multiple));
        let mut damaged = 0;
        for sample in self.samples().iter().filter(|sample| array || sample.len() <= most) {
            damaged += self.check_damage(sample, expected).unwrap_or_else(|e| panic!("{self}: {e}"));
        }
        assert!(damaged > 0, "{self}: encodes all samples to no bytes, so that none could be damaged");
        self
    }
    /// Returns the number of bytes that were damaged.
    fn check_damage(&self, data: &[u8], expected: Damage) -> Result<usize> {
        let n = data.len();
        let bytes = matches!(self.kind, CodecKind::BytesToBytes(_));
        let (exact, unknown) = (self.for_size(Size::Exact(n as u64))?, self.for_size(Size::Unknown)?);
        let encoded = exact.encode(data)?;
        let decode = |bad: &[u8]| {
            if bytes {
                [exact.decode_exact(bad, n), unknown.decode_within(bad, n as u64 * 2)].into()
            } else {
                vec![self.decode(bad)]
            }
        };
        for at in 0..encoded.len() {
            for cut in decode(&encoded[..at]) {
                // A few encoded bytes may be a valid encoding of no bytes: a reader that expects more detects it.
                let refused = cut.is_err() || (n > 0 || at == 0) && cut.is_ok_and(|decoded| decoded.is_empty());
                assert!(refused || expected == Damage::Survived, "{self}: accepts {at} of {} bytes", encoded.len());
            }
            let in_every_way = encoded.len() <= DAMAGED_IN_EVERY_WAY;
            for bits in (1..=255u8).filter(|bits| in_every_way || bits.is_power_of_two() || *bits == 255) {
                let mut bad = encoded.clone();
                bad[at] ^= bits;
                for got in decode(&bad) {
                    let right = got.is_err() || got.is_ok_and(|decoded| decoded == data);
                    assert!(right || expected != Damage::Refused, "{self}: byte {at} ^ {bits:#x} is not detected");
                }
            }
        }
        Ok(encoded.len())
    }
}
