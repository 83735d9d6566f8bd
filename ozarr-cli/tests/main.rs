//! The tests of the command, as one program: it compiles faster than many, and its tests share the threads.

mod cli;
mod common;
mod copy_lengths;
mod create;
mod deep;
mod edit;
mod others;
mod output;
mod overwrite;
#[path = "pages/main.rs"]
mod pages;
mod places;
mod plugins;
mod printed;
mod problems;
mod repair;
mod repair_documents;
mod report;
mod terminal;
mod transcripts;
mod view;
mod words;
