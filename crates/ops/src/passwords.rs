//! Password hashing, kept away from the threads that serve requests.

use std::sync::Arc;

use domain::{NewPassword, PasswordHash, Secret};
use tokio::sync::Semaphore;

use crate::OpsError;

/// Hashes and checks passwords. bcrypt takes a good part of a second of pure computing, so it runs
/// on the blocking pool and at most one per core at a time: a burst of sign-ins queues up here
/// instead of starving everything else.
#[derive(Debug)]
pub(crate) struct Passwords {
    cost: u32,
    cores: Arc<Semaphore>,
}

impl Passwords {
    pub(crate) fn new(cost: u32) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cost, cores: Arc::new(Semaphore::new(cores)) }
    }

    pub(crate) async fn hash(&self, password: &NewPassword) -> Result<PasswordHash, OpsError> {
        let (cost, password) = (self.cost, password.clone());
        let hash = self.compute(move || bcrypt::hash(password.reveal(), cost)).await?;
        hash.map(PasswordHash).map_err(|error| OpsError::internal("hashing a password", error))
    }

    /// Whether the password is the one behind `hash`. Without a hash (nobody by that name) it takes
    /// as long and says no, so that the time does not tell who exists.
    pub(crate) async fn matches(
        &self,
        password: Secret,
        hash: Option<PasswordHash>,
    ) -> Result<bool, OpsError> {
        let cost = self.cost;
        let verdict = self
            .compute(move || match hash {
                Some(hash) => bcrypt::verify(password.reveal(), &hash.0),
                None => bcrypt::hash(password.reveal(), cost).map(|_| false),
            })
            .await?;
        verdict.map_err(|error| OpsError::internal("checking a password", error))
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, OpsError> {
        let attempted = "computing a password hash";
        // Moved into the work: a caller that goes away must not free the core early.
        let core = Arc::clone(&self.cores)
            .acquire_owned()
            .await
            .map_err(|error| OpsError::internal(attempted, error))?;
        let computed = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(core);
            result
        });
        computed.await.map_err(|error| OpsError::internal(attempted, error))
    }
}
