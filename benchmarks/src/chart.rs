//! A bar chart of one workload as SVG.

use crate::{report::Row, worker::Subject};
use std::fmt::Write;

const COLORS: [&str; 6] = ["#b0b0b0", "#d1495b", "#00798c", "#edae49", "#66a182", "#2e4057"];
const LEFT: f64 = 170.0;
const WIDTH: f64 = 560.0;
const BAR: f64 = 13.0;

/// Draws the times of the rows relative to ours: a bar twice as long took twice as long.
pub fn chart(title: &str, rows: &[&Row], subjects: &[Subject]) -> String {
    let group = subjects.len() as f64 * BAR + 14.0;
    let height = 60.0 + group * rows.len() as f64 + 24.0;
    // Longer bars end at the edge and are labelled with their length.
    let most = 6.0;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{height}" font-family="sans-serif" font-size="11">"#,
        LEFT + WIDTH + 90.0
    );
    let _in_memory = write!(
        svg,
        r##"<rect width="100%" height="100%" fill="#fff"/><text x="10" y="20" font-size="14">{title}</text>"##
    );
    for (i, s) in subjects.iter().enumerate() {
        let x = 10.0 + i as f64 * 125.0;
        let color = COLORS[Subject::ALL.iter().position(|a| a == s).unwrap_or(0)];
        let _in_memory = write!(
            svg,
            r#"<rect x="{x}" y="30" width="10" height="10" fill="{color}"/><text x="{}" y="39">{}</text>"#,
            x + 14.0,
            s.name()
        );
    }
    for (r, row) in rows.iter().enumerate() {
        let top = 56.0 + group * r as f64;
        let _in_memory = write!(svg, r#"<text x="10" y="{}">{}</text>"#, top + group / 2.0, row.layout);
        let Some(ours) = row.of(Subject::Ours) else { continue };
        for (i, s) in subjects.iter().enumerate() {
            let Some(cell) = row.of(*s) else { continue };
            let (times, y) = (cell.median / ours.median, top + i as f64 * BAR);
            let width = times.min(most) / most * WIDTH;
            let color = COLORS[Subject::ALL.iter().position(|a| a == s).unwrap_or(0)];
            let text = format!("{times:.2} x ({:.0} ms)", cell.median * 1e3);
            let _in_memory = write!(
                svg,
                r#"<rect x="{LEFT}" y="{y}" width="{width:.1}" height="{}" fill="{color}"/><text x="{:.1}" y="{}" font-size="10">{text}</text>"#,
                BAR - 2.0,
                LEFT + width + 4.0,
                y + BAR - 4.0
            );
        }
    }
    let _in_memory = write!(
        svg,
        r##"<text x="{LEFT}" y="{}" fill="#555">times of ours: shorter is faster</text></svg>"##,
        height - 8.0
    );
    svg
}
