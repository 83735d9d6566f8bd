//! Measures this project, its peers and the limit, interleaved in one run.
//!
//! `cargo run --release --locked -- [--short] [--side N] [--repeats N] [--workload NAME].. [--layout NAME]..
//! [--subject NAME].. [--memory] [--growth] [--dir DIR] [-o DIR]`
//!
//! Results are written to the directory of `-o`, or to `target/results`. The program creates the data, builds every
//! subject separately, runs every workload, and checks that all read the same elements and that each wrote the right
//! ones. It prints a table, and writes `results.json`, `results.md` and a chart for each workload.

mod chart;
mod layout;
mod report;
mod worker;
mod workload;

use common::{Answer, Failure, Job, Region, Task};
use layout::{LAYOUTS, Layout};
use report::{Cell, Row};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use worker::{Subject, Worker};
use workload::{WORKLOADS, Workload};

struct Arguments {
    side: u64,
    repeats: usize,
    /// The number of arrays in the hierarchy.
    nodes: u64,
    subjects: Vec<Subject>,
    workloads: Vec<String>,
    layouts: Vec<String>,
    memory: bool,
    growth: bool,
    dir: PathBuf,
    out: PathBuf,
}

impl Arguments {
    fn read() -> Result<Self, Failure> {
        let mut a = Self {
            side: 512,
            repeats: 5,
            nodes: 10_000,
            subjects: Vec::new(),
            workloads: Vec::new(),
            layouts: Vec::new(),
            memory: false,
            growth: false,
            dir: std::env::temp_dir(),
            out: PathBuf::from("target/results"),
        };
        let mut rest = std::env::args().skip(1);
        let number =
            |name: &str, value: String| value.parse().map_err(|_| format!("{name} needs a number, not {value}"));
        while let Some(name) = rest.next() {
            let mut value = || rest.next().ok_or(format!("{name} needs a value"));
            match name.as_str() {
                "--short" => (a.side, a.repeats, a.nodes) = (64, 1, 100),
                "--side" => a.side = number(&name, value()?)?,
                "--repeats" => a.repeats = number(&name, value()?)? as usize,
                "--workload" => a.workloads.push(value()?),
                "--layout" => a.layouts.push(value()?),
                "--subject" => {
                    let name = value()?;
                    let found = Subject::ALL.into_iter().find(|s| s.name() == name);
                    a.subjects.push(found.ok_or(format!("there is no subject {name}"))?);
                    a.subjects.dedup();
                }
                "--memory" => a.memory = true,
                "--growth" => a.growth = true,
                "--dir" => a.dir = value()?.into(),
                "-o" => a.out = value()?.into(),
                other => {
                    return Err(
                        format!("unknown argument {other}; src/main.rs begins with those that are known").into()
                    );
                }
            }
        }
        if a.subjects.is_empty() {
            a.subjects = Subject::ALL.to_vec();
        }
        if let Some(unknown) = a.workloads.iter().find(|w| WORKLOADS.iter().all(|k| k.name != w.as_str())) {
            return Err(format!("there is no workload {unknown}").into());
        }
        if !a.measured().any(|_| true) {
            return Err("there is no workload of these layouts".into());
        }
        if a.repeats == 0 || a.side < 64 || !a.side.is_power_of_two() {
            return Err("--repeats is at least 1, and --side a power of two from 64 on".into());
        }
        fs::create_dir_all(&a.out).map_err(|e| format!("{}: {e}", a.out.display()))?;
        a.dir = a.dir.join(format!("zarr-benchmarks-{}", std::process::id()));
        Ok(a)
    }
    /// Returns the selected workloads and layouts.
    fn measured(&self) -> impl Iterator<Item = (&'static Workload, &'static str)> {
        let is_in = |list: &[String], name: &str| list.is_empty() || list.iter().any(|n| n == name);
        let workloads = WORKLOADS.iter().filter(move |w| is_in(&self.workloads, w.name));
        let all = workloads.flat_map(|w| w.layouts.iter().map(move |layout| (w, *layout)));
        all.filter(move |(_, layout)| is_in(&self.layouts, layout))
    }
}

fn main() -> Result<(), Failure> {
    let a = Arguments::read()?;
    let mut subjects = a.subjects.clone();
    if !subjects.contains(&Subject::Ours) {
        // It creates the data.
        subjects.push(Subject::Ours);
    }
    worker::build(&subjects)?;
    fs::create_dir_all(&a.dir).map_err(|e| format!("{}: {e}", a.dir.display()))?;
    let done = Bench { a: &a, workers: Vec::new(), rows: Vec::new() }.run();
    let removed = fs::remove_dir_all(&a.dir);
    done.and(removed.map_err(Failure::from))
}

struct Bench<'a> {
    a: &'a Arguments,
    workers: Vec<Worker>,
    rows: Vec<Row>,
}

const MEMORY: &str = "Peak memory in MiB, beyond that before the work:";
const GROWTH: &str = "A quarter of the data, all of it, and four times as much:";
/// Programs that need more than this many seconds run less often.
const SLOW: f64 = 3.0;

impl Bench<'_> {
    fn run(mut self) -> Result<(), Failure> {
        let (a, shape) = (self.a, [self.a.side; 3]);
        println!("{} x {0} x {0} uint16, {} repeats, seconds (median)\n", a.side, a.repeats);
        println!("{}", report::header(&a.subjects));
        let data = a.dir.join("data");
        layout::write_field(&data, shape)?;
        for (workload, name) in a.measured() {
            let row = self.row(workload, name, shape, &data)?;
            println!("{}", report::line(&row, &a.subjects));
            self.rows.push(row);
        }
        let mut text = report::legend(a.side, a.repeats, SLOW)? + "\n" + &report::header(&a.subjects) + "\n";
        text += &self.rows.iter().map(|r| report::line(r, &a.subjects) + "\n").collect::<String>();
        let (memory, growth) = (
            if a.memory { self.memory(&data)? } else { Vec::new() },
            if a.growth { self.growth()? } else { Vec::new() },
        );
        if !memory.is_empty() {
            text += &format!("\n{MEMORY}\n\n{}\n", report::memory_header(&a.subjects));
            text += &memory.iter().map(|r| report::memory_line(r, &a.subjects) + "\n").collect::<String>();
        }
        if !growth.is_empty() {
            text += &format!("\n{GROWTH}\n\n{}\n", report::header(&a.subjects));
            text += &growth.iter().map(|r| report::line(r, &a.subjects) + "\n").collect::<String>();
        }
        fs::write(a.out.join("results.md"), text)?;
        let all = serde_json::json!({ "side": a.side, "times": self.rows, "memory": memory, "growth": growth });
        fs::write(a.out.join("results.json"), serde_json::to_string_pretty(&all)? + "\n")?;
        for workload in &WORKLOADS {
            let rows: Vec<&Row> = self.rows.iter().filter(|r| r.workload == workload.name).collect();
            if !rows.is_empty() {
                let title = format!("{}: {}", workload.name, workload.what);
                fs::write(a.out.join(format!("{}.svg", workload.name)), chart::chart(&title, &rows, &a.subjects))?;
            }
        }
        Ok(())
    }

    fn ask(&mut self, subject: Subject, job: &Job) -> Result<Answer, Failure> {
        let same = |w: &Worker| w.subject == subject && w.one_thread == job.one_thread;
        let i = match self.workers.iter().position(same) {
            Some(i) => i,
            None => {
                self.workers.push(Worker::start(subject, job.one_thread)?);
                self.workers.len() - 1
            }
        };
        let answer = self.workers[i].ask(job);
        if answer.is_err() {
            self.workers.remove(i);
        }
        answer
    }
    fn ours(&mut self, job: &Job) -> Result<Answer, Failure> {
        let answer = self.ask(Subject::Ours, job)?;
        match &answer.error {
            Some(e) => Err(format!("{:?} {}: {e}", job.task, job.path.display()).into()),
            None => Ok(answer),
        }
    }

    /// Returns the store of a layout with all its data, which is created on first use.
    fn store(&mut self, job: &Job, layout: &Layout) -> Result<PathBuf, Failure> {
        let path = self.a.dir.join(layout.name);
        if !path.exists() {
            self.ours(&Job { task: Task::Create, path: path.clone(), ..job.clone() })?;
            self.ours(&Job { task: Task::Write, path: path.clone(), ..job.clone() })?;
            // Files are not read in the moment in which they were written.
            thread::sleep(Duration::from_millis(500));
        }
        Ok(path)
    }

    fn row(&mut self, workload: &Workload, name: &str, shape: [u64; 3], data: &Path) -> Result<Row, Failure> {
        let layout = Layout::named(name).within(shape[0].min(shape[2]));
        let job = job(workload, &layout, shape, data);
        let bytes = if workload.task == Task::Open { 0 } else { job.regions.iter().map(|r| r.len() as u64 * 2).sum() };
        let mut cells: Vec<Cell> =
            self.a.subjects.iter().map(|s| Cell { subject: s.name(), ..Cell::default() }).collect();
        let mut expected = None;
        for repeat in 0..=self.a.repeats {
            for k in 0..cells.len() {
                let k = (k + repeat) % cells.len();
                let subject = self.a.subjects[k];
                let slow = cells[k].seconds.len() >= 2 && cells[k].seconds.iter().all(|s| *s > SLOW);
                if cells[k].failed.is_some() || slow {
                    continue;
                }
                let answer = self.measure(workload, &layout, &job, subject)?;
                if let Some(e) = answer.error {
                    cells[k].failed = Some(e);
                    continue;
                }
                if *expected.get_or_insert(answer.check) != answer.check {
                    return Err(format!("{} {name}: {} has other data", workload.name, subject.name()).into());
                }
                cells[k].reads = answer.reads;
                // The first run warms up caches.
                if repeat > 0 || answer.seconds > SLOW {
                    cells[k].seconds.push(answer.seconds);
                }
            }
        }
        // A program that can only read into new memory is compared by its best way to read.
        if workload.task == Task::ReadInto {
            let fresh = self.rows.iter().find(|r| r.workload == "read-all" && r.layout == name);
            for cell in cells.iter_mut().filter(|c| c.failed.is_some()) {
                let same = fresh.and_then(|r| r.cells.iter().find(|c| c.subject == cell.subject));
                *cell = same.cloned().unwrap_or_else(|| cell.clone());
            }
        }
        cells.iter_mut().for_each(|c| c.finish(bytes));
        Ok(Row { workload: workload.name, layout: name.into(), bytes, cells })
    }

    /// Runs one measurement, and returns the checksum of the elements read or written.
    fn measure(
        &mut self,
        workload: &Workload,
        layout: &Layout,
        job: &Job,
        subject: Subject,
    ) -> Result<Answer, Failure> {
        if workload.task == Task::Open {
            let path = self.a.dir.join("hierarchy");
            if !path.exists() {
                self.ours(&Job {
                    task: Task::Create,
                    path: path.clone(),
                    chunk: [0; 3],
                    shape: [self.a.nodes, 0, 0],
                    ..job.clone()
                })?;
            }
            return self.ask(subject, &Job { path, ..job.clone() });
        }
        let stored = self.store(job, layout)?;
        if matches!(workload.task, Task::Read | Task::ReadInto) {
            return self.ask(subject, &Job { path: stored, ..job.clone() });
        }
        let path = self.a.dir.join("written");
        let mut job = Job { path: path.clone(), from: stored.clone(), ..job.clone() };
        match workload.task {
            Task::Update => copy_tree(&stored, &path)?,
            Task::Copy => {
                let target = workload.target(layout).within(job.shape[2]);
                (job.chunk, job.shard, job.codecs) =
                    ([target.chunk; 3], target.shard.map(|s| [s; 3]), target.codecs.into());
                self.ours(&Job { task: Task::Create, ..job.clone() })?;
            }
            _ => {
                self.ours(&Job { task: Task::Create, ..job.clone() })?;
            }
        }
        let mut answer = self.ask(subject, &job)?;
        if answer.error.is_none() {
            let whole = Region { start: [0; 3], shape: job.shape };
            let read = Job { task: Task::Read, regions: vec![whole], one_thread: false, ..job };
            answer.check = self.ours(&read)?.check;
        }
        fs::remove_dir_all(&path)?;
        Ok(answer)
    }

    /// Measures the memory for reading and writing everything, each in a new process.
    fn memory(&mut self, data: &Path) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        println!("\n{MEMORY}\n");
        for workload in WORKLOADS.iter().filter(|w| ["read-all", "write-all"].contains(&w.name)) {
            for layout in &LAYOUTS {
                let layout = layout.within(self.a.side);
                let job = job(workload, &layout, [self.a.side; 3], data);
                let mut cells = Vec::new();
                // The limit needs no metadata: it would write where the others only load the elements.
                for subject in self.a.subjects.iter().filter(|s| **s != Subject::Limit || workload.task != Task::Write)
                {
                    self.workers.retain(|w| w.subject != *subject);
                    if workload.task == Task::Write {
                        // Loads the elements in advance.
                        let nowhere = Job { path: self.a.dir.join("nowhere"), ..job.clone() };
                        self.ask(*subject, &nowhere)?;
                    }
                    let answer = self.measure(workload, &layout, &job, *subject)?;
                    cells.push(Cell {
                        subject: subject.name(),
                        peak: Some(answer.peak),
                        failed: answer.error,
                        ..Cell::default()
                    });
                }
                let row = Row {
                    workload: workload.name,
                    layout: layout.name.into(),
                    bytes: job.regions[0].len() as u64 * 2,
                    cells,
                };
                println!("{}", report::memory_line(&row, &self.a.subjects));
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Measures whether time grows in proportion to the data.
    fn growth(&mut self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        println!("\n{GROWTH}\n");
        for planes in [self.a.side / 4, self.a.side, self.a.side * 4] {
            let shape = [planes, self.a.side, self.a.side];
            let data = self.a.dir.join("grown");
            layout::write_field(&data, shape)?;
            for name in ["raw", "zstd", "shard-zstd"] {
                let _not_of_this_size = fs::remove_dir_all(self.a.dir.join(name));
                for workload in WORKLOADS.iter().filter(|w| ["read-all", "write-all"].contains(&w.name)) {
                    // The cached elements have another size.
                    self.workers.clear();
                    let mut row = self.row(workload, name, shape, &data)?;
                    row.layout = format!("{name}, {} MiB", row.bytes >> 20);
                    println!("{}", report::line(&row, &self.a.subjects));
                    rows.push(row);
                }
                fs::remove_dir_all(self.a.dir.join(name))?;
            }
        }
        Ok(rows)
    }
}

fn job(workload: &Workload, layout: &Layout, shape: [u64; 3], data: &Path) -> Job {
    Job {
        task: workload.task,
        path: PathBuf::new(),
        from: PathBuf::new(),
        data: data.to_owned(),
        regions: workload.regions(layout, shape),
        one_thread: workload.one_thread,
        shape,
        chunk: [layout.chunk; 3],
        shard: layout.shard.map(|s| [s; 3]),
        codecs: layout.codecs.into(),
    }
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_tree(&entry.path(), &to)?,
            false => {
                fs::copy(entry.path(), to)?;
            }
        }
    }
    Ok(())
}
