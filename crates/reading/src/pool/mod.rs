//! This crate's work in sandboxed children: what they are asked, what they answer, why they failed.
//!
//! The processes themselves, and who gets which, are the business of [`sandbox::pool`].

mod answers;
mod failure;
pub(crate) mod protocol;
mod tesseract;

use domain::TenantId;
use sandbox::SandboxStatus;

pub use answers::{Answers, PackedAnswer};
pub use failure::ReadFailure;
pub use protocol::{
    Answer, Drawn, Picture, PictureFormat, READING, Ready, Request, Role, Subject, Wanted, Work,
};
pub use sandbox::pool::{
    ChildFailure, Document, DocumentWriter, IdleChildren, PoolSettings, RunnerSettings,
};
pub use tesseract::{Tesseract, tesseract_settings};

use protocol::Envelope;

/// What is to be done, and the files for it.
#[derive(Clone, Debug)]
pub struct Job {
    request: Request,
    handed: Vec<(Role, Document)>,
}

impl Job {
    pub fn new(request: Request) -> Self {
        Self { request, handed: Vec::new() }
    }

    /// At most eight. Several may have one role; they keep their order.
    #[must_use]
    pub fn with(mut self, role: Role, document: Document) -> Self {
        self.handed.push((role, document));
        self
    }
}

/// Children that read. Cheap to clone; the last clone takes the children along.
#[derive(Clone, Debug)]
pub struct Pool(sandbox::pool::Pool);

impl Pool {
    /// Starts nothing yet.
    pub fn new(settings: PoolSettings) -> Self {
        Self(sandbox::pool::Pool::new(settings))
    }

    /// Waits for a free place, hands the job to a child and gives what comes back. The time it waits
    /// for a place is not the job's.
    pub async fn run(&self, tenant: TenantId, job: Job) -> Result<Answers, ReadFailure> {
        let (roles, files) = job.handed.into_iter().unzip();
        let envelope = Envelope { request: job.request, roles };
        let job = sandbox::pool::Job::new(READING, &envelope, files)?;
        Ok(Answers::new(self.0.run(tenant, job).await?))
    }

    /// Starts a child to see what it enforces on itself, and keeps it for the first job.
    pub async fn check_sandbox(&self) -> Result<SandboxStatus, ReadFailure> {
        Ok(self.0.check_sandbox().await?)
    }

    pub fn idle_children(&self) -> IdleChildren {
        self.0.idle_children()
    }
}
