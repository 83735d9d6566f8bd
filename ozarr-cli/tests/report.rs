//! The page that shows a store, through the real command.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr, weather};
use ozarr::{
    Hierarchy, NewArray,
    zarr_core::json::{Json, Object},
};
use std::fs;

/// Elements without an end tag.
const VOID: [&str; 3] = ["meta", "img", "br"];

/// That a page is whole: each element that begins ends in its place, and nothing is loaded. Returns the names of elements.
fn check(page: &str) -> Vec<String> {
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"), "{page}");
    // The base64 text of a picture is not an address.
    let addresses: String =
        page.split("base64,").map(|part| part.split_once("\">").map_or(part, |(_, behind)| behind)).collect();
    assert!(!addresses.contains("http") && !page.contains("url(") && !page.contains("@import"), "{page}");
    let (mut open, mut names, mut rest) = (Vec::new(), Vec::new(), page.strip_prefix("<!DOCTYPE html>").unwrap());
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, behind) = tag.split_once('>').unwrap();
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "<{tag}>");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "</{name}>");
        } else {
            let name = tag.split([' ', '/']).next().unwrap();
            assert!(!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric()), "<{tag}>");
            names.push(name.to_owned());
            if !VOID.contains(&name) && !tag.ends_with('/') {
                open.push(name.to_owned());
            }
        }
        rest = behind;
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

/// The page of a store, and its facts.
fn report(store: &str, options: &[&str], status: i32) -> (String, Json) {
    let dir = Dir::new();
    let page = dir.path("page.html");
    let mut args = vec!["report", store, "-o", &page, "--json"];
    args.extend(options);
    let out = ozarr(&args);
    assert_eq!(out.status.code(), Some(status), "{}", String::from_utf8_lossy(&out.stderr));
    let facts = String::from_utf8(out.stdout).unwrap().parse().unwrap();
    (fs::read_to_string(page).unwrap(), facts)
}

fn array<'f>(facts: &'f Json, path: &str) -> &'f Json {
    let arrays = facts["arrays"].as_array().unwrap();
    arrays.iter().find(|a| a["path"].as_str() == Some(path)).unwrap()
}

fn chunks(facts: &Json, path: &str) -> [Option<u64>; 4] {
    ["total", "stored", "missing", "damaged"].map(|name| array(facts, path)["chunks"][name].as_u64())
}

#[test]
fn a_store_of_zarr_python_has_a_page() {
    let (page, facts) = report(&weather(), &["--data"], 0);
    let names = check(&page);
    assert_eq!(names.iter().filter(|n| *n == "section").count(), 9);
    assert!(names.iter().filter(|n| *n == "img").count() >= 7, "numeric arrays have pictures");
    for text in [
        "observations",
        "<a href=\"#a",
        "long_name",
        "sharding_indexed",
        "0 problems",
        "23 chunks decoded",
        "built in (zarr-codecs)",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!names.contains(&"script".to_owned()));
    assert_eq!(chunks(&facts, "/observations/temperature"), [Some(8), Some(8), Some(0), Some(0)]);
    let sample = &array(&facts, "/observations/temperature")["sample"];
    assert!(sample["finite"].as_u64().unwrap() > 100_000 && sample["lowest"].as_f64() < sample["highest"].as_f64());
    assert!(matches!(array(&facts, "/stations/name")["sample"], Json::Null));
}

#[test]
fn stored_missing_and_damaged_chunks_are_counted() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let new = NewArray::new([10, 10], "int16").chunks([2, 5]).codecs(["bytes", "gzip"]);
    let a = zarr.create_array("/g/a", new).unwrap();
    a.write([0..6, 0..10], &[7i16; 60]).unwrap();
    let (page, facts) = report(&dir.path("s"), &["--data"], 0);
    check(&page);
    assert_eq!(chunks(&facts, "/g/a"), [Some(10), Some(6), Some(4), Some(0)]);
    assert!(page.contains("6 stored, 4 not stored, 0 damaged.") && !page.contains("class=\"damaged\""), "{page}");

    fs::write(dir.path("s/g/a/c/1/0"), b"damaged").unwrap();
    fs::write(dir.path("s/g/a/c/2/1"), b"").unwrap();
    let (page, facts) = report(&dir.path("s"), &["--data"], 1);
    check(&page);
    assert_eq!(chunks(&facts, "/g/a"), [Some(10), Some(6), Some(4), Some(2)]);
    assert!(page.contains("6 stored, 4 not stored, 2 damaged."), "{page}");
    assert!(page.contains("<path class=\"damaged\" d=\"M0 1h.9v.9h-.9zM1 2h.9v.9h-.9z\"/>"), "{page}");
    assert!(page.contains("2 problems") && page.contains("g/a/c/1/0"), "{page}");
    assert_eq!(array(&facts, "/g/a")["sample"]["chunks_that_cannot_be_read"].as_u64(), Some(2));

    let (page, facts) = report(&dir.path("s"), &[], 0);
    check(&page);
    assert_eq!(chunks(&facts, "/g/a"), [Some(10), Some(6), Some(4), None], "chunks were not decoded");
    let (_, one) = report(&dir.path("s/g/a"), &["--data"], 1);
    assert_eq!(chunks(&one, "/g/a"), [Some(10), Some(6), Some(4), Some(2)], "of an array alone");
}

#[test]
fn names_and_attributes_cannot_become_markup() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let mut attributes = Object::new();
    attributes.set("</pre><script>alert(1)</script>", "\" onload='x' \u{202e}&");
    let new = NewArray::new([2, 2], "uint8").dimension_names(["<b>", "\"><i>"]).attributes(attributes);
    zarr.create_array("/<script>alert(2)<script>/<img src=x onerror=alert(3)>", new).unwrap();
    let document = r#"{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"<u>","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":"default","fill_value":0,"codecs":["bytes"]}"#;
    fs::create_dir(dir.path("s/odd")).unwrap();
    fs::write(dir.path("s/odd/zarr.json"), document).unwrap();
    let (page, facts) = report(&dir.path("s"), &[], 1);
    let names = check(&page);
    let known = "html head meta title style body h1 h2 h3 h4 p ul li div span a section dl dt dd figure figcaption svg path img br pre code";
    assert!(names.iter().all(|n| known.split(' ').any(|k| k == n)), "{names:?}");
    assert!(
        page.contains("&lt;script&gt;alert(2)&lt;script&gt;") && page.contains("&lt;img src=x onerror=alert(3)&gt;"),
        "{page}"
    );
    assert!(
        page.contains("&lt;/pre&gt;&lt;script&gt;") && page.contains("&lt;b&gt;") && page.contains("&lt;u&gt;"),
        "{page}"
    );
    assert!(!page.contains('\u{202e}') && !page.contains("onerror=alert(3)>"), "{page}");
    assert_eq!(facts["arrays"].as_array().unwrap().len(), 1);
}

#[test]
fn a_huge_array_has_a_page_of_bounded_size() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let new = NewArray::new([1 << 20, 1 << 20, 1 << 20], "float32").chunks([16, 64, 64]);
    let array = zarr.create_array("/huge", new).unwrap();
    array.write([0..1, 0..1, 0..1], &[1.0f32]).unwrap();
    let (page, facts) = report(&dir.path("s"), &["--data"], 0);
    check(&page);
    assert!(page.len() < 200_000, "{}", page.len());
    assert_eq!(chunks(&facts, "/huge")[1..], [Some(1), Some((1 << 44) - 1), Some(0)]);
    assert!(page.contains("A cell stands for up to"), "{page}");
    for i in 0..210 {
        zarr.create_array(&format!("/many/a{i:03}"), NewArray::new([3], "uint8")).unwrap();
    }
    let (page, facts) = report(&dir.path("s"), &[], 0);
    check(&page);
    assert!(page.contains("11 arrays more left out") && page.contains("At most 200 arrays"), "{page}");
    assert_eq!(facts["arrays"].as_array().unwrap().len(), 200);
}

#[test]
fn the_page_goes_to_standard_output_if_no_file_is_named() {
    let dir = Dir::new();
    let page = ok(&["report", &weather()]);
    check(&page);
    let facts = ok(&["report", "--json", &weather()]).parse::<Json>().unwrap();
    assert_eq!(facts["nodes"].as_u64(), Some(12));
    assert!(fails(&["report", &dir.path("none")], 3).starts_with("error: "));
}
