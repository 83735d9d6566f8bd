//! The formats of reports.

use super::{Outcome, Record, Report};
use ozarr::zarr_core::json::{Json, Object};
use std::fmt::Write;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Cases that did not pass, and counts
    Text,
    /// JSON: one object for each subject
    Json,
    /// JUnit XML
    Junit,
    /// Test Anything Protocol, version 13
    Tap,
    /// Table that compares the subjects
    Markdown,
}

impl Format {
    /// Formats the reports.
    pub fn print(self, reports: &[Report]) -> String {
        match self {
            Self::Text => reports.iter().map(text).collect(),
            Self::Json => format!("{}\n", Json::Array(reports.iter().map(json).collect()).to_pretty()),
            Self::Junit => junit(reports),
            Self::Tap => tap(reports),
            Self::Markdown => markdown(reports),
        }
    }
}

/// Joins the words of a text with single spaces, so that it is on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn title(report: &Report) -> String {
    format!("{} {}", report.subject, report.version).trim_end().to_owned()
}

fn summary(report: &Report) -> String {
    let n = report.counts();
    let mut parts = vec![format!("{} passed", n.pass), format!("{} failed", n.fail)];
    if n.known > 0 {
        parts.push(format!("{} known to fail", n.known));
    }
    parts.push(format!("{} unsupported", n.unsupported));
    parts.join(", ")
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    for r in report.records.iter().filter(|r| r.outcome != Outcome::Pass) {
        let clause = if r.clause.is_empty() { String::new() } else { format!(" [{}]", r.clause) };
        let _infallible = writeln!(out, "{:<11} {}{clause}: {}", r.outcome.word(), r.id, line(r.outcome.text()));
    }
    let _infallible = writeln!(out, "{}: {} (seed {})", title(report), summary(report), report.seed);
    out
}

fn json(report: &Report) -> Json {
    let mut o: Object = [("subject", report.subject.as_str()), ("version", &report.version)].into_iter().collect();
    o.set("seed", report.seed);
    let n = report.counts();
    for (name, n) in [("pass", n.pass), ("fail", n.fail), ("known", n.known), ("unsupported", n.unsupported)] {
        o.set(name, n as u64);
    }
    let record = |r: &Record| {
        let mut o: Object =
            [("id", r.id.as_str()), ("clause", &r.clause), ("outcome", r.outcome.word())].into_iter().collect();
        if r.outcome != Outcome::Pass {
            o.set("text", r.outcome.text());
        }
        o.set("milliseconds", (r.seconds * 1000.0) as u64);
        Json::Object(o)
    };
    o.set("cases", Json::Array(report.records.iter().map(record).collect()));
    Json::Object(o)
}

/// Escapes text for XML 1.0, which cannot contain control characters, not even escaped.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn junit(reports: &[Report]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for report in reports {
        let n = report.counts();
        let _infallible = writeln!(
            out,
            "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\">",
            xml(&title(report)),
            report.records.len(),
            n.fail,
            n.known + n.unsupported,
            report.records.iter().map(|r| r.seconds).sum::<f64>()
        );
        for r in &report.records {
            let (group, name) = r.id.rsplit_once('/').unwrap_or(("", &r.id));
            let _infallible =
                write!(out, "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"", xml(group), xml(name), r.seconds);
            let element = match &r.outcome {
                Outcome::Pass => None,
                Outcome::Fail(_) => Some("failure"),
                Outcome::Known(_) | Outcome::Unsupported(_) => Some("skipped"),
            };
            let _infallible = match element {
                None => writeln!(out, "/>"),
                Some(e) => {
                    let message = xml(&format!("{} [{}]", line(r.outcome.text()), r.clause));
                    writeln!(out, "><{e} message=\"{message}\"/></testcase>")
                }
            };
        }
        out.push_str("</testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn tap(reports: &[Report]) -> String {
    let all = reports.iter().flat_map(|report| report.records.iter().map(move |r| (report, r)));
    let mut out = format!("TAP version 13\n1..{}\n", reports.iter().map(|r| r.records.len()).sum::<usize>());
    for (i, (report, r)) in all.enumerate() {
        let (i, text) = (i + 1, line(r.outcome.text()));
        let name = line(&if reports.len() == 1 { r.id.clone() } else { format!("{}: {}", report.subject, r.id) });
        let name = name.replace('#', "\\#");
        let _infallible = match &r.outcome {
            Outcome::Pass => writeln!(out, "ok {i} - {name}"),
            Outcome::Fail(_) => writeln!(out, "not ok {i} - {name}\n# [{}] {text}", r.clause),
            Outcome::Known(_) => writeln!(out, "not ok {i} - {name} # TODO {text}"),
            Outcome::Unsupported(_) => writeln!(out, "ok {i} - {name} # SKIP {text}"),
        };
    }
    out
}

fn cell(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// Formats one row for each case that did not pass everywhere. The others are counted by the first two parts of their
/// ids.
fn markdown(reports: &[Report]) -> String {
    let mut out = String::from("| | cases | passed | failed | known | unsupported |\n|-|-|-|-|-|-|\n");
    for report in reports {
        let n = report.counts();
        let (title, all) = (cell(&title(report)), report.records.len());
        let _infallible =
            writeln!(out, "| {title} | {all} | {} | {} | {} | {} |", n.pass, n.fail, n.known, n.unsupported);
    }
    let mut ids: Vec<&str> = Vec::new();
    for r in reports.iter().flat_map(|report| &report.records) {
        ids.push(&r.id);
    }
    ids.sort_unstable();
    ids.dedup();
    let subjects: Vec<String> = reports.iter().map(|r| cell(&r.subject)).collect();
    let _infallible = write!(
        out,
        "\n`-`: not run. Each word other than `pass` has its reason below the table.\n\n| case | {} |\n|-|{}\n",
        subjects.join(" | "),
        "-|".repeat(reports.len())
    );
    let find = |report: &'_ Report, id: &str| report.records.iter().position(|r| r.id == id);
    let mut reasons = String::new();
    for id in ids {
        let mut row = String::new();
        for report in reports {
            let found = find(report, id).and_then(|at| report.records.get(at));
            let word = found.map_or("-", |r| if r.outcome == Outcome::Pass { "pass" } else { r.outcome.word() });
            let bold = if word == "fail" { "**" } else { "" };
            let _infallible = write!(row, " {bold}{word}{bold} |");
            if let Some(r) = found.filter(|r| r.outcome != Outcome::Pass) {
                let subject = cell(&report.subject);
                let _infallible =
                    writeln!(reasons, "- `{id}`, {subject}: {} \\[{}\\]", cell(r.outcome.text()), cell(&r.clause));
            }
        }
        let _infallible = writeln!(out, "| `{id}` |{row}");
    }
    if !reasons.is_empty() {
        let _infallible = write!(out, "\n{reasons}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> [Report; 2] {
        let record = |id: &str, outcome| Record { id: id.into(), clause: "a/b".into(), outcome, seconds: 0.5 };
        let mut one = Report::new("one", "1.0", 3);
        one.records = vec![
            record("x/pass", Outcome::Pass),
            record("x/fail", Outcome::Fail("a <b> & \"c\"\n| d\u{1}".into())),
            record("x/known", Outcome::Known("old # news".into())),
        ];
        let mut two = Report::new("two", "", 3);
        two.records = vec![record("x/pass", Outcome::Unsupported("no".into()))];
        [one, two]
    }

    #[test]
    fn tap() {
        let wanted = "TAP version 13\n1..4\nok 1 - one: x/pass\nnot ok 2 - one: x/fail\n# [a/b] a <b> & \"c\" | d\u{1}\n\
                      not ok 3 - one: x/known # TODO old # news\nok 4 - two: x/pass # SKIP no\n";
        assert_eq!(Format::Tap.print(&reports()), wanted);
    }
    #[test]
    fn junit() {
        let text = Format::Junit.print(&reports());
        let fail = "<failure message=\"a &lt;b&gt; &amp; &quot;c&quot; | d\u{fffd} [a/b]\"/></testcase>\n";
        assert!(text.contains(fail), "{text}");
        assert!(text.contains(
            "<testsuite name=\"one 1.0\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"1.500\">"
        ));
        assert_eq!((text.matches("<testsuite ").count(), text.matches("</testsuite>").count()), (2, 2));
    }
    #[test]
    fn markdown() {
        let text = Format::Markdown.print(&reports());
        assert!(text.contains("| case | one | two |\n|-|-|-|\n"), "{text}");
        assert!(text.contains("| `x/fail` | **fail** | - |\n"), "{text}");
        assert!(text.contains("| `x/pass` | pass | unsupported |\n"), "{text}");
        assert!(text.contains("a &lt;b> & \"c\" \\| d\u{1}"), "{text}");
    }
    #[test]
    fn text() {
        let text = Format::Text.print(&reports());
        assert!(text.starts_with("fail        x/fail [a/b]: a <b> & \"c\" | d"), "{text}");
        assert!(text.contains("\none 1.0: 1 passed, 1 failed, 1 known to fail, 0 unsupported (seed 3)\n"), "{text}");
    }
}
