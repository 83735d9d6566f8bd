//! Formats numbers as NumPy does.

use super::{
    numbers::Numbers,
    plane::{Part, Plane},
};
use ozarr::{Result, zarr_core::layout::ScalarKind};

/// If there are more elements, only the first and the last of each axis are printed.
const ALL: u64 = 1000;
/// The number of elements at each end.
const EDGE: u64 = 3;
/// The length of the longest line.
const LINE: usize = 75;
/// The most digits after the decimal point.
const DIGITS: usize = 8;

/// Formats a plane as `numpy.array2string` does.
///
/// # Errors
/// If a chunk cannot be read.
pub(crate) fn summary(plane: &Plane) -> Result<String> {
    let shape = plane.shape();
    if shape.contains(&0) {
        return Ok("[]".to_owned());
    }
    let is_cut = shape[0].saturating_mul(shape[1]) > ALL;
    let cut = shape.map(|n| is_cut && n > 2 * EDGE);
    let shown = [0, 1].map(|i| if cut[i] { vec![0..EDGE, shape[i] - EDGE..shape[i]] } else { vec![0..shape[i]] });
    let size = plane.numbers.size();
    let mut elements = Vec::new();
    for rows in &shown[0] {
        let mut blocks = Vec::new();
        for columns in &shown[1] {
            let bytes = plane.read(&Part { rows: rows.clone(), columns: columns.clone() }, [1, 1])?;
            blocks.push((bytes, size * (columns.end - columns.start) as usize));
        }
        for row in 0..(rows.end - rows.start) as usize {
            blocks.iter().for_each(|(bytes, width)| elements.extend_from_slice(&bytes[row * width..(row + 1) * width]));
        }
    }
    let words = words(&plane.numbers, &elements, plane.dimensions() == 0);
    let width = shown[1].iter().map(|r| (r.end - r.start) as usize).sum::<usize>().max(1);
    let lines: Vec<&[String]> = words.chunks(width).collect();
    Ok(match (plane.dimensions(), &lines[..]) {
        (0, _) => words.concat().trim().to_owned(),
        (1, [line]) => format!("[{}]", row(line, cut[1], 1)),
        _ => {
            let mut rows: Vec<String> = lines.iter().map(|line| format!("[{}]", row(line, cut[1], 2))).collect();
            if cut[0] {
                rows.insert(EDGE as usize, "...".to_owned());
            }
            format!("[{}]", rows.join("\n "))
        }
    })
}

/// Joins words with spaces, in lines of limited length; lines after the first are indented.
fn row(words: &[String], is_cut: bool, depth: usize) -> String {
    let indent = " ".repeat(depth);
    // The closing brackets take space too.
    let most = LINE - depth;
    let (mut out, mut line) = (String::new(), indent.clone());
    let dots = "...".to_owned();
    let (head, tail) = words.split_at(if is_cut { EDGE as usize } else { 0 });
    let all = head.iter().chain(is_cut.then_some(&dots)).chain(tail);
    for (i, word) in all.enumerate() {
        if i > 0 {
            line.push(' ');
        }
        if line.len() + word.len() > most && line.len() > indent.len() {
            out += line.trim_end();
            out.push('\n');
            line.clone_from(&indent);
        }
        line += word;
    }
    out += &line;
    out.split_off(indent.len())
}

/// Formats elements as words of equal length.
fn words(numbers: &Numbers, elements: &[u8], is_scalar: bool) -> Vec<String> {
    let each = elements.chunks_exact(numbers.size());
    match numbers.kind {
        ScalarKind::Bool => each
            .map(|e| {
                if e == [0] {
                    "False"
                } else if is_scalar {
                    "True"
                } else {
                    " True"
                }
                .to_owned()
            })
            .collect(),
        ScalarKind::Float => {
            let component = |i: usize| -> Vec<f64> {
                let scalar =
                    |e: &[u8]| shortest(numbers.scalar(&e[i * numbers.width..][..numbers.width]), numbers.width);
                elements.chunks_exact(numbers.size()).map(scalar).collect()
            };
            let real = floats(&component(0), false);
            if !numbers.is_complex {
                return real;
            }
            let joined = real.into_iter().zip(floats(&component(1), true)).map(|(real, imaginary)| {
                let digits = imaginary.trim_end().len();
                format!("{real}{}j{}", &imaginary[..digits], &imaginary[digits..])
            });
            joined.collect()
        }
        _ => {
            let texts: Vec<String> = each.map(|e| numbers.integer(e).to_string()).collect();
            let width = texts.iter().map(String::len).max().unwrap_or(0);
            texts.iter().map(|text| format!("{text:>width$}")).collect()
        }
    }
}

/// Returns the `f64` whose shortest decimal is that of a number with this many bytes.
fn shortest(value: f64, width: usize) -> f64 {
    let text = match width {
        _ if !value.is_finite() => return value,
        2 => {
            let same = |text: &String| text.parse::<f64>().is_ok_and(|v| half::f16::from_f64(v).to_f64() == value);
            (0..6).map(|digits| format!("{value:.digits$e}")).find(same)
        }
        4 => Some((value as f32).to_string()),
        _ => None,
    };
    text.and_then(|text| text.parse::<f64>().ok()).unwrap_or(value)
}

/// Formats floating-point numbers with aligned decimal points, or with exponents if their magnitudes differ much.
fn floats(values: &[f64], has_plus: bool) -> Vec<String> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let sizes = || finite().map(f64::abs).filter(|v| *v != 0.0);
    let (low, high) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
    let has_exponent = high > 0.0 && (high >= 1e8 || low < 1e-4 || high / low > 1000.0);
    let parts: Vec<Parts> = finite().map(|v| Parts::new(v, has_exponent, has_plus)).collect();
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let mut left = longest(&mut parts.iter().map(|p| p.whole.len()));
    let right = longest(&mut parts.iter().map(|p| p.fraction.len()));
    let exponent = longest(&mut parts.iter().map(|p| p.exponent.len())).max(2);
    let behind = if has_exponent { right + exponent + 2 } else { right };
    if finite().count() < values.len() {
        let infinity = 3 + usize::from(has_plus || values.contains(&f64::NEG_INFINITY));
        left = left.max(3usize.saturating_sub(behind + 1)).max(infinity.saturating_sub(behind + 1));
    }
    let mut parts = parts.iter();
    let text = |v: &f64| {
        if !v.is_finite() {
            let sign = if has_plus && (v.is_nan() || *v > 0.0) {
                "+"
            } else if *v < 0.0 {
                "-"
            } else {
                ""
            };
            let word = format!("{sign}{}", if v.is_nan() { "nan" } else { "inf" });
            return format!("{word:>width$}", width = left + behind + 1);
        }
        let Some(p) = parts.next() else { return String::new() };
        let (whole, fraction) = (format!("{:>left$}", p.whole), &p.fraction);
        if has_exponent {
            format!("{whole}.{fraction:0<right$}e{}{:0>exponent$}", p.exponent_sign, p.exponent)
        } else {
            format!("{whole}.{fraction:<right$}")
        }
    };
    values.iter().map(text).collect()
}

/// The parts of a decimal number.
struct Parts {
    /// The integer part, with its sign.
    whole: String,
    fraction: String,
    exponent_sign: char,
    exponent: String,
}

impl Parts {
    fn new(value: f64, has_exponent: bool, has_plus: bool) -> Self {
        let sign = if value.is_sign_negative() {
            "-"
        } else if has_plus {
            "+"
        } else {
            ""
        };
        let size = value.abs();
        let mut text = if has_exponent { format!("{size:e}") } else { size.to_string() };
        let (mantissa, _) = text.split_once('e').unwrap_or((&text, ""));
        if mantissa.split_once('.').is_some_and(|(_, fraction)| fraction.len() > DIGITS) {
            text = if has_exponent { format!("{size:.DIGITS$e}") } else { format!("{size:.DIGITS$}") };
        }
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Self {
            whole: format!("{sign}{whole}"),
            fraction: fraction.trim_end_matches('0').to_owned(),
            exponent_sign: if exponent.starts_with('-') { '-' } else { '+' },
            exponent: exponent.trim_start_matches('-').to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
