//! Executes an external program (tesseract) in its own sandbox.
//!
//! A process of this binary locks itself down, then executes the program in its place (`exec`). That call must
//! be allowed and stays allowed, but Landlock grants it for this one file and its loader, and seccomp denies
//! new processes: the program can only execute itself again, in the same sandbox.
//!
//! The program loads its own libraries, so it must be able to open paths. Without a private root it can
//! therefore find out which paths exist.

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

/// Which program to run, and what it may use. It is passed as arguments of the runner process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRequest {
    /// The runner ends together with this process.
    pub parent: u32,
    pub sandbox: SandboxPolicy,
    pub limits: ResourceLimits,
    pub program: PathBuf,
    /// Files and folders that it may read: its libraries, its data.
    pub readable: Vec<PathBuf>,
    pub arguments: Vec<OsString>,
}

impl ProgramRequest {
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

    /// `None` when [`ProgramRequest::to_arguments`] did not produce these arguments.
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

/// The exit code of a runner that could not execute its program.
pub(crate) const NOT_STARTED: u8 = 125;

/// The main function of the runner: executes the program that its arguments name. Returns only when that
/// failed, and writes the reason to standard error.
pub fn run_program(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut message = "this command is started by Docket itself, never by hand".to_owned();
    if let Some(request) = ProgramRequest::from_arguments(arguments) {
        let error = execute(&request);
        message = error.to_string();
        if let Some(source) = error.source() {
            message = format!("{message}: {source}");
        }
    }
    // If standard error is closed, the exit code must do.
    drop(writeln!(std::io::stderr(), "{message}"));
    ExitCode::from(NOT_STARTED)
}

fn execute(request: &ProgramRequest) -> SandboxError {
    match lock_down_for(request) {
        Ok(()) => SandboxError::Program {
            program: request.program.clone(),
            source: Command::new(&request.program).args(&request.arguments).exec(),
        },
        Err(error) => error,
    }
}

fn lock_down_for(request: &ProgramRequest) -> Result<(), SandboxError> {
    super::close_inherited().map_err(SandboxError::Descriptors)?;
    request.limits.set().map_err(SandboxError::Limit)?;
    let mut executable = vec![request.program.clone()];
    executable.extend(loader_of(&request.program));
    let visible = [request.readable.as_slice(), &executable].concat();
    let (private_root, uid) = super::drop_rights(request.parent, &visible)?;
    // The kernel counts processes per user, so set it after the user id has changed.
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Nproc, none).map_err(|error| SandboxError::Limit(error.into()))?;
    let landlock = landlock::restrict(&request.readable, &executable)?;
    let seccomp = syscalls::restrict(syscalls::Rules::running_a_program()?)?;
    let status = SandboxStatus { landlock, seccomp, private_root, uid };
    if request.sandbox.admits(status) { Ok(()) } else { Err(SandboxError::Missing(status)) }
}

/// The dynamic loader that the program's header names.
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
    fn a_request_survives_encoding_as_arguments() {
        let request = ProgramRequest {
            parent: 7,
            sandbox: SandboxPolicy::BestEffort,
            limits: ResourceLimits { memory: 1 << 30, cpu: Duration::from_secs(5) },
            program: "/usr/bin/tesseract".into(),
            readable: vec!["/usr/lib".into(), "/a folder:with signs".into()],
            arguments: vec!["-".into(), "--psm".into(), "6".into()],
        };
        assert_eq!(ProgramRequest::from_arguments(request.to_arguments()), Some(request));
        assert_eq!(ProgramRequest::from_arguments(["1".into(), "2".into()]), None);
    }
}
