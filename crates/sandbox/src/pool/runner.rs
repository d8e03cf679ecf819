//! Runs an external program (tesseract) on one input at a time, each in its own sandbox.
//!
//! The program reads the input from standard input and writes its result to standard output. A process of this
//! binary locks itself down and then executes the program: see [`crate::run_program`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Child as Process;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::document::Document;
use super::failure::{Bounds, ChildFailure};
use super::starter::ProcessStarter;
use super::stderr_tail::StderrTail;
use crate::limits::ResourceLimits;
use crate::{NOT_STARTED, ProgramRequest, SandboxPolicy};

#[derive(Clone, Debug)]
pub struct RunnerSettings {
    /// How many run at once.
    pub at_once: usize,
    /// This binary; an absolute path.
    pub runner: PathBuf,
    /// The arguments that make it the runner; the encoded request follows them.
    pub runner_arguments: Vec<OsString>,
    pub program: PathBuf,
    /// Whether it runs without a lock of the sandbox.
    pub sandbox: SandboxPolicy,
    /// What the program may read: shared libraries, data.
    pub readable: Vec<PathBuf>,
    /// The whole environment of the program.
    pub environment: Vec<(OsString, OsString)>,
    pub memory: u64,
    pub cpu: Duration,
    pub wall: Duration,
    /// Bytes that it may write.
    pub output: u64,
}

impl RunnerSettings {
    pub fn new(
        runner: impl Into<PathBuf>,
        runner_arguments: &[&str],
        program: impl Into<PathBuf>,
    ) -> Self {
        let readable = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"];
        // Debian's libraries may be links through `/etc/alternatives`.
        let more = ["/etc/ld.so.cache", "/etc/alternatives"];
        Self {
            at_once: 2,
            runner: runner.into(),
            runner_arguments: runner_arguments.iter().map(OsString::from).collect(),
            program: program.into(),
            sandbox: SandboxPolicy::Required,
            readable: readable.iter().chain(&more).map(PathBuf::from).collect(),
            environment: Vec::new(),
            memory: 1 << 30,
            cpu: Duration::from_mins(1),
            wall: Duration::from_mins(1),
            output: 64 << 20,
        }
    }
}

/// A program that exited by itself.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its exit code.
    pub code: i32,
    pub output: Vec<u8>,
    /// The end of its error output.
    pub stderr_tail: String,
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct ProgramRunner(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: RunnerSettings,
    slots: Semaphore,
    starter: OnceLock<ProcessStarter>,
}

impl ProgramRunner {
    pub fn new(settings: RunnerSettings) -> Self {
        let slots = Semaphore::new(settings.at_once.max(1));
        Self(Arc::new(Inner { settings, slots, starter: OnceLock::new() }))
    }

    pub fn program(&self) -> &Path {
        &self.0.settings.program
    }

    /// Waits for a free slot and runs the program. The caller interprets the exit code.
    pub async fn run(
        &self,
        input: &Document,
        arguments: Vec<OsString>,
    ) -> Result<Finished, ChildFailure> {
        let closed = |_| ChildFailure::not_started("the pool is closed");
        let _slot = self.0.slots.acquire().await.map_err(closed)?;
        let process = self.start(input, arguments).await?;
        let wall = self.0.settings.wall;
        // A timeout drops the process, which kills it.
        let finished = timeout(wall, self.finish(process)).await;
        finished.unwrap_or(Err(ChildFailure::TimedOut { limit: wall }))
    }

    async fn start(
        &self,
        input: &Document,
        arguments: Vec<OsString>,
    ) -> Result<Process, ChildFailure> {
        let settings = &self.0.settings;
        let request = ProgramRequest {
            parent: std::process::id(),
            sandbox: settings.sandbox,
            limits: ResourceLimits { memory: settings.memory, cpu: settings.cpu },
            program: settings.program.clone(),
            readable: settings.readable.clone(),
            arguments,
        };
        let mut command = Command::new(&settings.runner);
        command
            .args(&settings.runner_arguments)
            .args(request.to_arguments())
            .env_clear()
            .envs(settings.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::from(input.reopened().map_err(ChildFailure::not_started)?))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        self.starter()?.start(command).await.map_err(ChildFailure::not_started)
    }

    async fn finish(&self, mut process: Process) -> Result<Finished, ChildFailure> {
        let settings = &self.0.settings;
        let missing = || ChildFailure::not_started("it has no pipes");
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let mut stderr_tail = StderrTail::collect(process.stderr.take().ok_or_else(missing)?);
        let mut output = Vec::new();
        let read = stdout.take(settings.output + 1).read_to_end(&mut output).await;
        read.map_err(ChildFailure::garbled)?;
        if output.len() as u64 > settings.output {
            return Err(ChildFailure::TooMuchOutput { limit: settings.output });
        }
        let status = process.wait().await.map_err(ChildFailure::garbled)?;
        let stderr_tail = stderr_tail.finish().await;
        match status.code() {
            Some(code) if code == i32::from(NOT_STARTED) => {
                Err(ChildFailure::not_started(stderr_tail.trim()))
            }
            Some(code) => Ok(Finished { code, output, stderr_tail }),
            None => {
                let bounds = Bounds { memory: settings.memory, cpu: settings.cpu };
                Err(ChildFailure::from_exit(status, stderr_tail, bounds))
            }
        }
    }

    fn starter(&self) -> Result<&ProcessStarter, ChildFailure> {
        if let Some(starter) = self.0.starter.get() {
            return Ok(starter);
        }
        let starter = ProcessStarter::open().map_err(ChildFailure::not_started)?;
        Ok(self.0.starter.get_or_init(|| starter))
    }
}
