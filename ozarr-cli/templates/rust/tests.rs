//! Tests the extension in a program that links this crate.

use {{module}} as _;
use zarr_conformance::extension::assert_properties;
use zarr_plugin_api::{Result, testing::Bench};

/// Every property that a {{point}} must have. Add a configuration of each kind.
#[test]
fn properties() -> Result<()> {
    assert_properties("{{word}}", "{{name}}", &["{}"])
}

