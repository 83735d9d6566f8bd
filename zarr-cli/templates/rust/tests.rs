//! The extension as programs get it that link this crate.

use {{module}} as _;
{{imports}}

/// Runs `f` at the place of the extension in an array of `uint8` with two dimensions.
fn with_site<R>(f: impl FnOnce(&Extension, &Site<'_>) -> R) -> R {
    let (registry, limits, notes) = (Registry::builtin().unwrap(), Limits::default(), Notes::default());
    let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits).unwrap().object;
    let array = Representation::new(uint8, &[3, 4], &[0]);
    let json = Json::parse(br#"{"name":"{{name}}"}"#, &limits).unwrap();
    let site = Site::new(&registry, &limits, &notes, Intent::Create).with(&array);
    f(&Extension::parse(&json).unwrap(), &site)
}
