//! Compares with texts that NumPy 2 prints for the same elements.

use super::*;
use half::f16;
use ozarr::{Hierarchy, NewArray};

fn text(data_type: &str, shape: &[u64], bytes: &[u8]) -> String {
    let array = Hierarchy::in_memory().create_array("/a", NewArray::new(shape, data_type)).unwrap();
    array.write_bytes(.., bytes).unwrap();
    summary(&Plane::new(&array, &(..).into()).unwrap()).unwrap()
}

fn doubles(shape: &[u64], values: &[f64]) -> String {
    text("float64", shape, &values.iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<u8>>())
}

#[test]
fn integers_and_booleans_are_right_aligned() {
    let numbers: Vec<u8> = (-5i16..7).flat_map(i16::to_ne_bytes).collect();
    assert_eq!(text("int16", &[3, 4], &numbers), "[[-5 -4 -3 -2]\n [-1  0  1  2]\n [ 3  4  5  6]]");
    let ends: Vec<u8> = [0, u64::MAX].into_iter().flat_map(u64::to_ne_bytes).collect();
    assert_eq!(text("uint64", &[2], &ends), "[                   0 18446744073709551615]");
    assert_eq!(text("bool", &[2, 2], &[1, 0, 0, 0]), "[[ True False]\n [False False]]");
}

#[test]
fn decimal_points_are_aligned() {
    let single: Vec<u8> = [0.1f32, 1.5, -2.0, f32::NAN].into_iter().flat_map(f32::to_ne_bytes).collect();
    assert_eq!(text("float32", &[4], &single), "[ 0.1  1.5 -2.   nan]");
    let half: Vec<u8> = [0.1, 6.5, 1.5].into_iter().flat_map(|v| f16::from_f64(v).to_ne_bytes()).collect();
    assert_eq!(text("float16", &[3], &half), "[0.1 6.5 1.5]");
    let values = [1.0 / 3.0, 2.0, f64::INFINITY, f64::NEG_INFINITY];
    assert_eq!(doubles(&[4], &values), "[0.33333333 2.                inf       -inf]");
    assert_eq!(doubles(&[2], &[f64::NAN, f64::NAN]), "[nan nan]");
}

#[test]
fn numbers_of_very_different_magnitudes_have_exponents() {
    let values = [1e10, 1.25e-5, 0.0, -3.0];
    assert_eq!(doubles(&[2, 2], &values), "[[ 1.00e+10  1.25e-05]\n [ 0.00e+00 -3.00e+00]]");
    assert_eq!(doubles(&[3], &[1e300, f64::NAN, 1.0]), "[1.e+300     nan 1.e+000]");
    let half: Vec<u8> = [0.1, 65504.0, 1.5].into_iter().flat_map(|v| f16::from_f64(v).to_ne_bytes()).collect();
    assert_eq!(text("float16", &[3], &half), "[1.00e-01 6.55e+04 1.50e+00]");
}

#[test]
fn complex_numbers_have_two_parts() {
    let values = [1.0f32, 2.0, -0.5, -1.0, f32::NAN, 0.0];
    let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_ne_bytes).collect();
    assert_eq!(text("complex64", &[3], &bytes), "[ 1. +2.j -0.5-1.j  nan+0.j]");
}

#[test]
fn long_lines_are_wrapped() {
    let bytes: Vec<u8> = (0..60).collect();
    let wanted = "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
 48 49 50 51 52 53 54 55 56 57 58 59]";
    assert_eq!(text("uint8", &[60], &bytes), wanted);
    let values: Vec<f32> = (0..40).map(|i| (f64::from(i) * 2.0 / 39.0 - 1.0) as f32).collect();
    let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_ne_bytes).collect();
    let wanted = "[[-1.         -0.94871795 -0.8974359  -0.84615386 -0.7948718  -0.74358976
  -0.6923077  -0.64102566 -0.5897436  -0.53846157 -0.4871795  -0.43589744
  -0.3846154  -0.33333334 -0.2820513  -0.23076923 -0.17948718 -0.12820514
  -0.07692308 -0.02564103]
 [ 0.02564103  0.07692308  0.12820514  0.17948718  0.23076923  0.2820513
   0.33333334  0.3846154   0.43589744  0.4871795   0.53846157  0.5897436
   0.64102566  0.6923077   0.74358976  0.7948718   0.84615386  0.8974359
   0.94871795  1.        ]]";
    assert_eq!(text("float32", &[2, 20], &bytes), wanted);
}

#[test]
fn large_arrays_print_only_their_ends() {
    let values: Vec<f64> = (0..2000).map(f64::from).collect();
    let wanted = "[[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]
 [5.000e+01 5.100e+01 5.200e+01 ... 9.700e+01 9.800e+01 9.900e+01]
 [1.000e+02 1.010e+02 1.020e+02 ... 1.470e+02 1.480e+02 1.490e+02]
 ...
 [1.850e+03 1.851e+03 1.852e+03 ... 1.897e+03 1.898e+03 1.899e+03]
 [1.900e+03 1.901e+03 1.902e+03 ... 1.947e+03 1.948e+03 1.949e+03]
 [1.950e+03 1.951e+03 1.952e+03 ... 1.997e+03 1.998e+03 1.999e+03]]";
    assert_eq!(doubles(&[40, 50], &values), wanted);
    let numbers: Vec<u8> = (0..1200i32).flat_map(i32::to_ne_bytes).collect();
    let wanted = "[[   0    1    2 ...  597  598  599]\n [ 600  601  602 ... 1197 1198 1199]]";
    assert_eq!(text("int32", &[2, 600], &numbers), wanted);
}

#[test]
fn an_empty_array_prints_as_empty_brackets() {
    assert_eq!(doubles(&[0], &[]), "[]");
    assert_eq!(doubles(&[], &[2.5]), "2.5");
}
