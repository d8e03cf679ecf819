//! One reading child, seen from the parent.

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

use super::failure::{Bounds, ReadFailure};
use super::frames::{Broken, FrameReader};
use super::last_words::LastWords;
use super::nursery::Nursery;
use super::pool::PoolSettings;
use super::protocol::{Envelope, Greeting, MAX_HANDED, Terms, VERSION};
use crate::artifact;
use crate::sandbox::SandboxStatus;
use crate::sandbox::limits::{allow_cpu, cpu_used};

/// A child whose pipe is closed is dead, or about to be.
const DYING: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Child {
    process: Process,
    id: u32,
    requests: UnixStream,
    pub(crate) answers: FrameReader<ChildStdout>,
    last_words: LastWords,
    bounds: Bounds,
    pub(crate) sandbox: SandboxStatus,
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
        nursery: &Nursery,
        settings: &PoolSettings,
    ) -> Result<Self, ReadFailure> {
        match timeout(settings.start, Self::start_patiently(nursery, settings)).await {
            Ok(started) => started,
            Err(_) => Err(not_started("it was not ready in time")),
        }
    }

    async fn start_patiently(
        nursery: &Nursery,
        settings: &PoolSettings,
    ) -> Result<Self, ReadFailure> {
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
        let mut process = nursery.start(command).await.map_err(not_started)?;
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
            limit_moves: false,
            tenant: None,
            served: 0,
            idle_since: Instant::now(),
        };
        child.sandbox = child.agree_on(&terms).await?;
        if !settings.sandbox.admits(child.sandbox) {
            return Err(ReadFailure::Unprotected { sandbox: child.sandbox });
        }
        child.limit_moves = allow_cpu(child.id, settings.cpu).is_ok();
        Ok(child)
    }

    async fn agree_on(&mut self, terms: &Terms) -> Result<SandboxStatus, ReadFailure> {
        let terms = framed(terms).map_err(not_started)?;
        // When it is dead already, the missing greeting tells why.
        let _told = self.requests.write_all(&terms).await;
        match self.answers.next_message(u64::MAX).await {
            Ok((Greeting::Ready { version: VERSION, sandbox }, _)) => Ok(sandbox),
            Ok((Greeting::Ready { .. }, _)) => {
                Err(not_started("the program was replaced: restart Docket"))
            }
            Ok((Greeting::Unprotected { sandbox }, _)) => Err(ReadFailure::Unprotected { sandbox }),
            Ok((Greeting::NotReady { why }, _)) => Err(not_started(why)),
            Err(Broken::Ended) => {
                let death = self.explain_death().await;
                Err(not_started(match death {
                    ReadFailure::Crashed { ref last_words, .. } if !last_words.is_empty() => {
                        format!("{death}: {}", last_words.trim())
                    }
                    other => other.to_string(),
                }))
            }
            Err(broken) => Err(not_started(format!("it answers strangely ({broken:?})"))),
        }
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
    pub(crate) async fn explain_death(&mut self) -> ReadFailure {
        let Ok(Ok(status)) = timeout(DYING, self.process.wait()).await else {
            return ReadFailure::Garbled { what: "it stopped answering".to_owned() };
        };
        ReadFailure::of_death(status, self.last_words.hear().await, self.bounds)
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

fn framed<T: serde::Serialize>(message: &T) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    artifact::write_frame(&mut bytes, message).map_err(io::Error::other)?;
    Ok(bytes)
}

fn not_started(why: impl ToString) -> ReadFailure {
    ReadFailure::NotStarted { why: why.to_string() }
}
