//! Runs the cases of an implementation.

use super::{
    adapter::{Adapter, Capability},
    process::{Answer, Session, once},
};
use crate::{
    cases::{Cases, Damage, Golden, Refusal},
    check::{Finding, Settings, Verdict, broken, ensure, unsupported},
    elements::read_elements,
    report::Record,
};
use ozarr::{
    Array, Context, Error, ErrorKind, Hierarchy, Result,
    zarr_core::{
        data_type::DataType,
        extension::{Extension, ExtensionPoint},
        json::Json,
        limits::Limits,
        metadata::NodeMetadata,
    },
};
use std::{
    collections::BTreeMap,
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tempfile::TempDir;

/// Runs cases one after another on one implementation.
pub(super) struct Run<'a> {
    adapter: &'a Adapter,
    context: Context,
    goldens: Vec<Golden>,
    refusals: Vec<Refusal>,
    damages: Vec<Damage>,
    /// For files that are used during the whole run.
    scratch: TempDir,
    /// The number of folders that were created for cases.
    count: u64,
    session: Option<Session>,
    /// The verdicts of reading golden arrays.
    read: BTreeMap<String, Verdict>,
}

impl<'a> Run<'a> {
    pub(super) fn new(adapter: &'a Adapter, cases: &Cases) -> Result<Self> {
        Ok(Self {
            adapter,
            context: Context::new(),
            goldens: cases.goldens()?,
            refusals: cases.refusals()?,
            damages: cases.damages()?,
            scratch: TempDir::with_prefix("zarr-conformance-")?,
            count: 0,
            session: None,
            read: BTreeMap::new(),
        })
    }
    pub(super) fn all(mut self, settings: &Settings, each: &mut dyn FnMut(Record)) -> Result<()> {
        let (goldens, refusals, damages) =
            (std::mem::take(&mut self.goldens), std::mem::take(&mut self.refusals), std::mem::take(&mut self.damages));
        for golden in &goldens {
            settings.case(&format!("read/{}", golden.id), clause(golden), each, || self.read_once(golden));
        }
        for golden in &goldens {
            settings.case(&format!("write/{}", golden.id), clause(golden), each, || {
                let verdict = self.write(golden);
                self.without_paths(verdict)
            });
        }
        for rule in &refusals {
            let (open, refuse) = (format!("open/{}", rule.rule), format!("refuse/{}", rule.rule));
            if !settings.includes(&open) && !settings.includes(&refuse) {
                continue;
            }
            let mut counterpart = None;
            settings.case(&open, &rule.clause, each, || counterpart.insert(self.accept(rule)).clone());
            let counterpart = counterpart.unwrap_or_else(|| self.accept(rule));
            settings.case(&refuse, &rule.clause, each, || {
                let verdict = self.refuse(rule, counterpart);
                self.without_paths(verdict)
            });
        }
        for damage in &damages {
            settings.case(&format!("damage/{}", damage.id), &damage.clause, each, || {
                let verdict = self.damage(damage, &goldens);
                self.without_paths(verdict)
            });
        }
        Ok(())
    }
    /// Runs a command in its own folder. `places` are files and folders in it.
    fn command(&mut self, capability: Capability, folder: &Path, places: &[&str]) -> Result<Answer> {
        let paths: Vec<_> = places.iter().map(|name| folder.join(name)).collect();
        let answer = if self.adapter.has_session() {
            let session = match self.session.take() {
                Some(session) => session,
                None => {
                    let command = self.adapter.filled(self.adapter.session_command(), &[])?;
                    Session::start(&command, self.scratch.path())?
                }
            };
            let paths = paths.iter().map(|p| p.to_str().unwrap_or_default());
            let arguments: Vec<&str> = [capability.word()].into_iter().chain(paths).collect();
            let (answer, session) = session.ask(&arguments, self.adapter.limit);
            self.session = session;
            answer
        } else {
            let places: Vec<(&str, &Path)> = places.iter().copied().zip(paths.iter().map(|p| &**p)).collect();
            let command = self.adapter.filled(self.adapter.command_of(capability), &places)?;
            once(&command, self.adapter.limit, folder)?
        };
        Ok(match answer {
            Answer::Refused(stderr) if self.adapter.means_unsupported(&stderr) => Answer::Unsupported(stderr),
            answer => answer,
        })
    }
    /// Creates an empty folder for a case. No two have the same path, so that an implementation that caches by path
    /// does not find the data of another case.
    fn folder(&mut self) -> Result<PathBuf> {
        if self.count > 0 {
            fs::remove_dir_all(self.current())?;
        }
        self.count += 1;
        fs::create_dir(self.current())?;
        Ok(self.current())
    }
    fn current(&self) -> PathBuf {
        self.scratch.path().join(self.count.to_string())
    }
    /// Removes the paths of this run, which mean nothing afterwards.
    fn without_paths(&self, verdict: Verdict) -> Verdict {
        let current = self.current();
        let plain = |text: String| text.replace(&format!("{}/", current.display()), "");
        verdict.map_err(|finding| match finding {
            Finding::Broken(text) => Finding::Broken(plain(text)),
            Finding::Unsupported(text) => Finding::Unsupported(plain(text)),
        })
    }
    fn needs(&self, capability: Capability) -> Verdict {
        if self.adapter.can(capability) {
            return Ok(());
        }
        unsupported(format!("it cannot {}", capability.action()))
    }
    fn read_once(&mut self, golden: &Golden) -> Verdict {
        if !self.read.contains_key(&golden.id) {
            let verdict = self.read(golden);
            self.read.insert(golden.id.clone(), self.without_paths(verdict));
        }
        self.read.get(&golden.id).cloned().unwrap_or(Ok(()))
    }
    fn read(&mut self, golden: &Golden) -> Verdict {
        self.needs(Capability::Read)?;
        let folder = self.folder()?;
        golden.array.write_to(&folder.join("array"))?;
        let text = match self.command(Capability::Read, &folder, &["array", "out"])? {
            Answer::Done(printed) if self.adapter.prints_elements() => printed,
            Answer::Done(_) => fs::read_to_string(folder.join("out"))
                .map_err(|e| Finding::Broken(format!("its elements cannot be read: {e}")))?,
            other => return done(other),
        };
        same_elements(&text, golden, data_type(golden.array.document(), &self.context).as_deref())
    }
    fn write(&mut self, golden: &Golden) -> Verdict {
        self.needs(Capability::Write)?;
        let wanted = match golden.array.open(&self.context) {
            Err(e) if is_unknown(&e) => return unsupported(format!("the suite cannot read it back: {e}")),
            opened => opened?,
        };
        let folder = self.folder()?;
        fs::write(folder.join("metadata"), golden.array.document())?;
        let lines: String = golden.elements()?.iter().map(|e| format!("{e}\n")).collect();
        fs::write(folder.join("elements"), lines)?;
        match self.command(Capability::Write, &folder, &["metadata", "elements", "out"])? {
            Answer::Done(_) => {}
            other => return done(other),
        }
        let out = folder.join("out");
        let written = Hierarchy::options().read_only().open(out).and_then(|h| h.array("/"));
        let written = match written {
            Err(e) if is_unknown(&e) => return unsupported(format!("the suite cannot read it back: {e}")),
            Err(e) => return broken(format!("the array that it wrote is refused: {e}")),
            Ok(written) => written,
        };
        same_array(&wanted, &written)?;
        let want = golden.element_bytes(&**wanted.representation().data_type())?;
        let got = read_elements(&written)
            .map_err(|e| Finding::Broken(format!("the array that it wrote cannot be read: {e}")))?;
        same_count(want.len(), got.len())?;
        match want.iter().zip(&got).position(|(a, b)| a != b) {
            Some(at) => broken(format!("element {at} was written as {:02x?}, not {:02x?}", got[at], want[at])),
            None => Ok(()),
        }
    }
    fn open(&mut self, document: &[u8], node: &str) -> Result<Answer, Finding> {
        self.needs(Capability::Open)?;
        if node == "group" {
            self.needs(Capability::Groups)?;
        }
        let folder = self.folder()?;
        fs::create_dir(folder.join("array"))?;
        fs::write(folder.join("array/zarr.json"), document)?;
        Ok(self.command(Capability::Open, &folder, &["array"])?)
    }
    fn accept(&mut self, rule: &Refusal) -> Verdict {
        let verdict = self.open(&rule.accept, &rule.node).and_then(done);
        self.without_paths(verdict)
    }
    /// Any reason for not accepting the document counts as a refusal, since the counterpart is accepted.
    fn refuse(&mut self, rule: &Refusal, counterpart: Verdict) -> Verdict {
        match counterpart {
            Ok(()) => {}
            Err(Finding::Unsupported(why)) => return unsupported(why),
            Err(Finding::Broken(_)) => {
                return unsupported("its valid counterpart is also refused, so this proves nothing");
            }
        }
        match self.open(&rule.refuse, &rule.node)? {
            Answer::Refused(_) | Answer::Unsupported(_) => Ok(()),
            Answer::Done(_) => broken("it is accepted"),
            broken @ Answer::Broken(_) => done(broken),
        }
    }
    fn damage(&mut self, damage: &Damage, goldens: &[Golden]) -> Verdict {
        let counterpart = goldens.iter().find(|g| g.id == damage.counterpart);
        let counterpart =
            counterpart.ok_or_else(|| Finding::Broken(format!("there is no golden {}", damage.counterpart)))?;
        match self.read_once(counterpart) {
            Ok(()) => {}
            Err(Finding::Unsupported(why)) => return unsupported(why),
            Err(Finding::Broken(_)) => {
                return unsupported("its undamaged counterpart is not read either, so this proves nothing");
            }
        }
        let folder = self.folder()?;
        damage.array.write_to(&folder.join("array"))?;
        match self.command(Capability::Read, &folder, &["array", "out"])? {
            Answer::Refused(_) => Ok(()),
            Answer::Done(_) => broken("it is read without an error"),
            other => done(other),
        }
    }
}

fn clause(golden: &Golden) -> &str {
    golden.about.get("clause").and_then(Json::as_str).unwrap_or_default()
}

/// Converts an answer to a verdict, where only [`Answer::Done`] passes.
fn done(answer: Answer) -> Verdict {
    let reason = |text: String| if text.is_empty() { "it does not say why".to_owned() } else { text };
    match answer {
        Answer::Done(_) => Ok(()),
        Answer::Unsupported(why) => unsupported(reason(why)),
        Answer::Refused(why) => broken(format!("refused: {}", reason(why))),
        Answer::Broken(why) => broken(why),
    }
}

fn is_unknown(e: &Error) -> bool {
    matches!(e.kind(), ErrorKind::UnknownExtension { .. })
}

/// Returns the data type of a document, if it is known here.
fn data_type(document: &[u8], context: &Context) -> Option<Arc<dyn DataType>> {
    match NodeMetadata::parse(document, &context.limits).ok()? {
        NodeMetadata::Array(m) => Some(context.registry.data_type(m.data_type(), &context.limits).ok()?.object),
        NodeMetadata::Group(_) => None,
    }
}

/// Compares elements as bytes if their data type is known, otherwise as JSON.
fn same_elements(text: &str, golden: &Golden, data_type: Option<&dyn DataType>) -> Verdict {
    let wanted = golden.elements()?;
    for (at, (line, want)) in text.lines().zip(&wanted).enumerate() {
        let got = Json::parse(line.as_bytes(), &Limits::default())
            .map_err(|e| Finding::Broken(format!("line {} of its elements is not JSON: {e}", at + 1)))?;
        let same = match data_type {
            None => is_same_json(want, &got),
            Some(data_type) => {
                let bytes = data_type.fill_from_json(&got);
                bytes.map_err(|e| Finding::Broken(format!("element {at}: {e}")))? == data_type.fill_from_json(want)?
            }
        };
        ensure(same, || format!("element {at} is read as {got}, not {want}"))?;
    }
    same_count(wanted.len(), text.lines().count())
}

/// Compares JSON independently of the spelling of numbers.
fn is_same_json(want: &Json, got: &Json) -> bool {
    match (want, got) {
        (Json::Number(a), Json::Number(b)) => {
            let is_float = |n: &str| n.contains(['.', 'e', 'E']);
            let both_floats = is_float(a.as_str()) && is_float(b.as_str());
            a.as_str() == b.as_str() || both_floats && a.as_f64().to_bits() == b.as_f64().to_bits()
        }
        // The expected value is written as bits, so that minus zero is visible in any JSON.
        (want, Json::Number(n)) if is_highest_bit(want) => n.as_f64() == 0.0 && n.as_str().starts_with('-'),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_json(a, b)),
        _ => want.is_same(got),
    }
}

/// Returns whether these are the bits of minus zero.
fn is_highest_bit(element: &Json) -> bool {
    let digits = element.as_str().and_then(|text| text.strip_prefix("0x"));
    digits.is_some_and(|digits| digits.trim_matches('0') == "8")
}

fn same_count(want: usize, got: usize) -> Verdict {
    ensure(want == got, || format!("{got} elements, not {want}"))
}

/// Compares what the documents mean: a writer may spell them differently.
fn same_array(wanted: &Array, written: &Array) -> Verdict {
    let data_type = |a: &Array| known_name(a, ExtensionPoint::DataType, a.metadata().data_type());
    let codecs = |a: &Array| -> Vec<String> {
        a.metadata().codecs().iter().map(|c| known_name(a, ExtensionPoint::Codec, c)).collect()
    };
    same("shape", wanted.shape(), written.shape())?;
    same("data type", &data_type(wanted), &data_type(written))?;
    same("fill value", wanted.representation().fill(), written.representation().fill())?;
    same("chunk shape", &wanted.chunk_shape(), &written.chunk_shape())?;
    same("inner chunk shape", &wanted.inner_chunk_shape(), &written.inner_chunk_shape())?;
    same("codecs", &codecs(wanted), &codecs(written))
}

fn same<T: PartialEq + Debug + ?Sized>(what: &str, want: &T, got: &T) -> Verdict {
    ensure(want == got, || format!("the {what} was written as {got:?}, not {want:?}"))
}

/// Returns the name that an extension has here: a writer may use an alias.
fn known_name(array: &Array, point: ExtensionPoint, extension: &Extension) -> String {
    let found = array.hierarchy().context().registry.find(point, extension.name());
    found.map_or_else(|| extension.name().to_owned(), |r| r.name().to_owned())
}
