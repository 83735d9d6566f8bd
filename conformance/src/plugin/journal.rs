//! The reports of a child to its parent: one line of JSON for each case that begins or ends.

use crate::report::{Outcome, Record};
use ozarr::{
    Error, Result,
    zarr_core::{
        json::{Json, Object},
        limits::Limits,
    },
};
use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Begun {
        id: String,
        clause: String,
    },
    Done(Record),
    /// The plugin was put in quarantine; the text is the reason.
    Quarantine(String),
}

/// A file that the parent creates and children append to.
#[derive(Debug)]
pub(super) struct Journal {
    _folder: Option<TempDir>,
    path: PathBuf,
}

impl Journal {
    pub(super) fn new() -> Result<Self> {
        let folder = TempDir::new()?;
        let path = folder.path().join("journal");
        File::create(&path)?;
        Ok(Self { _folder: Some(folder), path })
    }
    pub(super) fn at(path: &Path) -> Self {
        Self { _folder: None, path: path.to_owned() }
    }
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
    /// Returns its length in bytes; 0 if that is unknown.
    pub(super) fn len(&self) -> u64 {
        self.path.metadata().map_or(0, |m| m.len())
    }
    pub(super) fn add(&self, entry: &Entry) -> Result<()> {
        let mut line = to_json(entry).to_string();
        line.push('\n');
        Ok(OpenOptions::new().append(true).open(&self.path)?.write_all(line.as_bytes())?)
    }
    pub(super) fn entries(&self) -> Result<Vec<Entry>> {
        let text = String::from_utf8_lossy(&std::fs::read(&self.path)?).into_owned();
        // The last line of a child that was killed may be truncated.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| from_json(&Json::parse(line.as_bytes(), &Limits::default())?)).collect()
    }
}

fn to_json(entry: &Entry) -> Json {
    let object: Object = match entry {
        Entry::Begun { id, clause } => {
            [("begun", id), ("clause", clause)].into_iter().map(|(n, v)| (n, v.as_str())).collect()
        }
        Entry::Quarantine(why) => [("quarantine", why.as_str())].into_iter().collect(),
        Entry::Done(r) => {
            let texts = [
                ("done", r.id.as_str()),
                ("clause", &r.clause),
                ("outcome", r.outcome.word()),
                ("text", r.outcome.text()),
            ];
            let mut object: Object = texts.into_iter().collect();
            object.set("microseconds", (r.seconds * 1e6) as u64);
            object
        }
    };
    Json::Object(object)
}

fn from_json(json: &Json) -> Result<Entry> {
    let text = |member: &str| json.as_object().and_then(|o| o.get(member)).and_then(Json::as_str).map(str::to_owned);
    if let Some(why) = text("quarantine") {
        return Ok(Entry::Quarantine(why));
    }
    let clause = text("clause").unwrap_or_default();
    if let Some(id) = text("begun") {
        return Ok(Entry::Begun { id, clause });
    }
    let reason = text("text").unwrap_or_default();
    let outcome = match text("outcome").as_deref() {
        Some("pass") => Outcome::Pass,
        Some("unsupported") => Outcome::Unsupported(reason),
        _ => Outcome::Fail(reason),
    };
    let micros =
        json.as_object().and_then(|o| o.get("microseconds")).map_or(0.0, |n| n.to_string().parse().unwrap_or(0.0));
    let id = text("done").ok_or_else(|| Error::metadata("a journal has a line without a case"))?;
    Ok(Entry::Done(Record { id, clause, outcome, seconds: micros / 1e6 }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test that is how to fail")]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_read_back_without_a_truncated_line() {
        let journal = Journal::new().unwrap();
        let record = |outcome| Entry::Done(Record { id: "a/b".into(), clause: "c".into(), outcome, seconds: 0.25 });
        let all = [
            Entry::Begun { id: "a/b".into(), clause: "c".into() },
            record(Outcome::Fail("line\nline \"x\"".into())),
            record(Outcome::Pass),
            record(Outcome::Unsupported("no".into())),
            Entry::Quarantine("it panicked".into()),
        ];
        all.iter().for_each(|e| journal.add(e).unwrap());
        assert_eq!(journal.entries().unwrap(), all);
        OpenOptions::new().append(true).open(journal.path()).unwrap().write_all(b"{\"beg").unwrap();
        assert_eq!(journal.entries().unwrap(), all);
    }
}
