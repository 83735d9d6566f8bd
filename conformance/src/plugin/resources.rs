//! Properties of resources that a plugin does not release: file descriptors and threads.

use crate::{
    check::{Settings, Verdict, ensure, unsupported},
    extension::Subject,
    report::Record,
};

pub(super) fn run(subjects: &[Subject], settings: &Settings, each: &mut dyn FnMut(Record)) {
    let property = |folder: &'static str, what: &'static str| move || grows(subjects, folder, what);
    settings.case("abi/descriptors", "abi/descriptors", each, property("/proc/self/fd", "file descriptors"));
    settings.case("abi/threads", "abi/threads", each, property("/proc/self/task", "threads"));
}

/// Repeated use of a plugin does not need more of them than its first use.
fn grows(subjects: &[Subject], folder: &str, what: &str) -> Verdict {
    let count = || std::fs::read_dir(folder).map(Iterator::count).ok();
    if count().is_none() {
        return unsupported("this system does not report it");
    }
    let use_it = |seed| {
        let few = Settings { filter: None, seed, cases: 1, observer: None };
        subjects.iter().for_each(|s| s.run(&few, &mut |_| {}));
    };
    use_it(0);
    let before = count();
    (1..4).for_each(use_it);
    let mut after = count();
    // Threads that were told to end need a moment.
    for _ in 0..20 {
        if after <= before {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
        after = count();
    }
    ensure(after <= before, || {
        let number = |n: Option<usize>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
        format!(
            "there were {} {what} after it was used once, and {} after it was used again",
            number(before),
            number(after)
        )
    })
}
