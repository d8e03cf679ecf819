//! Chooses the child for a job. A child is *fresh* until its first document, and *bound* to that document's
//! tenant from then on.
//!
//! A job takes, in this order: an idle child bound to its tenant, a fresh child, a new child. When a fresh
//! child is taken or any child is lost, the pool starts another in the background, so that jobs rarely wait
//! for a start. Idle bound children of other tenants are evicted, the longest idle first.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use domain::TenantId;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout};

use super::answers::Answers;
use super::child::Child;
use super::document::Document;
use super::failure::ChildFailure;
use super::protocol::{Envelope, HandlerName, MAX_FILES};
use super::starter::ProcessStarter;
use crate::{SandboxPolicy, SandboxStatus};

/// How often a job is sent again because its child had exited.
const ATTEMPTS: usize = 3;

#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// How many jobs run at once.
    pub children: usize,
    /// How many fresh children are ready, in addition.
    pub spares: usize,
    /// This binary; an absolute path.
    pub program: PathBuf,
    /// The arguments that make it a child.
    pub arguments: Vec<OsString>,
    /// Whether children work without a lock of the sandbox.
    pub sandbox: SandboxPolicy,
    /// The whole environment of a child.
    pub environment: Vec<(OsString, OsString)>,
    /// Bytes of address space.
    pub memory: u64,
    /// Processor time for one job.
    pub cpu: Duration,
    /// How long one job may make its caller wait in total.
    pub wall: Duration,
    /// Bytes that one job may return.
    pub output: u64,
    /// How long a child may take to be ready.
    pub start: Duration,
    /// A bound child ends after this time without a job of its tenant.
    pub idle: Duration,
    /// A child is replaced after this many jobs, which bounds memory leaks.
    pub jobs_per_child: u32,
}

impl PoolSettings {
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self {
            children: 2,
            spares: 1,
            program: program.into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            sandbox: SandboxPolicy::Required,
            environment: Vec::new(),
            memory: 1 << 30,
            cpu: Duration::from_mins(2),
            wall: Duration::from_mins(2),
            output: 1 << 30,
            start: Duration::from_secs(20),
            idle: Duration::from_mins(1),
            jobs_per_child: 200,
        }
    }
}

/// A request for a handler, with its files.
#[derive(Debug)]
pub struct Job {
    handler: HandlerName,
    envelope: Envelope,
    files: Vec<Document>,
}

impl Job {
    /// `request` is the handler's [`crate::worker::Handler::Request`]. At most eight files; they keep their order.
    pub fn new<R: Serialize>(
        handler: HandlerName,
        request: &R,
        files: Vec<Document>,
    ) -> Result<Self, ChildFailure> {
        let request = postcard::to_stdvec(request).map_err(ChildFailure::not_started)?;
        let envelope = Envelope { handler: handler.name.to_owned(), request };
        Ok(Self { handler, envelope, files })
    }
}

/// Sandboxed children. Cheap to clone; dropping the last clone ends the children.
#[derive(Clone, Debug)]
pub struct Pool {
    handle: PoolHandle,
}

impl Pool {
    /// Starts no child yet.
    pub fn new(settings: PoolSettings) -> Self {
        let slots = Arc::new(Semaphore::new(settings.children.max(1)));
        let children = Mutex::default();
        let starter = OnceLock::new();
        Self { handle: PoolHandle(Arc::new(PoolShared { settings, slots, children, starter })) }
    }

    /// Waits for a free slot and sends the job to a child. The wait for a slot does not count against the
    /// job's limits.
    pub async fn run(&self, tenant: TenantId, job: Job) -> Result<Answers, ChildFailure> {
        let handle = &self.handle;
        let settings = &handle.0.settings;
        let not_started = |why: &str| ChildFailure::not_started(why);
        if job.files.len() > MAX_FILES {
            return Err(not_started("too many files for one job"));
        }
        let slots = Arc::clone(&handle.0.slots);
        let slot = slots.acquire_owned().await.map_err(|_| not_started("the pool is closed"))?;

        let files = job.files.iter().map(Document::reopened).collect::<io::Result<Vec<_>>>();
        let files = files.map_err(ChildFailure::not_started)?;
        let descriptors: Vec<BorrowedFd<'_>> = files.iter().map(AsFd::as_fd).collect();
        for _ in 0..ATTEMPTS {
            let mut child = handle.child_for(tenant).await?;
            child.check_serves(job.handler)?;
            // Bound before it receives anything, so that no error path leaves it fresh.
            child.tenant = Some(tenant);
            child.served += 1;
            match timeout(settings.wall, child.send(&job.envelope, &descriptors)).await {
                Ok(Ok(())) => {
                    let (output, wall) = (settings.output, settings.wall);
                    return Ok(Answers::new(handle.clone(), child, slot, output, wall));
                }
                Ok(Err(_)) => {}
                Err(_) => return Err(ChildFailure::TimedOut { limit: settings.wall }),
            }
        }
        Err(not_started("readers exit before they receive a job"))
    }

    /// Starts a child to learn what its sandbox enforces, and keeps it for the first job.
    pub async fn check_sandbox(&self) -> Result<SandboxStatus, ChildFailure> {
        let handle = &self.handle;
        let child = Child::start(handle.starter()?, &handle.0.settings).await?;
        let sandbox = child.sandbox;
        handle.idle().fresh.push(child);
        Ok(sandbox)
    }

    pub fn idle_children(&self) -> IdleChildren {
        let idle = self.handle.idle();
        let fresh = idle.fresh.iter().map(Child::id).collect();
        IdleChildren { fresh, bound: idle.bound.iter().map(Child::id).collect() }
    }
}

/// The idle children, by process id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdleChildren {
    /// Those that have seen no tenant's bytes.
    pub fresh: Vec<u32>,
    /// Those bound to a tenant.
    pub bound: Vec<u32>,
}

/// The shared state of the pool, which running jobs hold as well.
#[derive(Clone, Debug)]
pub(crate) struct PoolHandle(Arc<PoolShared>);

#[derive(Debug)]
struct PoolShared {
    settings: PoolSettings,
    /// One permit for each job that may run.
    slots: Arc<Semaphore>,
    children: Mutex<Idle>,
    starter: OnceLock<ProcessStarter>,
}

#[derive(Debug, Default)]
struct Idle {
    fresh: Vec<Child>,
    /// How many are being started, in addition.
    starting: usize,
    /// The longest idle first.
    bound: VecDeque<Child>,
    /// Whether a task is running that ends children after their idle time.
    expiring: bool,
}

impl PoolHandle {
    async fn child_for(&self, tenant: TenantId) -> Result<Child, ChildFailure> {
        if let Some(known) = self.idle().take_bound_to(tenant) {
            return Ok(known);
        }
        let fresh = self.idle().take_fresh();
        self.evict_idle(self.free_slots());
        let child = match fresh {
            Some(fresh) => fresh,
            None => Child::start(self.starter()?, &self.0.settings).await?,
        };
        self.start_spare();
        Ok(child)
    }

    /// Takes back the child of a finished job.
    pub(crate) fn release(&self, mut child: Child) {
        if child.served < self.0.settings.jobs_per_child && child.is_healthy() {
            child.idle_since = Instant::now();
            self.idle().bound.push_back(child);
            self.expire_idle_children();
            // The job's own slot is about to be free.
            self.evict_idle(self.free_slots() + 1);
        } else {
            drop(child);
            self.start_spare();
        }
    }

    /// Starts another child in the background when there are too few fresh ones.
    pub(crate) fn start_spare(&self) {
        // Outside a runtime the process is ending and needs no more children.
        let Ok(runtime) = Handle::try_current() else { return };
        {
            let mut idle = self.idle();
            if idle.fresh.len() + idle.starting >= self.0.settings.spares {
                return;
            }
            idle.starting += 1;
        }
        let pool = Arc::downgrade(&self.0);
        runtime.spawn(async move {
            let Some(shared) = pool.upgrade() else { return };
            let handle = Self(shared);
            let child = match handle.starter() {
                Ok(starter) => Child::start(starter, &handle.0.settings).await,
                Err(failure) => Err(failure),
            };
            let mut idle = handle.idle();
            idle.starting -= 1;
            // The next job reports a child that does not start.
            idle.fresh.extend(child);
        });
    }

    /// Starts a task that ends bound children after their idle time, and stops when none are left.
    fn expire_idle_children(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if std::mem::replace(&mut self.idle().expiring, true) {
            return;
        }
        let longest = self.0.settings.idle;
        let pool = Arc::downgrade(&self.0);
        runtime.spawn(async move {
            loop {
                let Some(shared) = pool.upgrade() else { return };
                let Some(next) = Self(shared).end_expired(longest) else { return };
                // Holds no reference to the pool, which may end meanwhile.
                sleep_until(next).await;
            }
        });
    }

    /// Returns when the next child expires; `None` when there is none.
    fn end_expired(&self, longest: Duration) -> Option<Instant> {
        let mut idle = self.idle();
        while let Some(child) = idle.bound.front() {
            let end = child.idle_since + longest;
            if end > Instant::now() {
                return Some(end);
            }
            idle.bound.pop_front();
        }
        idle.expiring = false;
        None
    }

    fn free_slots(&self) -> usize {
        self.0.slots.available_permits()
    }

    /// Ends idle children beyond the free slots.
    fn evict_idle(&self, slots: usize) {
        let mut idle = self.idle();
        while idle.bound.len() > slots {
            idle.bound.pop_front();
        }
    }

    fn starter(&self) -> Result<&ProcessStarter, ChildFailure> {
        if let Some(starter) = self.0.starter.get() {
            return Ok(starter);
        }
        let starter = ProcessStarter::open().map_err(ChildFailure::not_started)?;
        // Two callers may get here at once; the second thread ends with its sender.
        Ok(self.0.starter.get_or_init(|| starter))
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.0.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    /// The most recently used: its memory is warm.
    fn take_bound_to(&mut self, tenant: TenantId) -> Option<Child> {
        while let Some(at) = self.bound.iter().rposition(|child| child.tenant == Some(tenant)) {
            let child = self.bound.remove(at)?;
            if let Some(child) = if_healthy(child) {
                return Some(child);
            }
        }
        None
    }

    fn take_fresh(&mut self) -> Option<Child> {
        while let Some(child) = self.fresh.pop() {
            if let Some(child) = if_healthy(child) {
                return Some(child);
            }
        }
        None
    }
}

fn if_healthy(mut child: Child) -> Option<Child> {
    child.is_healthy().then_some(child)
}
