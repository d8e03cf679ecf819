//! Samples how much memory a process and its descendants use.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(250);

/// In bytes. Pages that processes share are counted for each of them. What a single process ever had is the
/// kernel's own count; sums are of one moment.
#[derive(Debug, Default)]
pub(crate) struct Peaks {
    /// The server, its children and theirs, and memory files, at one moment.
    pub(crate) all: u64,
    pub(crate) server: u64,
    pub(crate) largest_child: u64,
    pub(crate) memory_files: u64,
    pub(crate) postgres: u64,
    /// Of the server.
    history: Vec<u64>,
}

impl Peaks {
    /// The most in each quarter of the time.
    pub(crate) fn server_by_quarter(&self) -> Vec<u64> {
        let quarter = self.history.len().div_ceil(4).max(1);
        self.history.chunks(quarter).filter_map(|some| some.iter().copied().max()).collect()
    }

    /// The server at the last sample.
    pub(crate) fn server_in_the_end(&self) -> u64 {
        self.history.last().copied().unwrap_or(0)
    }

    fn look(&mut self, server: u32) {
        let (mut all, mut postgres) = (0, 0);
        let mut files = HashMap::new();
        for pid in family_of(server) {
            let (resident, peak) = memory_of(pid);
            if name_of(pid) == "postgres" {
                postgres += resident;
                continue;
            }
            all += resident;
            if pid == server {
                self.server = self.server.max(peak);
                self.history.push(resident);
            } else {
                self.largest_child = self.largest_child.max(peak);
            }
            files.extend(memory_files(pid));
        }
        let memory_files = files.values().sum();
        self.all = self.all.max(all + memory_files);
        self.memory_files = self.memory_files.max(memory_files);
        self.postgres = self.postgres.max(postgres);
    }
}

pub(crate) struct Watch {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Peaks>,
}

impl Watch {
    pub(crate) fn begin(server: u32) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let over = Arc::clone(&over);
            move || {
                let mut peaks = Peaks::default();
                while !over.load(Ordering::Relaxed) {
                    peaks.look(server);
                    std::thread::park_timeout(EVERY);
                }
                peaks
            }
        });
        Self { over, thread }
    }

    pub(crate) fn end(self) -> Peaks {
        self.over.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // It cannot have panicked in a way that matters to a peak.
        self.thread.join().unwrap_or_default()
    }
}

/// The process and all that come from it.
fn family_of(first: u32) -> HashSet<u32> {
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = names.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, parent_of(pid)?))).collect();
    let mut family = HashSet::from([first]);
    loop {
        let children = parents.iter().filter(|(_, parent)| family.contains(parent));
        let children: Vec<u32> = children.map(|(pid, _)| *pid).collect();
        let before = family.len();
        family.extend(children);
        if family.len() == before {
            return family;
        }
    }
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in parentheses, may hold spaces; after it come the state and the parent.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn name_of(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default().trim().to_owned()
}

/// What is resident, and the most that ever was.
fn memory_of(pid: u32) -> (u64, u64) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let bytes = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    };
    (bytes("VmRSS:"), bytes("VmHWM:"))
}

/// Those that it holds open, each by what tells it from others, with what it takes.
fn memory_files(pid: u32) -> HashMap<u64, u64> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let files = open.filter_map(|entry| {
        let is_one = fs::read_link(entry.path()).ok()?.to_str()?.starts_with("/memfd:");
        let about = is_one.then(|| fs::metadata(entry.path()).ok()).flatten()?;
        Some((about.ino(), about.blocks() * 512))
    });
    files.collect()
}
