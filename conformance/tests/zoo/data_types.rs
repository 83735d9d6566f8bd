//! Data types that are wrong. Their parent is `int16`.

use super::Animal;
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
    parent: Arc<dyn DataType>,
    number: usize,
}

static MADE: AtomicUsize = AtomicUsize::new(0);

impl DataType for Type {
    fn layout(&self) -> Layout {
        match self.name {
            "zoo.nameless" => {
                let field = Field { name: String::new(), kind: ScalarKind::Int, width: 2, components: 1 };
                Layout::Struct([field].into())
            }
            // Says that it is stored as one piece, and is two.
            "zoo.unswapped" => Layout::Fixed { kind: ScalarKind::Raw, width: 1, components: 2 },
            _ => self.parent.layout(),
        }
    }
    fn fill_from_json(&self, value: &Json) -> Result<Vec<u8>> {
        match (self.name, value) {
            ("zoo.clamps", Json::Number(_)) => match self.parent.fill_from_json(value) {
                Ok(bytes) => Ok(bytes),
                Err(_) => Ok(vec![0xFF, 0x7F, 0]),
            },
            ("zoo.takes-null", Json::Null) => Ok(vec![0, 0]),
            ("zoo.numbered", Json::String(text)) => {
                let number = Json::parse(text.as_bytes(), &Default::default())?;
                self.parent.fill_from_json(&number)
            }
            _ => self.parent.fill_from_json(value),
        }
    }
    fn fill_to_json(&self, element: &[u8]) -> Result<Json> {
        match self.name {
            "zoo.rounds" => {
                let n = i16::from_ne_bytes(element.try_into().map_err(|_| Error::data("no element"))?);
                Ok(Json::from(i64::from(n / 2 * 2)))
            }
            "zoo.panics-on-lengths" => self.parent.fill_to_json(&element[..2]),
            "zoo.numbered" if self.number % 2 == 1 => {
                let json = self.parent.fill_to_json(element)?;
                Ok(Json::from(json.to_string()))
            }
            _ => self.parent.fill_to_json(element),
        }
    }
    fn default_fill(&self) -> Json {
        if self.name == "zoo.no-default" { Json::from(1u64 << 40) } else { self.parent.default_fill() }
    }
    fn check(&self) -> Option<&dyn CheckElements> {
        Some(self)
    }
}

impl CheckElements for Type {
    fn check_elements(&self, elements: &[u8]) -> Result<()> {
        match self.name {
            "zoo.three-at-most" if elements.len() > 6 => Err(Error::data("too many elements")),
            _ => self.parent.check_elements(elements),
        }
    }
}

fn animal(name: &'static str, caught: &'static [&'static str]) -> Animal {
    let make = move |extension: &Extension, cx: &CreateContext<'_>| {
        if extension.configuration().is_some_and(|c| !c.is_empty()) {
            return Err(Error::configuration("there is nothing to configure"));
        }
        let parent = cx.registry.data_type_at(&Extension::short_hand("int16"), cx)?.object;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let made = Type { name, parent, number };
        Ok(Instance::new(Arc::new(made) as Arc<dyn DataType>, Box::new(Json::Object(Object::new()))))
    };
    let registration = Registration::new(name, "the zoo", Constructor::DataType(Arc::new(make)));
    Animal { name, registration, samples: &["configuration = '{}'"], caught }
}

pub(crate) fn parent() -> Animal {
    animal("zoo.int16", &[])
}

pub(crate) fn animals() -> Vec<Animal> {
    vec![
        animal("zoo.nameless", &["layout"]),
        animal("zoo.no-default", &["default-fill"]),
        animal("zoo.rounds", &["fill-from-bytes", "fill-from-json", "stored"]),
        animal("zoo.clamps", &["fill-from-json"]),
        animal("zoo.takes-null", &["fill-refused"]),
        animal("zoo.panics-on-lengths", &["wrong-length"]),
        animal("zoo.three-at-most", &["elements"]),
        animal("zoo.unswapped", &["stored"]),
        animal("zoo.numbered", &["deterministic"]),
    ]
}
