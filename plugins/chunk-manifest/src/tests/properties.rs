use super::*;
use proptest::{prelude::*, sample::Index};
use std::fmt::Write;

const SIZE: usize = 10_000;

fn bytes() -> Vec<u8> {
    (0..SIZE as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// Returns a range within `size` bytes.
fn cut(a: Index, b: Index, size: usize) -> std::ops::Range<usize> {
    let (a, b) = (a.index(size + 1), b.index(size + 1));
    a.min(b)..a.max(b)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every way to read through a manifest returns slices of the file.
    #[test]
    fn reading_is_slicing(
        parts in prop::collection::vec((any::<Index>(), any::<Index>()), 1..6),
        inner in prop::collection::vec((any::<Index>(), any::<Index>(), 0u8..4), 0..8),
    ) {
        let (bytes, mut manifest) = (bytes(), String::new());
        let parts: Vec<_> = parts.into_iter().map(|(a, b)| cut(a, b, SIZE)).collect();
        for (i, part) in parts.iter().enumerate() {
            let separator = if i == 0 { "{" } else { "," };
            write!(manifest, r#"{separator}"c/{i}":{{"path":"raw","offset":{},"length":{}}}"#, part.start, part.len()).unwrap();
        }
        let folder = Folder::new(&[("raw", &bytes), ("m", format!("{manifest}}}").as_bytes())]);
        let store = folder.store(r#"{"manifest":"m"}"#).unwrap();
        let reader = store.reader().unwrap();
        prop_assert_eq!(store.lister().unwrap().list().unwrap().len(), parts.len());
        for (i, part) in parts.into_iter().enumerate() {
            let (key, value) = (key(&format!("c/{i}")), &bytes[part]);
            let got = reader.get(&key).unwrap();
            prop_assert_eq!(got.as_deref(), Some(value));
            let source = reader.open(&key).unwrap().unwrap();
            prop_assert_eq!(source.size().unwrap(), Some(value.len() as u64));
            let ranges: Vec<ByteRange> = inner.iter().map(|(a, b, kind)| {
                let cut = cut(*a, *b, value.len());
                let (start, len) = (cut.start as u64, cut.len() as u64);
                [ByteRange::Slice { start, len }, ByteRange::From(start), ByteRange::Suffix(len), ByteRange::All]
                    [usize::from(*kind)]
            }).collect();
            let wanted: Vec<Option<Vec<u8>>> = ranges.iter().map(|r| Some(r.of(value).unwrap().to_vec())).collect();
            let mut got = vec![None; ranges.len()];
            source.read(&ranges, &mut |i, b| {
                assert!(got[i].replace(b.to_vec()).is_none());
                Ok(())
            }).unwrap();
            prop_assert_eq!(&got, &wanted);
            let keyed: Vec<_> = ranges.iter().map(|r| (key.clone(), *r)).collect();
            prop_assert_eq!(&reader.get_partial_values(&keyed).unwrap(), &wanted);
            for (range, wanted) in ranges.iter().zip(wanted) {
                let wanted = wanted.unwrap();
                let mut out = vec![0xAA; wanted.len()];
                source.read_into(*range, &mut out).unwrap();
                prop_assert_eq!(out, wanted);
            }
        }
    }

    /// Listing through a manifest returns the same as one store with all keys.
    #[test]
    fn lists_are_merged(
        above in prop::collection::btree_set("[ab](/[ab.]{2,3}){0,3}", 0..12),
        below in prop::collection::btree_set("[ab](/[ab.]{2,3}){0,3}", 0..12),
    ) {
        let good = |keys: BTreeSet<String>| keys.into_iter().filter(|k| Key::new(k.clone()).is_ok()).collect::<BTreeSet<_>>();
        let (above, below) = (good(above), good(below));
        let folder = Folder::new(&[("raw", b"")]);
        let entries: Vec<_> = above.iter().map(|k| format!(r#""{k}":{{"path":"raw","offset":0,"length":0}}"#)).collect();
        let made = folder.make(&format!(r#"{{"entries":{{{}}}}}"#, entries.join(","))).unwrap();
        let values = |keys: &BTreeSet<String>| Below::with(&keys.iter().map(|k| (&k[..], &b"x"[..])).collect::<Vec<_>>());
        let (merged, one) = (made.object.wrap(values(&below)).unwrap(), values(&(&above | &below)));
        let (merged, one) = (merged.lister().unwrap(), one.lister().unwrap());
        prop_assert_eq!(merged.list().unwrap(), one.list().unwrap());
        for p in ["", "a/", "b/", "a/ab/", "a/a./", "a/aa/bb/"].map(prefix) {
            prop_assert_eq!(merged.list_dir(&p).unwrap(), one.list_dir(&p).unwrap());
            prop_assert_eq!(merged.list_prefix(&p).unwrap(), one.list_prefix(&p).unwrap());
        }
    }

    /// Any manifest is read without a panic, with an error at worst.
    #[test]
    fn any_manifest_is_read_without_panic(damage in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut manifest = MANIFEST.as_bytes().to_vec();
        damage.into_iter().for_each(|(at, byte)| { let at = at.index(manifest.len()); manifest[at] = byte; });
        let folder = Folder::new(&[("raw.bin", b"abcdef"), ("deep/raw.bin", b""), ("m", &manifest)]);
        if let Ok(store) = folder.store(r#"{"manifest":"m"}"#) {
            for k in store.lister().unwrap().list().unwrap() {
                let _ = store.reader().unwrap().get(&k);
            }
        }
    }
}
