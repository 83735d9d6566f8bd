//! Faulty data types. They wrap `int16`.

use super::Fixture;
use ozarr::{
    Error, Result,
    zarr_core::{
        data_type::{CheckElements, DataType},
        extension::Extension,
        json::{Json, Object},
        layout::{Field, Layout, ScalarKind},
        registry::{Constructor, CreateContext, Instance, Registration},
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

#[derive(Debug)]
struct Type {
    name: &'static str,
    wrapped: Arc<dyn DataType>,
    number: usize,
}

static MADE: AtomicUsize = AtomicUsize::new(0);

impl DataType for Type {
    fn layout(&self) -> Layout {
        match self.name {
            "test.nameless" => {
                let field = Field { name: String::new(), kind: ScalarKind::Int, width: 2, components: 1 };
                Layout::Struct([field].into())
            }
            // Its layout states two raw bytes, which are never swapped, but an element is an integer of two bytes.
            "test.unswapped" => Layout::Fixed { kind: ScalarKind::Raw, width: 1, components: 2 },
            _ => self.wrapped.layout(),
        }
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        match (self.name, value) {
            ("test.clamps", Json::Number(_)) => match self.wrapped.fill_from_json(value) {
                Ok(bytes) => Ok(bytes),
                Err(_) => Ok(vec![0xFF, 0x7F, 0]),
            },
            ("test.accepts-null", Json::Null) => Ok(vec![0, 0]),
            ("test.numbered", Json::String(text)) => {
                let number = Json::parse(text.as_bytes(), &Default::default())?;
                self.wrapped.fill_from_json(&number)
            }
            _ => self.wrapped.fill_from_json(value),
        }
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        match self.name {
            "test.rounds" => {
                let n = i16::from_ne_bytes(element.try_into().map_err(|_| Error::data("no element"))?);
                Ok(Json::from(i64::from(n / 2 * 2)))
            }
            "test.panics-on-lengths" => self.wrapped.fill_to_json(&element[..2]),
            "test.numbered" if self.number % 2 == 1 => {
                let json = self.wrapped.fill_to_json(element)?;
                Ok(Json::from(json.to_string()))
            }
            _ => self.wrapped.fill_to_json(element),
        }
    }
    fn default_fill(&self) -> Json {
        if self.name == "test.no-default" { Json::from(1u64 << 40) } else { self.wrapped.default_fill() }
    }
    fn check(&self) -> Option<&dyn CheckElements> {
        Some(self)
    }
}

impl CheckElements for Type {
    fn check_elements(&self, elements: &[u8]) -> Result<()> {
        match self.name {
            "test.three-at-most" if elements.len() > 6 => Err(Error::data("too many elements")),
            _ => self.wrapped.check_elements(elements),
        }
    }
}

fn faulty(name: &'static str, caught: &'static [&'static str]) -> Fixture {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        if extension.configuration().is_some_and(|c| !c.is_empty()) {
            return Err(Error::configuration("there is nothing to configure"));
        }
        let wrapped = cx.registry.data_type_at(&Extension::short_hand("int16"), cx)?.object;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let made = Type { name, wrapped, number };
        Ok(Instance::new(Arc::new(made) as Arc<dyn DataType>, Box::new(Json::Object(Object::new()))))
    };
    let registration = Registration::new(name, "the tests", Constructor::DataType(Arc::new(make)));
    Fixture { name, registration, samples: &["configuration = '{}'"], caught }
}

pub(crate) fn counterpart() -> Fixture {
    faulty("test.int16", &[])
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    vec![
        faulty("test.nameless", &["layout"]),
        faulty("test.no-default", &["default-fill"]),
        faulty("test.rounds", &["fill-from-bytes", "fill-from-json", "stored"]),
        faulty("test.clamps", &["fill-from-json"]),
        faulty("test.accepts-null", &["fill-refused"]),
        faulty("test.panics-on-lengths", &["wrong-length"]),
        faulty("test.three-at-most", &["elements"]),
        faulty("test.unswapped", &["stored"]),
        faulty("test.numbered", &["deterministic"]),
    ]
}
