//! Generates the page that compares implementations.

use crate::report::{Outcome, Record, Report};
use std::{collections::BTreeMap, fmt::Write};

const COMMAND: &str = "cargo run --release -p zarr-conformance -- implementation conformance/adapters/*.toml --results docs/conformance-results.md";

/// The kinds of cases with their descriptions, in the order of the page.
const KINDS: [(&str, &str); 5] = [
    ("read", "Golden arrays read bit for bit"),
    ("write", "Arrays written from a document and elements, read back by `ozarr`"),
    ("open", "Valid documents accepted"),
    ("refuse", "Invalid documents refused, with their valid counterparts accepted"),
    ("damage", "Damaged chunks detected"),
];

/// The implementation that this suite itself uses to read.
const OWN: &str = "ozarr";

const OWN_COLUMN: &str = "\
`ozarr` is the suite's own reader. Its code interprets the expected elements and reads the arrays that others write, and
where the specification is ambiguous the cases follow its interpretation. Its column therefore has no failures: that is not
evidence that it is correct, and cannot be compared with the other columns.
";

/// The maximum number of cases that are named for one reason; the tables contain all of them.
const NAMED: usize = 8;

/// Returns a page in Markdown: versions, counts, each case that did not pass everywhere, and reasons.
pub fn results_page(reports: &[Report]) -> String {
    let mut out = String::from(
        "# Conformance results

",
    );
    let mut line = |text: &str| {
        let _infallible = writeln!(out, "{text}");
    };
    line(
        "Every case is a file below `conformance/cases`. This page is the output of one command:
",
    );
    line(&format!("```sh\n{COMMAND}\n```\n"));
    line(
        "To add an implementation, write a small adapter like those in `conformance/adapters`. A case is unsupported if the",
    );
    line(
        "implementation reports that it does not know a feature, if its adapter has no command for the case, or if a pass",
    );
    line(
        "would prove nothing: an invalid document is refused, but so is its valid counterpart. The cases are one reading of",
    );
    line(
        "the specification; where it is silent, a failure is a difference and not a defect.
",
    );
    if reports.iter().any(|report| report.subject == OWN) {
        line(OWN_COLUMN);
    }
    line("## Counts\n\nPassed / failed / unsupported.\n");
    line(&head("", reports));
    for (kind, what) in KINDS {
        let counts = reports.iter().map(|report| counts(of_kind(report, kind)));
        line(&row(what, counts));
    }
    line(&row("**All**", reports.iter().map(|report| counts(report.records.iter()))));
    for (kind, what) in KINDS {
        let rows = rows(reports, kind);
        let (all, differ) = (rows.len(), rows.values().filter(|cells| !passed(cells)).count());
        if all == 0 {
            continue;
        }
        line(&format!("\n## {what}\n\n{} of {all} cases passed everywhere.", all - differ));
        if differ > 0 {
            line(&format!("\n{}", head("case", reports)));
        }
        for (id, cells) in rows.iter().filter(|(_, cells)| !passed(cells)) {
            line(&row(id, cells.iter().map(|cell| word(*cell).to_owned())));
        }
    }
    line(
        "
## Reasons

Each error or difference, followed by its cases.",
    );
    for report in reports {
        line(&format!("\n### {}\n", title(report)));
        for (text, ids) in reasons(report) {
            let named = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
            let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
            line(&format!("- {text}: {named}{more}"));
        }
        if report.records.iter().all(|r| r.outcome == Outcome::Pass) {
            line("All passed.");
        }
    }
    out
}

fn title(report: &Report) -> String {
    format!("{} {}", report.subject, report.version).trim_end().to_owned()
}

fn row(first: &str, cells: impl Iterator<Item = String>) -> String {
    cells.fold(format!("| {first} |").replace("|  |", "| |"), |row, cell| format!("{row} {cell} |"))
}

fn head(first: &str, reports: &[Report]) -> String {
    format!("{}\n|---|{}", row(first, reports.iter().map(title)), "---|".repeat(reports.len()))
}

fn of_kind<'r>(report: &'r Report, kind: &'r str) -> impl Iterator<Item = &'r Record> {
    report.records.iter().filter(move |r| r.id.split_once('/').is_some_and(|(k, _)| k == kind))
}

fn counts<'r>(records: impl Iterator<Item = &'r Record>) -> String {
    let (mut pass, mut fail, mut unsupported) = (0, 0, 0);
    for record in records {
        match record.outcome {
            Outcome::Pass => pass += 1,
            Outcome::Fail(_) | Outcome::Known(_) => fail += 1,
            Outcome::Unsupported(_) => unsupported += 1,
        }
    }
    format!("{pass} / {fail} / {unsupported}")
}

/// Returns the cases of a kind, each with its outcome in every report.
fn rows<'r>(reports: &'r [Report], kind: &'r str) -> BTreeMap<&'r str, Vec<Option<&'r Outcome>>> {
    let mut rows: BTreeMap<&str, Vec<Option<&Outcome>>> = BTreeMap::new();
    for (column, report) in reports.iter().enumerate() {
        for record in of_kind(report, kind) {
            let id = record.id.split_once('/').map_or("", |(_, rest)| rest);
            rows.entry(id).or_insert_with(|| vec![None; reports.len()])[column] = Some(&record.outcome);
        }
    }
    rows
}

fn passed(cells: &[Option<&Outcome>]) -> bool {
    cells.iter().all(|cell| *cell == Some(&Outcome::Pass))
}

fn word(cell: Option<&Outcome>) -> &'static str {
    match cell {
        None => "",
        Some(Outcome::Fail(_)) => "**fail**",
        Some(other) => other.word(),
    }
}

/// Returns each reason with its cases, failures before unsupported cases.
fn reasons(report: &Report) -> Vec<(String, Vec<&str>)> {
    let mut found: BTreeMap<(bool, String), Vec<&str>> = BTreeMap::new();
    for record in report.records.iter().filter(|r| r.outcome != Outcome::Pass) {
        let unsupported = matches!(record.outcome, Outcome::Unsupported(_));
        let word = if unsupported { "unsupported" } else { "**fail**" };
        let text = format!("{word}: `{}`", plain(record.outcome.text()));
        found.entry((unsupported, text)).or_default().push(&record.id);
    }
    found.into_iter().map(|((_, text), ids)| (text, ids)).collect()
}

/// Returns a text on one line, shortened, and without characters that Markdown would interpret. The end is preserved,
/// because it usually contains the cause.
fn plain(text: &str) -> String {
    const BEGIN: usize = 60;
    const END: usize = 180;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= BEGIN + END {
        return text;
    }
    let part = |chars: &[char]| chars.iter().collect::<String>();
    format!("{} ... {}", part(&chars[..BEGIN]), part(&chars[chars.len() - END..]))
}
