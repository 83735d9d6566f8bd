//! The tests of the suite, as one program: it compiles faster than many, and its tests share the threads.

mod clauses;
mod damaged;
#[path = "faulty_extensions/main.rs"]
mod faulty_extensions;
mod goldens;
#[path = "implementation/main.rs"]
mod implementation;
#[path = "interop/main.rs"]
mod interop;
#[path = "must_understand/main.rs"]
mod must_understand;
mod pages;
mod properties;
mod refusals;
mod samples;
#[path = "specification/main.rs"]
mod specification;
mod stores;
mod suite;
mod templates;
