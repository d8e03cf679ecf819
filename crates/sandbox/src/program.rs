//! A program of somebody else's (tesseract), started in a sandbox of its own.
//!
//! A process of this binary locks itself down, then *becomes* the program. Starting a program must be
//! allowed for that, and stays allowed: Landlock grants it for this one file and its loader, and no new
//! process can be made, so all that is left is to start the same program over, in the same sandbox.
//!
//! The program loads its libraries by itself, so it must be able to open paths. Where there is no private
//! root it can therefore find out which paths exist.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

use super::limits::ResourceLimits;
use super::{SandboxError, SandboxPolicy, SandboxStatus, landlock, syscalls};

/// Which program is to be run, and what it may use. Travels as arguments of the process that obeys it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The process to end with.
    pub parent: u32,
    pub sandbox: SandboxPolicy,
    pub limits: ResourceLimits,
    pub program: PathBuf,
    /// Files and folders that it may read: its libraries, its data.
    pub readable: Vec<PathBuf>,
    pub arguments: Vec<OsString>,
}

impl Order {
    pub fn to_arguments(&self) -> Vec<OsString> {
        let numbers =
            [u64::from(self.parent), self.limits.memory, self.limits.cpu.as_secs().max(1)];
        let mut arguments: Vec<_> =
            numbers.iter().map(|number| number.to_string().into()).collect();
        arguments.push(self.sandbox.as_str().into());
        arguments.push(self.readable.len().to_string().into());
        arguments.extend(self.readable.iter().map(|path| path.clone().into_os_string()));
        arguments.push(self.program.clone().into_os_string());
        arguments.extend(self.arguments.iter().cloned());
        arguments
    }

    /// None when these are not the arguments that [`Order::to_arguments`] made.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut arguments = arguments.into_iter();
        let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
        let parent = u32::try_from(number()?).ok()?;
        let memory = number()?;
        let cpu = Duration::from_secs(number()?);
        let sandbox = arguments.next()?.to_str()?.parse().ok()?;
        let count = arguments.next()?.to_str()?.parse().ok()?;
        let readable: Vec<_> = arguments.by_ref().take(count).map(PathBuf::from).collect();
        let program = PathBuf::from(arguments.next()?);
        let limits = ResourceLimits { memory, cpu };
        Some(Self { parent, sandbox, limits, program, readable, arguments: arguments.collect() })
    }
}

/// The exit code of a runner that did not become its program.
pub(crate) const NOT_STARTED: u8 = 125;

/// The runner's whole life: becomes the program that its arguments name. Comes back only when that
/// failed, with the exit code that says so; why is on the error output.
pub fn run_program(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut said = "this command is started by Docket itself, never by hand".to_owned();
    if let Some(order) = Order::from_arguments(arguments) {
        let error = become_program(&order);
        said = error.to_string();
        if let Some(source) = error.source() {
            said = format!("{said}: {source}");
        }
    }
    // Where the error output is gone too, the exit code has to do.
    drop(writeln!(std::io::stderr(), "{said}"));
    ExitCode::from(NOT_STARTED)
}

fn become_program(order: &Order) -> SandboxError {
    match lock_in(order) {
        Ok(()) => SandboxError::Program {
            program: order.program.clone(),
            source: Command::new(&order.program).args(&order.arguments).exec(),
        },
        Err(error) => error,
    }
}

fn lock_in(order: &Order) -> Result<(), SandboxError> {
    super::close_inherited().map_err(SandboxError::Descriptors)?;
    order.limits.set().map_err(SandboxError::Limit)?;
    let mut executable = vec![order.program.clone()];
    executable.extend(loader_of(&order.program));
    let visible = [order.readable.as_slice(), &executable].concat();
    let (private_root, uid) = super::give_up_rights(order.parent, &visible)?;
    // Counted for each user, so only after the user is another.
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Nproc, none).map_err(|error| SandboxError::Limit(error.into()))?;
    let landlock = landlock::restrict(&order.readable, &executable)?;
    let seccomp = syscalls::restrict(syscalls::Rules::running_a_program()?)?;
    let status = SandboxStatus { landlock, seccomp, private_root, uid };
    if order.sandbox.admits(status) { Ok(()) } else { Err(SandboxError::Missing(status)) }
}

/// The dynamic loader that a program names near its beginning; the kernel starts it first.
fn loader_of(program: &Path) -> Option<PathBuf> {
    let mut beginning = Vec::new();
    std::fs::File::open(program).ok()?.take(4096).read_to_end(&mut beginning).ok()?;
    let names = beginning.split(|byte| *byte == 0);
    let mut paths = names.filter(|name| name.starts_with(b"/")).map(OsStr::from_bytes);
    paths.find(|path| path.as_bytes().windows(4).any(|part| part == b"/ld-")).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_way_through_arguments() {
        let order = Order {
            parent: 7,
            sandbox: SandboxPolicy::BestEffort,
            limits: ResourceLimits { memory: 1 << 30, cpu: Duration::from_secs(5) },
            program: "/usr/bin/tesseract".into(),
            readable: vec!["/usr/lib".into(), "/a folder:with signs".into()],
            arguments: vec!["-".into(), "--psm".into(), "6".into()],
        };
        assert_eq!(Order::from_arguments(order.to_arguments()), Some(order));
        assert_eq!(Order::from_arguments(["1".into(), "2".into()]), None);
    }
}
