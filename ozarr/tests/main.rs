//! The integration tests, as one program: it compiles faster than many, and its tests share the threads.

mod chunks;
mod common;
mod concurrent;
mod durable;
mod events;
mod faults;
mod hierarchy;
mod index_cache;
mod links;
#[path = "messages/main.rs"]
mod messages;
mod model;
mod ndarray;
mod nested;
mod overwrite;
mod places;
mod processes;
mod resize;
mod stack;
mod stale;
mod walk;
mod work;
