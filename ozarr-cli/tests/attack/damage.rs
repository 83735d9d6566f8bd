//! Random damage of stored bytes: it is detected or harmless, and a repair changes only what it repairs.

use super::{Random, common::Dir, ok, ozarr, rounds};
use ozarr::{Hierarchy, NewArray};

#[test]
fn a_damaged_index_is_repaired_or_left_alone() {
    let (mut random, dir) = (Random::of("index"), Dir::new());
    let s = dir.path("s");
    let new = NewArray::new([64], "uint16").chunks([4]).shards([64]);
    let array = Hierarchy::create(&s).unwrap().create_array("/a", &new).unwrap();
    array.write([4..64], &(1..=60).collect::<Vec<u16>>()).unwrap();
    let chunk = dir.path("s/a/c/0");
    let right = std::fs::read(&chunk).unwrap();
    let index = 16 * 16 + 4;
    let (mut repaired, mut left) = (0, 0);
    for _ in rounds(40) {
        let mut damaged = right.clone();
        let start = damaged.len() - index;
        match random.below(4) {
            0 => damaged[start + random.below(index as u64) as usize] ^= 1 << random.below(8),
            1 => damaged[start + random.below(index as u64) as usize] = random.below(256) as u8,
            2 => {
                let entry = start + 16 * random.below(16) as usize;
                damaged[entry..entry + 16].iter_mut().for_each(|b| *b = random.below(256) as u8);
            }
            _ => (0..3).for_each(|_| damaged[start + random.below(index as u64) as usize] = random.below(256) as u8),
        }
        std::fs::write(&chunk, &damaged).unwrap();
        ok(&["repair", "--data", "--apply", &s]);
        let now = std::fs::read(&chunk).unwrap();
        if now == right {
            repaired += 1;
        } else {
            assert!(now == damaged, "other bytes than those that were stored before and after the damage");
            let validated = ozarr(&["validate", "--data", &s]);
            assert_eq!(validated.code, Some(1), "damage that is not noticed");
            left += 1;
        }
    }
    assert!(repaired > 0 && left > 0, "{repaired} repaired, {left} left alone: this damage shows nothing");
}

/// A damaged byte of a chunk with a checksum: reading is an error, and no copy contains it.
#[test]
fn a_damaged_chunk_is_never_copied() {
    let (mut random, dir) = (Random::of("chunk"), Dir::new());
    let s = dir.path("s");
    let codecs = r#"[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":1,"checksum":true}},{"name":"crc32c"}]"#;
    let codecs = codecs.parse::<ozarr::Json>().unwrap().as_array().unwrap().to_vec();
    let array =
        Hierarchy::create(&s).unwrap().create_array("/a", NewArray::new([400], "uint16").codecs(codecs)).unwrap();
    array.write(.., &(1..=400).collect::<Vec<u16>>()).unwrap();
    let chunk = dir.path("s/a/c/0");
    let right = std::fs::read(&chunk).unwrap();
    for round in rounds(20) {
        let mut damaged = right.clone();
        match round % 2 {
            0 => damaged[random.below(right.len() as u64) as usize] ^= 1 << random.below(8),
            _ => damaged.truncate(random.below(right.len() as u64) as usize),
        }
        std::fs::write(&chunk, &damaged).unwrap();
        super::refused(&["read", &dir.path("s/a")]);
        super::refused(&["validate", "--data", &s]);
        super::refused(&["copy", &s, &dir.path(&format!("to.{round}"))]);
        let copy = ozarr(&["read", &dir.path(&format!("to.{round}/a"))]);
        assert_ne!(copy.code, Some(0), "a copy with other elements: {}", String::from_utf8_lossy(&copy.out));
    }
}
