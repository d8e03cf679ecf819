//! How much memory this process and its children ever had, as the kernel counts it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(50);

/// Looks at the children until it is asked. One that lives for less than a glance may be missed.
pub(super) struct Watch {
    largest: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// In KiB.
pub(super) struct Peaks {
    pub(super) parent: u64,
    pub(super) largest_child: u64,
}

impl Watch {
    pub(super) fn begin() -> Self {
        let (largest, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let thread = std::thread::spawn({
            let (largest, over) = (Arc::clone(&largest), Arc::clone(&over));
            move || {
                while !over.load(Ordering::Relaxed) {
                    let peak = children().filter_map(|child| peak_of(&child)).max().unwrap_or(0);
                    largest.fetch_max(peak, Ordering::Relaxed);
                    std::thread::park_timeout(EVERY);
                }
            }
        });
        Self { largest, over, thread }
    }

    pub(super) fn end(self) -> Peaks {
        self.over.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // It cannot have panicked in a way that matters to a sum.
        self.thread.join().ok();
        Peaks {
            parent: peak_of("self").unwrap_or(0),
            largest_child: self.largest.load(Ordering::Relaxed),
        }
    }
}

fn peak_of(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.split_whitespace().next()?.parse().ok()
}

/// The processes whose parent is this one.
fn children() -> impl Iterator<Item = String> {
    let own = std::process::id().to_string();
    let is_ours = move |id: &String| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name, in parentheses, may hold spaces; after it come the state and the parent.
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        rest.split_whitespace().nth(1) == Some(own.as_str())
    };
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = names.filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).filter(is_ours)
}
