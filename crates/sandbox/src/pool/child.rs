//! The parent's side of one child process.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};
use std::time::Duration;

use domain::TenantId;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::process::{Child as Process, ChildStdout};
use tokio::time::{Instant, timeout};

use super::failure::{Bounds, ChildFailure};
use super::frames::{FrameError, FrameReader};
use super::pool::PoolSettings;
use super::protocol::{
    ChildConfig, Envelope, GREETING, Greeting, HandlerName, MAX_FILES, VERSION, from_frame,
    to_frame,
};
use super::starter::ProcessStarter;
use super::stderr_tail::StderrTail;
use crate::SandboxStatus;
use crate::limits::{allow_cpu, cpu_used};

/// How long a child whose pipe is closed may take to exit.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
const REPLACED: &str = "the program was replaced: restart Docket";

#[derive(Debug)]
pub(crate) struct Child {
    process: Process,
    id: u32,
    requests: UnixStream,
    pub(crate) answers: FrameReader<ChildStdout>,
    stderr_tail: StderrTail,
    bounds: Bounds,
    pub(crate) sandbox: SandboxStatus,
    handlers: Vec<(String, u16)>,
    /// Whether the parent can raise the limit on processor time for each job. Root needs
    /// `CAP_SYS_RESOURCE` for that, which containers withhold.
    can_raise_cpu_limit: bool,
    /// The tenant whose bytes it has seen; `None` before its first job.
    pub(crate) tenant: Option<TenantId>,
    pub(crate) served: u32,
    /// When it last became free.
    pub(crate) idle_since: Instant,
}

impl Child {
    /// Starts a child and waits until it has locked itself down.
    pub(crate) async fn start(
        starter: &ProcessStarter,
        settings: &PoolSettings,
    ) -> Result<Self, ChildFailure> {
        match timeout(settings.start, Self::start_and_greet(starter, settings)).await {
            Ok(child) => child,
            Err(_) => Err(not_started("it was not ready in time")),
        }
    }

    async fn start_and_greet(
        starter: &ProcessStarter,
        settings: &PoolSettings,
    ) -> Result<Self, ChildFailure> {
        let (requests, theirs) = socket_pair().map_err(not_started)?;
        let mut command = Command::new(&settings.program);
        command
            .args(&settings.arguments)
            // The environment may contain secrets: the child inherits none of it.
            .env_clear()
            .envs(settings.environment.iter().map(|(name, value)| (name, value)))
            // Each arena of the C library reserves 64 MiB of the limited address space.
            .env("MALLOC_ARENA_MAX", "2")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = starter.start(command).await.map_err(not_started)?;
        let missing = || not_started("it has no pipes");
        let id = process.id().ok_or_else(missing)?;
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let stderr = process.stderr.take().ok_or_else(missing)?;

        let config = ChildConfig {
            version: VERSION,
            parent: std::process::id(),
            memory: settings.memory,
            // Enough for one more job when half of it is used, in case the limit cannot be raised.
            cpu_seconds: 2 * settings.cpu.as_secs().max(1),
            sandbox: settings.sandbox,
        };
        let mut child = Self {
            process,
            id,
            requests,
            answers: FrameReader::new(stdout),
            stderr_tail: StderrTail::collect(stderr),
            bounds: Bounds { memory: settings.memory, cpu: settings.cpu },
            // Replaced by what the greeting reports.
            sandbox: SandboxStatus::NONE,
            handlers: Vec::new(),
            can_raise_cpu_limit: false,
            tenant: None,
            served: 0,
            idle_since: Instant::now(),
        };
        child.handshake(&config).await?;
        if !settings.sandbox.admits(child.sandbox) {
            return Err(ChildFailure::Unprotected { sandbox: child.sandbox });
        }
        child.can_raise_cpu_limit = allow_cpu(child.id, settings.cpu).is_ok();
        Ok(child)
    }

    async fn handshake(&mut self, config: &ChildConfig) -> Result<(), ChildFailure> {
        let config = to_frame(config).map_err(not_started)?;
        // If the child has exited already, the missing greeting leads to the reason.
        let _ignored = self.requests.write_all(&config).await;
        match self.greeting().await {
            Ok(Greeting::Ready { version: VERSION, sandbox, handlers }) => {
                (self.sandbox, self.handlers) = (sandbox, handlers);
                Ok(())
            }
            Ok(Greeting::Ready { .. }) => Err(not_started(REPLACED)),
            Ok(Greeting::Unprotected { sandbox }) => Err(ChildFailure::Unprotected { sandbox }),
            Ok(Greeting::NotReady { why }) => Err(not_started(why)),
            Err(FrameError::Ended) => {
                let failure = self.exit_failure().await;
                Err(not_started(match failure {
                    ChildFailure::Crashed { ref stderr_tail, .. } if !stderr_tail.is_empty() => {
                        format!("{failure}: {}", stderr_tail.trim())
                    }
                    other => other.to_string(),
                }))
            }
            Err(error) => Err(not_started(format!("its answer is invalid ({error:?})"))),
        }
    }

    async fn greeting(&mut self) -> Result<Greeting, FrameError> {
        match self.answers.next(u64::MAX).await? {
            (GREETING, frame, _) => {
                from_frame(&frame).map_err(|_| FrameError::Garbled("no greeting"))
            }
            _ => Err(FrameError::Garbled("unexpected frame")),
        }
    }

    /// Fails when the child lacks a handler that its parent has: the binary was replaced.
    pub(crate) fn check_serves(&self, handler: HandlerName) -> Result<(), ChildFailure> {
        let matches = |(name, version): &(String, u16)| {
            (name.as_str(), *version) == (handler.name, handler.version)
        };
        if self.handlers.iter().any(matches) { Ok(()) } else { Err(not_started(REPLACED)) }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Whether it can take another document.
    pub(crate) fn is_healthy(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
            && self.answers.is_empty()
            && self.has_cpu_time()
    }

    /// Whether a job could use all the processor time that it is granted.
    fn has_cpu_time(&self) -> bool {
        self.can_raise_cpu_limit
            || cpu_used(self.id).is_ok_and(|used| used <= self.bounds.cpu.as_secs())
    }

    /// Sends a job. After an error the child has not received it.
    pub(crate) async fn send(
        &mut self,
        envelope: &Envelope,
        files: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        self.stderr_tail.clear();
        if self.can_raise_cpu_limit {
            allow_cpu(self.id, self.bounds.cpu)?;
        }
        let message = to_frame(envelope)?;
        let sent = self
            .requests
            .async_io(Interest::WRITABLE, || send_with(&self.requests, &message, files))
            .await?;
        self.requests.write_all(message.get(sent..).unwrap_or_default()).await
    }

    /// Why a child whose pipe is closed has exited.
    pub(crate) async fn exit_failure(&mut self) -> ChildFailure {
        let Ok(Ok(status)) = timeout(EXIT_TIMEOUT, self.process.wait()).await else {
            return ChildFailure::garbled("it stopped answering");
        };
        ChildFailure::from_exit(status, self.stderr_tail.finish().await, self.bounds)
    }
}

fn socket_pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    let theirs = theirs.into_std()?;
    theirs.set_nonblocking(false)?;
    Ok((ours, theirs.into()))
}

fn send_with(to: &UnixStream, message: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many files at once"));
    }
    Ok(sendmsg(to, &[IoSlice::new(message)], &mut control, SendFlags::NOSIGNAL)?)
}

fn not_started(why: impl ToString) -> ChildFailure {
    ChildFailure::not_started(why)
}
