//! Tests of the properties of every compressor and shuffle, of rejected input, and of chosen values.

use zarr_core::{registry::Intent, representation::Size, testing::Bench};

fn json(cname: &str, clevel: &str, shuffle: &str, typesize: &str) -> String {
    format!(
        r#"{{"name":"blosc","configuration":{{"cname":"{cname}","clevel":{clevel},"shuffle":"{shuffle}","typesize":{typesize},"blocksize":0}}}}"#
    )
}

#[test]
fn properties() {
    let snappy = if cfg!(feature = "snappy") { Some("snappy") } else { None };
    for cname in ["lz4", "lz4hc", "blosclz", "zstd", "zlib"].into_iter().chain(snappy) {
        for (shuffle, typesize) in [("noshuffle", "1"), ("shuffle", "4"), ("bitshuffle", "2"), ("shuffle", "300")] {
            Bench::new()
                .bytes_codec(&json(cname, "5", shuffle, typesize), Size::Unknown)
                .unwrap()
                .assert_round_trips()
                .assert_rejects_cuts();
        }
    }
    Bench::new()
        .bytes_codec(&json("lz4", "0", "shuffle", "4"), Size::Unknown)
        .unwrap()
        .assert_round_trips()
        .assert_rejects_cuts();
}

#[test]
fn bytes_of_another_writer_are_decoded() {
    let golden = [0x02, 0x01, 0x93, 0x02, 8, 0, 0, 0, 8, 0, 0, 0, 0x18, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0];
    let codec = Bench::new().bytes_codec(&json("zstd", "5", "shuffle", "2"), Size::Exact(8)).unwrap();
    assert_eq!(codec.decode_exact(&golden, 8).unwrap(), golden[16..]);
    for size in [7, 9] {
        let codec = Bench::new().bytes_codec(&json("zstd", "5", "shuffle", "2"), Size::Exact(size)).unwrap();
        assert!(codec.decode_exact(&golden, size as usize).is_err());
    }
}

#[test]
fn a_container_with_any_bit_flipped_does_not_crash() {
    let codec = Bench::new().bytes_codec(&json("lz4", "5", "shuffle", "4"), Size::Exact(4096)).unwrap();
    let data: Vec<u8> = (0..1024u32).flat_map(|i| (i * i / 7).to_le_bytes()).collect();
    let good = codec.encode(&data).unwrap();
    assert!(good.len() < 3000);
    for byte in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[byte] ^= 1 << bit;
            let _no_crash = codec.decode_exact(&bad, 4096);
        }
        assert!(codec.decode_exact(&good[..byte], 4096).is_err());
    }
    assert!(codec.decode_exact(&[&good[..], b"x"].concat(), 4096).is_err());
}

#[test]
fn configurations() {
    for bad in [
        json("lz5", "5", "shuffle", "4"),
        json("lz4", "10", "shuffle", "4"),
        json("lz4", "-1", "shuffle", "4"),
        json("lz4", "5", "auto", "4"),
        json("lz4", "5", "shuffle", "0"),
        json("lz4", "5", "shuffle", "null"),
        json("lz4", "5", "shuffle", "4").replace(",\"typesize\":4", ""),
        json("lz4", "5", "shuffle", "4").replace(",\"blocksize\":0", ""),
        json("lz4", "5", "shuffle", "4").replace("\"clevel\":5,", ""),
        json("lz4", "5", "shuffle", "4").replace("\"cname\":\"lz4\",", ""),
        json("lz4", "5", "shuffle", "4").replace("\"shuffle\":\"shuffle\",", ""),
        json("lz4", "5", "shuffle", "4,\"x\":1"),
    ] {
        assert!(Bench::new().bytes_codec(&bad, Size::Unknown).is_err(), "{bad}");
    }
    let bare = json("lz4", "5", "noshuffle", "0");
    assert!(Bench::new().bytes_codec(&bare, Size::Unknown).is_ok());
    assert!(Bench::new().bytes_codec(&bare.replace(",\"typesize\":0", ""), Size::Unknown).is_ok());
    if !cfg!(feature = "snappy") {
        let e = Bench::new().bytes_codec(&json("snappy", "5", "shuffle", "4"), Size::Unknown).unwrap_err();
        assert!(e.hint().is_some_and(|h| h.contains("`snappy`")), "{e}");
    }
}

#[test]
fn omitted_members_are_chosen_and_written() {
    let written = Bench::new().with_intent(Intent::Create).bytes_codec("\"blosc\"", Size::Unknown).unwrap().written;
    assert_eq!(
        written.to_json().to_string(),
        r#"{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}}"#
    );
    let some = r#"{"name":"blosc","configuration":{"cname":"zstd","typesize":1}}"#;
    let written = Bench::new().with_intent(Intent::Create).bytes_codec(some, Size::Unknown).unwrap().written;
    assert_eq!(
        written.to_json().to_string(),
        r#"{"name":"blosc","configuration":{"cname":"zstd","typesize":1,"clevel":5,"shuffle":"bitshuffle","blocksize":0}}"#
    );
}
