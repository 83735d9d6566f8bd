//! Pictures of arrays, through the real command: PNG files are decoded again and their pixels compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in a test that is how to fail")]

use crate::common::{Dir, fails, ok, ozarr, weather};
use ozarr::{Hierarchy, NewArray};
use std::{fs::File, io::BufReader};

const NAN: [u8; 3] = [255, 0, 255];
const VIRIDIS_FILL: [u8; 3] = [128, 128, 128];
const VIRIDIS_LOW: [u8; 3] = [68, 1, 84];

/// Width, height and pixels of a PNG file.
fn pixels(path: &str) -> (usize, usize, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let mut bytes = vec![0; width * height * 3];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((frame.color_type, frame.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (width, height, bytes.as_chunks::<3>().0.to_vec())
}

#[test]
fn a_small_array_is_drawn_in_squares() {
    let dir = Dir::new();
    let new = NewArray::new([2, 3], "float32").chunks([1, 2]).fill_value(-9.0f32);
    let array = Hierarchy::create(dir.path("s")).unwrap().create_array("/a", new).unwrap();
    array.write(.., &[0.0f32, 5.0, 10.0, f32::NAN, -9.0, 20.0]).unwrap();
    let png = dir.path("a.png");
    assert_eq!(ok(&["view", &dir.path("s/a"), "-o", &png, "--colormap", "gray", "--range", "0:10"]), "");
    let (width, height, colors) = pixels(&png);
    // 256 / 3 pixels of each element.
    let side = 85;
    assert_eq!((width, height), (3 * side, 2 * side));
    let wanted = [[0; 3], [128; 3], [255; 3], NAN, [0, 80, 200], [255; 3]];
    for (i, color) in colors.iter().enumerate() {
        let (row, column) = (i / width / side, i % width / side);
        assert_eq!(*color, wanted[3 * row + column], "{row} {column}");
    }
    ok(&["view", &dir.path("s/a"), "-o", &png, "--nan", "#010203", "--fill", "none", "--colormap", "gray"]);
    let (_, _, colors) = pixels(&png);
    assert_eq!(
        [colors[width * side], colors[width * side + side]],
        [[1, 2, 3], [0; 3]],
        "the fill value is the lowest number"
    );
}

#[test]
fn larger_arrays_are_drawn_as_means() {
    let dir = Dir::new();
    let new = NewArray::new([2048, 1024], "uint16").chunks([100, 1024]);
    let array = Hierarchy::create(dir.path("s")).unwrap().create_array("/a", new).unwrap();
    // In blocks of 2 x 2 elements: means that are 0.5 to 1023.5 by columns.
    let row: Vec<u16> = (1..=1024).collect();
    array.write(.., &row.repeat(2048)).unwrap();
    let png = dir.path("a.png");
    ok(&["view", &dir.path("s/a"), "-o", &png, "--colormap", "gray", "--range", "0:1025"]);
    let (width, height, colors) = pixels(&png);
    assert_eq!((width, height), (512, 1024));
    for (i, color) in colors.iter().enumerate() {
        let mean = 2.0 * (i % width) as f64 + 1.5;
        assert_eq!(color[0], (mean / 1025.0 * 255.0).round() as u8, "{i}");
    }
}

#[test]
fn every_numeric_type_is_drawn() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let types = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128";
    for data_type in types.split(' ') {
        let size = zarr.create_array(&format!("/{data_type}"), NewArray::new([2, 2], data_type)).unwrap();
        let (array, png) = (dir.path(&format!("s/{data_type}")), dir.path(&format!("{data_type}.png")));
        size.write_bytes([0..1, 0..1], &vec![1; size.representation().element_size()]).unwrap();
        ok(&["view", &array, "-o", &png]);
        let (width, _, colors) = pixels(&png);
        assert_eq!(width, 256);
        let (first, second) = (colors[0], colors[255]);
        assert!(first != second, "{data_type}");
        assert_eq!(second, VIRIDIS_LOW, "{data_type}: zero is the lowest number");
    }
    for data_type in ["string", "r8"] {
        zarr.create_array(&format!("/{data_type}"), NewArray::new([2, 2], data_type)).unwrap();
        let said = fails(&["view", &dir.path(&format!("s/{data_type}"))], 3);
        assert!(said.contains(&format!("cannot draw elements of data type `{data_type}`\n\nhint: ")), "{said}");
    }
}

#[test]
fn one_dimension_is_a_line() {
    let dir = Dir::new();
    let new = NewArray::new([4], "float64").fill_value(f64::NAN);
    let array = Hierarchy::create(dir.path("s")).unwrap().create_array("/a", new).unwrap();
    array.write(.., &[0.0, 1.0, f64::NAN, 1.0]).unwrap();
    let png = dir.path("a.png");
    ok(&["view", &dir.path("s/a"), "-o", &png]);
    let (width, height, colors) = pixels(&png);
    assert_eq!((width, height), (1024, 256));
    let (line, paper) = ([0x3b, 0x52, 0x8b], [255; 3]);
    let at = |x: usize, y: usize| colors[y * width + x];
    assert_eq!([at(0, 255), at(0, 254), at(255, 255)], [line, paper, line]);
    assert_eq!([at(300, 0), at(300, 1), at(256, 128)], [line, paper, line], "columns are connected");
    assert_eq!([at(512, 0), at(767, 255), at(768, 0), at(768, 1)], [NAN, NAN, line, paper]);
}

#[test]
fn numbers_are_printed_where_there_is_no_terminal() {
    let dir = Dir::new();
    let zarr = Hierarchy::create(dir.path("s")).unwrap();
    let a = zarr.create_array("/a", NewArray::new([2, 40, 30], "int32").chunks([1, 7, 7])).unwrap();
    a.write(.., &(0..2400).collect::<Vec<i32>>()).unwrap();
    let wanted = "[[1200 1201 1202 ... 1227 1228 1229]
 [1230 1231 1232 ... 1257 1258 1259]
 [1260 1261 1262 ... 1287 1288 1289]
 ...
 [2310 2311 2312 ... 2337 2338 2339]
 [2340 2341 2342 ... 2367 2368 2369]
 [2370 2371 2372 ... 2397 2398 2399]]\n";
    assert_eq!(ok(&["view", &dir.path("s/a"), "--region", "1"]), wanted);
    assert_eq!(ok(&["view", &dir.path("s/a"), "--region", "0,1:3,0:30:10"]), "[[30 40 50]\n [60 70 80]]\n");
    assert_eq!(ok(&["view", &dir.path("s/a"), "--region", "0,0,0"]), "0\n");
    assert_eq!(ok(&["view", &dir.path("s/a"), "--region", "0,0:0"]), "[]\n");
    let said = fails(&["view", &dir.path("s/a")], 3);
    assert!(
        said.contains("the selection of `/a` has 3 dimensions; a picture has at most 2\n\nhint: ")
            && said.contains("--region 0,:,:"),
        "{said}"
    );
    let temperature = format!("{}/observations/temperature", weather());
    assert!(ok(&["view", &temperature, "--region", "0"]).starts_with("[[-19."), "of zarr-python");
}

#[test]
fn a_sparse_array_of_any_size_is_sampled() {
    let dir = Dir::new();
    let new = NewArray::new([1 << 20, 1 << 20], "float32").chunks([1 << 12, 1 << 12]).fill_value(-1.0f32);
    let array = Hierarchy::create(dir.path("s")).unwrap().create_array("/a", new).unwrap();
    array.write([0..1, 0..1], &[3.0f32]).unwrap();
    let (path, png) = (dir.path("s/a"), dir.path("a.png"));
    let out = ozarr(&["view", &path, "-o", &png]);
    let said = String::from_utf8(out.stderr).unwrap();
    let wanted =
        "note: 1099511627776 elements are too many to read: one row of 1024 and one column of 1024 are shown\n";
    assert!(out.status.success() && said == wanted, "{said}");
    let (width, height, colors) = pixels(&png);
    assert_eq!((width, height), (1024, 1024));
    assert!(colors[0] != VIRIDIS_FILL && colors[1..].iter().all(|c| *c == VIRIDIS_FILL));
    assert!(ok(&["view", &path]).starts_with("[[ 3. -1. -1. ... -1. -1. -1.]\n"), "only what is printed is read");
}

#[test]
fn wrong_options_are_refused() {
    let (array, dir) = (format!("{}/time", weather()), Dir::new());
    for wrong in [["--range", "1"], ["--range", "2:1"], ["--nan", "nocolor"], ["--colormap", "x"], ["--fill", "#12"]] {
        fails(&["view", &array, wrong[0], wrong[1]], 2);
    }
    let png = dir.path("a.png");
    assert!(fails(&["view", &array, "--region", "0:0", "-o", &png], 3).contains("nothing to draw"));
    assert!(!std::path::Path::new(&png).exists());
    ok(&["view", &array, "--range", "-5:5", "-o", &png]);
}
