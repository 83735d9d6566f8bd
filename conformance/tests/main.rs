//! The tests of the suite, as one program: it compiles faster than many, and its tests share the threads.

mod clauses;
mod damaged;
mod goldens;
mod pages;
mod properties;
mod refusals;
mod samples;
mod stores;
mod suite;
mod templates;
