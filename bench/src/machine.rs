//! What the kernel says about this machine and the processes on it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

/// Cores and memory, in a line.
pub(crate) fn describe() -> anyhow::Result<String> {
    let cores = std::thread::available_parallelism()?;
    let memory = fs::read_to_string("/proc/meminfo")?;
    let kibibytes: f64 =
        line_value(&memory, "MemTotal:").context("no MemTotal in /proc/meminfo")?;
    let cpus = fs::read_to_string("/proc/cpuinfo")?;
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown CPU", |(_, name)| name);
    Ok(format!("{cores} cores ({model}), {:.0} GiB of memory", kibibytes / f64::from(1 << 20)))
}

/// A process and all its descendants.
pub(crate) fn family_of(pid: u32) -> Vec<u32> {
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(parent) = family.get(next) {
        family.extend(children_of(*parent));
        next += 1;
    }
    family
}

fn children_of(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<_>>())
        .collect()
}

/// The time that these processes have spent on a core.
pub(crate) fn cpu_time(pids: &[u32]) -> Duration {
    let nanoseconds = pids.iter().flat_map(|pid| {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        tasks.filter_map(|task| {
            let stat = fs::read_to_string(task.path().join("schedstat")).ok()?;
            stat.split_whitespace().next()?.parse::<u64>().ok()
        })
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// The time on a core of a process and its descendants, to be asked for later.
#[derive(Debug)]
pub(crate) struct FamilyTime {
    eldest: u32,
    before: HashMap<u32, Duration>,
}

impl FamilyTime {
    pub(crate) fn begin(eldest: u32) -> Self {
        Self { eldest, before: Self::now(eldest) }
    }

    /// What those that live now have spent since then. Who ended meanwhile is not counted.
    pub(crate) fn spent(&self) -> Duration {
        let since = |(pid, now): (u32, Duration)| {
            now.saturating_sub(self.before.get(&pid).copied().unwrap_or_default())
        };
        Self::now(self.eldest).into_iter().map(since).sum()
    }

    fn now(eldest: u32) -> HashMap<u32, Duration> {
        family_of(eldest).into_iter().map(|pid| (pid, cpu_time(&[pid]))).collect()
    }
}

/// Memory in mebibytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// What is mapped and present.
    pub(crate) rss: f64,
    /// The same, with shared pages divided among those who share them.
    pub(crate) pss: f64,
}

pub(crate) fn memory(pids: &[u32]) -> anyhow::Result<Memory> {
    let mut sum = Memory::default();
    for pid in pids {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
            .with_context(|| format!("cannot read the memory of process {pid}"))?;
        sum.rss += line_value(&rollup, "Rss:").unwrap_or_default() / 1024.0;
        sum.pss += line_value(&rollup, "Pss:").unwrap_or_default() / 1024.0;
    }
    Ok(sum)
}

/// Forgets the most memory that a process has had so far.
pub(crate) fn forget_peak(pid: u32) -> anyhow::Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5")
        .with_context(|| format!("cannot reset the peak of process {pid}"))
}

/// The most resident memory that a process has had, in mebibytes.
pub(crate) fn peak(pid: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    Ok(line_value(&status, "VmHWM:").context("no VmHWM in its status")? / 1024.0)
}

/// The server of a cluster.
pub(crate) fn postmaster(data: &Path) -> anyhow::Result<u32> {
    let file = data.join("postmaster.pid");
    let text = fs::read_to_string(&file).with_context(|| format!("no {}", file.display()))?;
    text.lines().next().unwrap_or_default().parse().context("the pid file holds no number")
}

fn line_value(text: &str, key: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}
