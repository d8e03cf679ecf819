//! Resource limits of a process.
//!
//! Memory is limited as address space: the one limit that holds without cgroups. Processor time is
//! counted by the kernel over the whole life of a process, so for a child that reads many documents the
//! parent raises the limit before each of them ([`allow_cpu`]); the child itself cannot. A parent that lacks
//! the right (root without `CAP_SYS_RESOURCE`, whose child is another user) replaces the child in time.
//!
//! There is no limit on the number of processes here: the kernel counts all processes and threads of
//! the *user* against it, so an effective limit would stop the child's own threads on a busy machine.
//! Seccomp denies new processes instead.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};

/// The three standard descriptors, the files of a job, and a few fonts.
const OPEN_FILES: u64 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Bytes of address space.
    pub memory: u64,
    pub cpu: Duration,
}

impl ResourceLimits {
    /// Applies the limits to this process.
    pub fn set(&self) -> io::Result<()> {
        lower(Resource::As, self.memory)?;
        lower(Resource::Core, 0)?;
        lower(Resource::Fsize, 0)?;
        lower(Resource::Memlock, 0)?;
        lower(Resource::Nofile, OPEN_FILES)?;
        let cpu = Rlimit { current: Some(whole_seconds(self.cpu)), ..getrlimit(Resource::Cpu) };
        Ok(setrlimit(Resource::Cpu, cpu)?)
    }
}

/// Allows the process this much more processor time.
pub(crate) fn allow_cpu(process: u32, time: Duration) -> io::Result<()> {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
    let limit = cpu_used(process)?.saturating_add(whole_seconds(time));
    let inherited = getrlimit(Resource::Cpu);
    let current = inherited.maximum.map_or(limit, |maximum| limit.min(maximum));
    prlimit(Some(pid), Resource::Cpu, Rlimit { current: Some(current), ..inherited })?;
    Ok(())
}

/// Seconds of processor time so far, rounded up.
pub(crate) fn cpu_used(process: u32) -> io::Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may contain spaces; the state and the numbers follow it.
    let numbers = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = numbers.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks = ticks.sum::<Result<u64, _>>().map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(ticks.div_ceil(rustix::param::clock_ticks_per_second().max(1)))
}

fn lower(resource: Resource, to: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let to = Some(maximum.map_or(to, |maximum| to.min(maximum)));
    Ok(setrlimit(resource, Rlimit { current: to, maximum: to })?)
}

/// At least 1: the kernel treats 0 as 1.
fn whole_seconds(time: Duration) -> u64 {
    (time.as_secs() + u64::from(time.subsec_nanos() > 0)).max(1)
}
