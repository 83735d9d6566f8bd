//! Gives attributes to a group and an array, reads them by name and as a type, and changes one of them.
//!
//! `cargo run -p ozarr-examples --bin attributes`

use ozarr::{Hierarchy, Json, NewArray, Object, Result};
use serde::{Deserialize, Serialize};

/// The attributes of an array.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Quantity {
    units: String,
    valid_range: [f32; 2],
}

fn main() -> Result<()> {
    let hierarchy = Hierarchy::in_memory();

    // An object is built member by member. Values are Rust values or JSON.
    let mut about = Object::from([("title", "Weather")]);
    about.set("version", 1);
    about.set("station", r#"{"name": "Zürich", "height": 556}"#.parse::<Json>()?);
    let mut weather = hierarchy.create_group("/weather", &about)?;

    // Attributes can also be a type.
    let quantity = Quantity { units: "K".to_owned(), valid_range: [180.0, 330.0] };
    let temperature = weather.create_array("temperature", NewArray::of::<f32>([24]).attributes(&quantity))?;

    // Read them by name, or all as a type. A name that is missing reads as null.
    assert_eq!(weather.attributes()["station"]["height"].as_u64(), Some(556));
    assert_eq!(weather.attributes()["station"]["country"], Json::Null);
    assert_eq!(temperature.attributes_as::<Quantity>()?, quantity);

    // Change one, and keep those that other programs change at the same time.
    weather.update_attributes(|attributes| attributes.set("version", 2))?;
    for (name, value) in hierarchy.group("/weather")?.attributes().iter() {
        println!("{name}: {value}");
    }
    println!("temperature: {}", temperature.attributes());
    Ok(())
}
