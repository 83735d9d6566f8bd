//! The extension as programs get it that link this crate.

use {{module}} as _;
use zarr_conformance::extension::assert_properties;
use zarr_plugin_api::{Result, testing::Bench};

/// Everything that has to hold for any {{point}}. Give it a configuration of each sort.
#[test]
fn properties() -> Result<()> {
    assert_properties("{{word}}", "{{name}}", &["{}"])
}

