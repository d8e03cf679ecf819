//! Who does what: children are kept for the tenant whose bytes they have seen, and replaced.
//!
//! A child is *fresh* until it gets its first document, and *bound* to that document's tenant from then
//! on. A job takes, in this order: an idle child bound to its tenant, a fresh one, a new one. When a
//! fresh one is taken or any child is lost, another is started in the background, so that hardly
//! anybody waits for a start. Idle bound children of other tenants make room, the longest idle first.

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
use super::protocol::{Envelope, HandlerName, MAX_HANDED};
use super::starter::ProcessStarter;
use crate::{SandboxPolicy, SandboxStatus};

/// How often a job may find its child dead before it was handed over.
const ATTEMPTS: usize = 3;

#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// How many jobs run at once.
    pub children: usize,
    /// How many fresh children wait, beyond those.
    pub spares: usize,
    /// This binary; an absolute path.
    pub program: PathBuf,
    /// What makes it a child.
    pub arguments: Vec<OsString>,
    /// Whether children work where a lock of the sandbox is missing.
    pub sandbox: SandboxPolicy,
    /// All that a child gets to see of the environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Bytes of address space.
    pub memory: u64,
    /// Processor time for one job.
    pub cpu: Duration,
    /// How long one job may keep its caller waiting, all in all.
    pub wall: Duration,
    /// Bytes that one job may give back.
    pub output: u64,
    /// How long a child may take to be ready.
    pub start: Duration,
    /// A child that is kept for a tenant ends when the tenant sends nothing for so long.
    pub idle: Duration,
    /// A child is replaced after so many jobs: what it leaks goes with it.
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

/// What a handler is to do, and the files for it.
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

/// Sandboxed children. Cheap to clone; the last clone takes the children along.
#[derive(Clone, Debug)]
pub struct Pool {
    keeper: Keeper,
}

impl Pool {
    /// Starts nothing yet.
    pub fn new(settings: PoolSettings) -> Self {
        let places = Arc::new(Semaphore::new(settings.children.max(1)));
        let children = Mutex::default();
        let starter = OnceLock::new();
        Self { keeper: Keeper(Arc::new(Kept { settings, places, children, starter })) }
    }

    /// Waits for a free place, hands the job to a child and gives what comes back. The time it waits
    /// for a place is not the job's.
    pub async fn run(&self, tenant: TenantId, job: Job) -> Result<Answers, ChildFailure> {
        let keeper = &self.keeper;
        let settings = &keeper.0.settings;
        let not_started = |why: &str| ChildFailure::not_started(why);
        if job.files.len() > MAX_HANDED {
            return Err(not_started("too many files for one job"));
        }
        let places = Arc::clone(&keeper.0.places);
        let place = places.acquire_owned().await.map_err(|_| not_started("the pool is closed"))?;

        let files = job.files.iter().map(Document::reopened).collect::<io::Result<Vec<_>>>();
        let files = files.map_err(ChildFailure::not_started)?;
        let descriptors: Vec<BorrowedFd<'_>> = files.iter().map(AsFd::as_fd).collect();
        for _ in 0..ATTEMPTS {
            let mut child = keeper.child_for(tenant).await?;
            child.check_serves(job.handler)?;
            // Bound before it is handed anything, so that no way out of here can leave it fresh.
            child.tenant = Some(tenant);
            child.served += 1;
            match timeout(settings.wall, child.send(&job.envelope, &descriptors)).await {
                Ok(Ok(())) => {
                    let (output, wall) = (settings.output, settings.wall);
                    return Ok(Answers::new(keeper.clone(), child, place, output, wall));
                }
                Ok(Err(_)) => {}
                Err(_) => return Err(ChildFailure::TimedOut { limit: settings.wall }),
            }
        }
        Err(not_started("readers die before they are given anything"))
    }

    /// Starts a child to see what it enforces on itself, and keeps it for the first job.
    pub async fn check_sandbox(&self) -> Result<SandboxStatus, ChildFailure> {
        let keeper = &self.keeper;
        let child = Child::start(keeper.starter()?, &keeper.0.settings).await?;
        let sandbox = child.sandbox;
        keeper.idle().fresh.push(child);
        Ok(sandbox)
    }

    pub fn waiting(&self) -> Waiting {
        let idle = self.keeper.idle();
        let fresh = idle.fresh.iter().map(Child::id).collect();
        Waiting { fresh, bound: idle.bound.iter().map(Child::id).collect() }
    }
}

/// The children that wait, by process id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Those that have seen nobody's bytes.
    pub fresh: Vec<u32>,
    /// Those that are kept for a tenant.
    pub bound: Vec<u32>,
}

/// The pool's inner half, which the answers of running jobs hold on to as well.
#[derive(Clone, Debug)]
pub(crate) struct Keeper(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    settings: PoolSettings,
    /// One permit for each job that may run.
    places: Arc<Semaphore>,
    children: Mutex<Idle>,
    starter: OnceLock<ProcessStarter>,
}

#[derive(Debug, Default)]
struct Idle {
    fresh: Vec<Child>,
    /// How many are being started, beyond those.
    warming: usize,
    /// The longest idle first.
    bound: VecDeque<Child>,
    /// Whether somebody waits for the first of them to have been idle for too long.
    watched: bool,
}

impl Keeper {
    async fn child_for(&self, tenant: TenantId) -> Result<Child, ChildFailure> {
        if let Some(known) = self.idle().take_bound_to(tenant) {
            return Ok(known);
        }
        let fresh = self.idle().take_fresh();
        self.make_room(self.free_places());
        let child = match fresh {
            Some(fresh) => fresh,
            None => Child::start(self.starter()?, &self.0.settings).await?,
        };
        self.warm_up();
        Ok(child)
    }

    /// A job is done, and its child well.
    pub(crate) fn take_back(&self, mut child: Child) {
        if child.served < self.0.settings.jobs_per_child && child.is_well() {
            child.idle_since = Instant::now();
            self.idle().bound.push_back(child);
            self.watch_the_idle();
            // The job's own place is about to be free.
            self.make_room(self.free_places() + 1);
        } else {
            drop(child);
            self.warm_up();
        }
    }

    /// Starts another child in the background when there are too few fresh ones.
    pub(crate) fn warm_up(&self) {
        // Whoever drops the last answers outside a runtime is ending, and needs no more children.
        let Ok(runtime) = Handle::try_current() else { return };
        {
            let mut idle = self.idle();
            if idle.fresh.len() + idle.warming >= self.0.settings.spares {
                return;
            }
            idle.warming += 1;
        }
        let pool = Arc::downgrade(&self.0);
        runtime.spawn(async move {
            let Some(kept) = pool.upgrade() else { return };
            let keeper = Self(kept);
            let child = match keeper.starter() {
                Ok(starter) => Child::start(starter, &keeper.0.settings).await,
                Err(failure) => Err(failure),
            };
            let mut idle = keeper.idle();
            idle.warming -= 1;
            // One that does not start is the next job's to complain about.
            idle.fresh.extend(child);
        });
    }

    /// Ends bound children that nobody needed for long. Stops when there are none left.
    fn watch_the_idle(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if std::mem::replace(&mut self.idle().watched, true) {
            return;
        }
        let longest = self.0.settings.idle;
        let pool = Arc::downgrade(&self.0);
        runtime.spawn(async move {
            loop {
                let Some(kept) = pool.upgrade() else { return };
                let Some(next) = Self(kept).end_the_idle(longest) else { return };
                // Without holding on to the pool, which may end meanwhile.
                sleep_until(next).await;
            }
        });
    }

    /// When to look again, unless nobody is left.
    fn end_the_idle(&self, longest: Duration) -> Option<Instant> {
        let mut idle = self.idle();
        while let Some(child) = idle.bound.front() {
            let end = child.idle_since + longest;
            if end > Instant::now() {
                return Some(end);
            }
            idle.bound.pop_front();
        }
        idle.watched = false;
        None
    }

    fn free_places(&self) -> usize {
        self.0.places.available_permits()
    }

    /// Ends idle children for which there is no place.
    fn make_room(&self, places: usize) {
        let mut idle = self.idle();
        while idle.bound.len() > places {
            idle.bound.pop_front();
        }
    }

    fn starter(&self) -> Result<&ProcessStarter, ChildFailure> {
        if let Some(starter) = self.0.starter.get() {
            return Ok(starter);
        }
        let opened = ProcessStarter::open().map_err(ChildFailure::not_started)?;
        // Two may get here at once; the second one's thread ends with its sender.
        Ok(self.0.starter.get_or_init(|| opened))
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.0.children.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    /// The one that was busy last: its memory is warm.
    fn take_bound_to(&mut self, tenant: TenantId) -> Option<Child> {
        while let Some(at) = self.bound.iter().rposition(|child| child.tenant == Some(tenant)) {
            let child = self.bound.remove(at)?;
            if let Some(child) = if_well(child) {
                return Some(child);
            }
        }
        None
    }

    fn take_fresh(&mut self) -> Option<Child> {
        while let Some(child) = self.fresh.pop() {
            if let Some(child) = if_well(child) {
                return Some(child);
            }
        }
        None
    }
}

fn if_well(mut child: Child) -> Option<Child> {
    child.is_well().then_some(child)
}
