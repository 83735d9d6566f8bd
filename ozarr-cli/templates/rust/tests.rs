//! The extension as programs get it that link this crate.

use {{module}} as _;
use zarr_conformance::{
    check::Settings,
    extension::{Samples, Subject},
    report::Outcome,
};
{{imports}}

/// Runs `f` at the place of the extension in an array of `uint8` with two dimensions.
fn with_site<R>(f: impl FnOnce(&Extension, &CreateContext<'_>) -> R) -> R {
    let (registry, limits, notes) = (Registry::builtin().unwrap(), Limits::default(), Notes::default());
    let uint8 = registry.data_type(&Extension::short_hand("uint8"), &limits).unwrap().object;
    let array = Representation::new(uint8, &[3, 4], &[0]);
    let json = Json::parse(br#"{"name":"{{name}}"}"#, &limits).unwrap();
    let cx = CreateContext::new(&registry, &limits, &notes, Intent::Create).with(&array);
    f(&Extension::parse(&json).unwrap(), &cx)
}

/// Everything that has to hold for any {{point}}, tried with these configurations. Give it a sample of each sort.
#[test]
fn laws() {
    let samples = Samples::parse(
        r#"
        [[sample]]
        point = "{{word}}"
        name = "{{name}}"
        configuration = '{}'
        "#,
    )
    .unwrap();
    for subject in Subject::find(&Registry::builtin().unwrap(), Some("{{name}}"), &samples).unwrap() {
        subject.run(&Settings::default(), &mut |record| {
            assert!(!matches!(record.outcome, Outcome::Fail(_)), "{record:?}");
        });
    }
}
