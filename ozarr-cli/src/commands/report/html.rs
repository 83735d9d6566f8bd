//! The page: self-contained HTML, with text from the store escaped.

use super::{
    array::{ATTRIBUTES, Facts},
    escape::html,
    histogram::{CHUNKS, ELEMENTS, Histogram},
    map::{Map, STATES},
    overview::{MOST_ARRAYS, MOST_PROBLEMS, MOST_ROWS, Overview, Row},
};
use crate::{
    commands::validate::line,
    output::{bytes, count},
    picture::terminal::short,
};
use ozarr_tools::Problem;
use std::io::{self, Write};

const STYLE: &str = include_str!("page.css");
/// The longer side of a small picture on the page in pixels.
const WANTED: usize = 192;

/// Writes everything before the arrays.
pub(super) fn begin(out: &mut dyn Write, overview: &Overview) -> io::Result<()> {
    let title = html(&overview.title);
    write!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")?;
    write!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n")?;
    write!(out, "<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n")?;
    let decoded = match overview.decoded {
        Some(chunks) => format!("{} decoded", count(chunks, "chunk")),
        None => "chunks were not decoded: <code>--data</code> finds damaged ones".to_owned(),
    };
    let stored = overview.stored_bytes.map_or("an unknown number of bytes".to_owned(), bytes);
    let problems = count(overview.problems.len() as u64, "problem");
    writeln!(out, "<p>{}, {stored} stored, {problems}; {decoded}.</p>", count(overview.nodes, "node"))?;
    list_problems(out, &overview.problems)?;
    needs(out, overview)?;
    tree(out, &overview.rows, overview.rows_left_out)?;
    writeln!(out, "<h2>Arrays</h2>")
}

fn list_problems(out: &mut dyn Write, problems: &[Problem]) -> io::Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Problems</h2>\n<ul class=\"bad\">")?;
    for problem in problems.iter().take(MOST_PROBLEMS) {
        writeln!(out, "<li>{}</li>", html(&ozarr::text::shown(&line(problem))))?;
    }
    writeln!(out, "</ul>")?;
    left_out(out, problems.len().saturating_sub(MOST_PROBLEMS), "problem")
}

fn needs(out: &mut dyn Write, overview: &Overview) -> io::Result<()> {
    if overview.needs.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Extensions</h2>\n<ul>")?;
    for need in &overview.needs {
        let class = if need.is_there() || !need.is_needed { "" } else { " class=\"bad\"" };
        writeln!(out, "<li{class}>{}</li>", html(&ozarr::text::shown(&need.text())))?;
    }
    writeln!(out, "</ul>")
}

fn tree(out: &mut dyn Write, rows: &[Row], rows_left_out: u64) -> io::Result<()> {
    writeln!(out, "<h2>Tree</h2>\n<div class=\"tree\">")?;
    for row in rows {
        let (name, text) = (html(&ozarr::text::name(&row.name)), html(&ozarr::text::shown(&row.text)));
        write!(out, "<div style=\"--depth:{}\">", row.depth)?;
        match row.array.filter(|number| *number < MOST_ARRAYS) {
            Some(number) => write!(out, "<a href=\"#a{number}\">{name}</a>")?,
            None => write!(out, "{name}")?,
        }
        let class = if row.is_broken { "bad" } else { "quiet" };
        writeln!(out, " <span class=\"{class}\">{text}</span></div>")?;
    }
    writeln!(out, "</div>")?;
    left_out(out, usize::try_from(rows_left_out).unwrap_or(usize::MAX), "node")
}

fn left_out(out: &mut dyn Write, number: usize, thing: &str) -> io::Result<()> {
    if number == 0 {
        Ok(())
    } else {
        writeln!(out, "<p class=\"quiet\">{} more left out.</p>", count(number as u64, thing))
    }
}

/// Writes one array, the `number`-th on the page.
pub(super) fn array(out: &mut dyn Write, number: usize, facts: &Facts) -> io::Result<()> {
    writeln!(
        out,
        "<section class=\"array\" id=\"a{number}\">\n<h3>{}</h3>\n<dl>",
        html(&ozarr::text::name(&facts.path))
    )?;
    let mut row = |name: &str, text: &str| writeln!(out, "<dt>{name}</dt><dd>{}</dd>", html(&ozarr::text::shown(text)));
    row("shape", &format!("{:?}", facts.shape))?;
    if let Some(names) = &facts.dimension_names {
        let names: Vec<_> = names.iter().map(|n| ozarr::text::name(n.as_deref().unwrap_or("-"))).collect();
        row("dimensions", &names.join(", "))?;
    }
    row("data type", &facts.data_type)?;
    match (&facts.chunk_shape, &facts.inner_chunk_shape) {
        (Some(shard), Some(inner)) => row("chunks", &format!("{inner:?} in shards {shard:?}"))?,
        (Some(chunk), None) => row("chunks", &format!("{chunk:?}"))?,
        (None, _) => row("chunk grid", &facts.chunk_grid)?,
    }
    for codec in &facts.codecs {
        row("codec", codec)?;
    }
    row("fill value", &facts.fill_value)?;
    let unknown = || "unknown".to_owned();
    let ratio = facts.ratio().map_or(String::new(), |ratio| format!(", ratio {ratio:.2}"));
    let [stored, decoded] = [facts.stored_bytes, facts.decoded_bytes].map(|n| n.map_or_else(unknown, bytes));
    row("stored", &format!("{stored} of {decoded}{ratio}"))?;
    writeln!(out, "</dl>")?;
    if !facts.errors.is_empty() {
        writeln!(out, "<ul class=\"bad\">")?;
        for error in &facts.errors {
            writeln!(out, "<li>{}</li>", html(&ozarr::text::shown(error)))?;
        }
        writeln!(out, "</ul>")?;
    }
    if let Some(map) = &facts.map {
        chunks(out, map, facts.is_checked)?;
    }
    if let Some(histogram) = &facts.histogram {
        numbers(out, facts, histogram)?;
    }
    if let Some((attributes, is_cut)) = &facts.attributes {
        let dots = if *is_cut { "\n…" } else { "" };
        writeln!(out, "<h4>Attributes</h4>\n<pre>{}{dots}</pre>", html(attributes))?;
    }
    writeln!(out, "</section>")
}

fn chunks(out: &mut dyn Write, map: &Map, is_checked: bool) -> io::Result<()> {
    let shard_note = if map.block == [1, 1] {
        String::new()
    } else {
        format!(" A cell stands for up to {} × {} chunks.", map.block[0], map.block[1])
    };
    let damaged = if is_checked { format!(", {} damaged", map.damaged) } else { String::new() };
    writeln!(out, "<h4>Chunks</h4>\n<p>{} stored, {} not stored{damaged}.{shard_note}</p>", map.stored, map.missing())?;
    writeln!(out, "<figure>{}\n<figcaption>", map.svg())?;
    for (class, name) in STATES {
        write!(out, "<span class=\"key {class}\"></span>{name}")?;
    }
    writeln!(out, "</figcaption></figure>")
}

fn numbers(out: &mut dyn Write, facts: &Facts, histogram: &Histogram) -> io::Result<()> {
    writeln!(out, "<h4>Elements</h4>")?;
    match &facts.thumbnail {
        Ok(picture) => {
            let side = (WANTED / picture.width.max(picture.height).max(1)).max(1);
            let (width, height) = (picture.width * side, picture.height * side);
            writeln!(
                out,
                "<figure><img alt=\"\" width=\"{width}\" height=\"{height}\" src=\"{}\">\n<figcaption>[{}], {} to {}</figcaption></figure>",
                picture.uri,
                html(&picture.region),
                short(picture.range.0),
                short(picture.range.1)
            )?;
        }
        Err(e) => writeln!(out, "<p class=\"quiet\">No picture: {}</p>", html(&ozarr::text::shown(e)))?,
    }
    let counts = [(histogram.infinite, "infinite"), (histogram.nan, "NaN"), (histogram.fill, "fill value")];
    let others: String = counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!(", {n} {name}")).collect();
    let failed = match histogram.failed {
        0 => String::new(),
        n => format!("; {} of the sample cannot be read or are too large", count(n as u64, "chunk")),
    };
    let read = format!(
        "{} finite{others} in a sample of {}{failed}",
        histogram.finite,
        count(histogram.chunks as u64, "chunk")
    );
    let Some((low, high)) = histogram.range else { return writeln!(out, "<p class=\"quiet\">{read}</p>") };
    let range = format!("{} to {}, mean {}", short(low), short(high), short(histogram.mean));
    writeln!(out, "<figure>{}\n<figcaption>{range}<br>{read}</figcaption></figure>", histogram.svg())
}

/// Writes everything after the arrays. There are `arrays` of them, of which the page shows the first.
pub(super) fn end(out: &mut dyn Write, arrays: usize) -> io::Result<()> {
    left_out(out, arrays.saturating_sub(MOST_ARRAYS), "array")?;
    writeln!(
        out,
        "<h2>Limits of this page</h2>\n<p class=\"quiet\">At most {MOST_ARRAYS} arrays, {MOST_ROWS} nodes of the tree, {MOST_PROBLEMS} \
         problems and {ATTRIBUTES} bytes of attributes of each array are shown. Histograms count at most {ELEMENTS} elements of each \
         of at most {CHUNKS} stored chunks; of a shard, elements of the inner chunk in its middle. Pictures show the first part of an \
         array, the first index of all dimensions but the last two, and means where it has more elements than the picture has \
         pixels.</p>\n</body>\n</html>"
    )
}
