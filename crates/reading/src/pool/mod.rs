//! The protocol with sandboxed reading children: requests, answers and failures.
//!
//! [`sandbox::pool`] starts the processes and assigns jobs to them.

mod answers;
mod failure;
pub(crate) mod protocol;
mod tesseract;

use domain::TenantId;
use sandbox::SandboxStatus;

pub use answers::{Answers, PackedAnswer};
pub use failure::ReadFailure;
pub use protocol::{
    Answer, Drawn, OcrPage, Picture, PictureFormat, READING, Ready, Request, Role, Subject, Work,
};
pub use sandbox::pool::{
    ChildFailure, Document, DocumentWriter, IdleChildren, PoolSettings, RunnerSettings,
};
pub use tesseract::{Tesseract, tesseract_settings};

use protocol::Envelope;

/// A request and its files.
#[derive(Clone, Debug)]
pub struct Job {
    request: Request,
    files: Vec<(Role, Document)>,
}

impl Job {
    pub fn new(request: Request) -> Self {
        Self { request, files: Vec::new() }
    }

    /// Adds a file; at most eight. Several files may have the same role; they keep their order.
    #[must_use]
    pub fn with(mut self, role: Role, document: Document) -> Self {
        self.files.push((role, document));
        self
    }
}

/// A pool of reading children. Cheap to clone; dropping the last clone stops the children.
#[derive(Clone, Debug)]
pub struct Pool(sandbox::pool::Pool);

impl Pool {
    /// Starts no process yet.
    pub fn new(settings: PoolSettings) -> Self {
        Self(sandbox::pool::Pool::new(settings))
    }

    /// Waits for a free slot, sends the job to a child and returns its answers. The job's timeout does not include the
    /// wait.
    pub async fn run(&self, tenant: TenantId, job: Job) -> Result<Answers, ReadFailure> {
        let (roles, files) = job.files.into_iter().unzip();
        let envelope = Envelope { request: job.request, roles };
        let job = sandbox::pool::Job::new(READING, &envelope, files)?;
        Ok(Answers::new(self.0.run(tenant, job).await?))
    }

    /// The same children, for handlers of other crates.
    pub(crate) fn shared(&self) -> sandbox::pool::Pool {
        self.0.clone()
    }

    /// Starts a child to read its sandbox status, and keeps it for the first job.
    pub async fn check_sandbox(&self) -> Result<SandboxStatus, ReadFailure> {
        Ok(self.0.check_sandbox().await?)
    }

    pub fn idle_children(&self) -> IdleChildren {
        self.0.idle_children()
    }
}
