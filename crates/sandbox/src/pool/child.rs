//! One child, seen from the parent.

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
use super::frames::{Broken, FrameReader};
use super::last_words::LastWords;
use super::pool::PoolSettings;
use super::protocol::{
    Envelope, GREETING, Greeting, HandlerName, MAX_HANDED, Terms, VERSION, framed, opened,
};
use super::starter::ProcessStarter;
use crate::SandboxStatus;
use crate::limits::{allow_cpu, cpu_used};

/// A child whose pipe is closed is dead, or about to be.
const DYING: Duration = Duration::from_secs(2);
const REPLACED: &str = "the program was replaced: restart Docket";

#[derive(Debug)]
pub(crate) struct Child {
    process: Process,
    id: u32,
    requests: UnixStream,
    pub(crate) answers: FrameReader<ChildStdout>,
    last_words: LastWords,
    bounds: Bounds,
    pub(crate) sandbox: SandboxStatus,
    handlers: Vec<(String, u16)>,
    /// Whether the limit on processor time can be moved for each job. Root needs `CAP_SYS_RESOURCE` for
    /// that, which containers withhold.
    limit_moves: bool,
    /// Whose bytes it has seen; none as long as it has seen nobody's.
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
        match timeout(settings.start, Self::start_patiently(starter, settings)).await {
            Ok(child) => child,
            Err(_) => Err(not_started("it was not ready in time")),
        }
    }

    async fn start_patiently(
        starter: &ProcessStarter,
        settings: &PoolSettings,
    ) -> Result<Self, ChildFailure> {
        let (requests, theirs) = socket_pair().map_err(not_started)?;
        let mut command = Command::new(&settings.program);
        command
            .args(&settings.arguments)
            // Secrets come in by the environment: none of it goes further.
            .env_clear()
            .envs(settings.environment.iter().map(|(name, value)| (name, value)))
            // Each arena of the C library reserves 64 MiB of the address space that is limited.
            .env("MALLOC_ARENA_MAX", "2")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = starter.start(command).await.map_err(not_started)?;
        let missing = || not_started("it has no pipes");
        let id = process.id().ok_or_else(missing)?;
        let stdout = process.stdout.take().ok_or_else(missing)?;
        let stderr = process.stderr.take().ok_or_else(missing)?;

        let terms = Terms {
            version: VERSION,
            parent: std::process::id(),
            memory: settings.memory,
            // Enough for one more job when half of it is used. Whoever can, moves it for each job.
            cpu_seconds: 2 * settings.cpu.as_secs().max(1),
            sandbox: settings.sandbox,
        };
        let mut child = Self {
            process,
            id,
            requests,
            answers: FrameReader::new(stdout),
            last_words: LastWords::listen(stderr),
            bounds: Bounds { memory: settings.memory, cpu: settings.cpu },
            // Until it says otherwise.
            sandbox: SandboxStatus::NONE,
            handlers: Vec::new(),
            limit_moves: false,
            tenant: None,
            served: 0,
            idle_since: Instant::now(),
        };
        child.agree_on(&terms).await?;
        if !settings.sandbox.admits(child.sandbox) {
            return Err(ChildFailure::Unprotected { sandbox: child.sandbox });
        }
        child.limit_moves = allow_cpu(child.id, settings.cpu).is_ok();
        Ok(child)
    }

    async fn agree_on(&mut self, terms: &Terms) -> Result<(), ChildFailure> {
        let terms = framed(terms).map_err(not_started)?;
        // When it is dead already, the missing greeting tells why.
        let _told = self.requests.write_all(&terms).await;
        match self.greeting().await {
            Ok(Greeting::Ready { version: VERSION, sandbox, handlers }) => {
                (self.sandbox, self.handlers) = (sandbox, handlers);
                Ok(())
            }
            Ok(Greeting::Ready { .. }) => Err(not_started(REPLACED)),
            Ok(Greeting::Unprotected { sandbox }) => Err(ChildFailure::Unprotected { sandbox }),
            Ok(Greeting::NotReady { why }) => Err(not_started(why)),
            Err(Broken::Ended) => {
                let death = self.explain_death().await;
                Err(not_started(match death {
                    ChildFailure::Crashed { ref last_words, .. } if !last_words.is_empty() => {
                        format!("{death}: {}", last_words.trim())
                    }
                    other => other.to_string(),
                }))
            }
            Err(broken) => Err(not_started(format!("it answers strangely ({broken:?})"))),
        }
    }

    async fn greeting(&mut self) -> Result<Greeting, Broken> {
        match self.answers.next(u64::MAX).await? {
            (GREETING, frame, _) => opened(&frame).map_err(|_| Broken::Garbled("no greeting")),
            _ => Err(Broken::Garbled("a frame is out of place")),
        }
    }

    /// Fails when it has no such handler, which its parent has.
    pub(crate) fn check_serves(&self, handler: HandlerName) -> Result<(), ChildFailure> {
        let is_it = |(name, version): &(String, u16)| {
            (name.as_str(), *version) == (handler.name, handler.version)
        };
        if self.handlers.iter().any(is_it) { Ok(()) } else { Err(not_started(REPLACED)) }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Whether it can be given another document.
    pub(crate) fn is_well(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None)) && self.answers.is_quiet() && self.has_time()
    }

    /// Whether a job may use all the processor time that it is granted.
    fn has_time(&self) -> bool {
        self.limit_moves || cpu_used(self.id).is_ok_and(|used| used <= self.bounds.cpu.as_secs())
    }

    /// Hands over a job. After an error the child has not seen it.
    pub(crate) async fn send(
        &mut self,
        envelope: &Envelope,
        handed: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        self.last_words.forget();
        if self.limit_moves {
            allow_cpu(self.id, self.bounds.cpu)?;
        }
        let message = framed(envelope)?;
        let sent = self
            .requests
            .async_io(Interest::WRITABLE, || send_with(&self.requests, &message, handed))
            .await?;
        self.requests.write_all(message.get(sent..).unwrap_or_default()).await
    }

    /// Why a child whose pipe is closed died.
    pub(crate) async fn explain_death(&mut self) -> ChildFailure {
        let Ok(Ok(status)) = timeout(DYING, self.process.wait()).await else {
            return ChildFailure::garbled("it stopped answering");
        };
        ChildFailure::of_death(status, self.last_words.hear().await, self.bounds)
    }
}

fn socket_pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = UnixStream::pair()?;
    let theirs = theirs.into_std()?;
    theirs.set_nonblocking(false)?;
    Ok((ours, theirs.into()))
}

fn send_with(to: &UnixStream, message: &[u8], handed: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_HANDED))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !handed.is_empty() && !control.push(SendAncillaryMessage::ScmRights(handed)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many files at once"));
    }
    Ok(sendmsg(to, &[IoSlice::new(message)], &mut control, SendFlags::NOSIGNAL)?)
}

fn not_started(why: impl ToString) -> ChildFailure {
    ChildFailure::not_started(why)
}
