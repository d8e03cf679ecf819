//! Password hashing, off the threads that serve requests.
//!
//! bcrypt computes for a considerable part of a second, so it runs on the blocking pool, at most one per core at a time.
//! Sign-in attempts wait in a short queue; when it is full, the next attempt is refused at once instead of running into
//! the request timeout. Each client has a limited share of the queue, and a part of it is reserved for known clients:
//! those that have signed in to the account before.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::{NewPassword, PasswordHash, Secret};
use tokio::sync::Semaphore;

use crate::OpsError;

/// Hashes and checks passwords.
#[derive(Debug)]
pub(crate) struct Passwords {
    cost: u32,
    cores: Arc<Semaphore>,
    checks: Arc<Checks>,
}

/// The checks that wait or run, by client.
#[derive(Debug, Default)]
struct Checks {
    by_client: Mutex<HashMap<IpAddr, usize>>,
}

/// A reserved slot in the queue of checks; released on drop.
#[derive(Debug)]
pub(crate) struct CheckSlot {
    checks: Arc<Checks>,
    client: IpAddr,
}

impl Passwords {
    /// With two cores and 250 ms per check, the last one waits for four seconds.
    const MAX_CHECKS: usize = 32;
    /// Of these, for unknown clients.
    const MAX_CHECKS_OF_UNKNOWN: usize = 24;
    const MAX_CHECKS_PER_CLIENT: usize = 8;

    pub(crate) fn new(cost: u32) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cost, cores: Arc::new(Semaphore::new(cores)), checks: Arc::default() }
    }

    /// Reserves a slot, which [`Self::matches`] needs.
    pub(crate) fn reserve_slot(
        &self,
        client: IpAddr,
        is_known: bool,
    ) -> Result<CheckSlot, OpsError> {
        let mut by_client = self.checks.by_client();
        let most = if is_known { Self::MAX_CHECKS } else { Self::MAX_CHECKS_OF_UNKNOWN };
        let under_way: usize = by_client.values().sum();
        let of_client = by_client.get(&client).copied().unwrap_or(0);
        if under_way >= most || of_client >= Self::MAX_CHECKS_PER_CLIENT {
            return Err(OpsError::SignInBusy);
        }
        by_client.insert(client, of_client + 1);
        Ok(CheckSlot { checks: Arc::clone(&self.checks), client })
    }

    pub(crate) async fn hash(&self, password: &NewPassword) -> Result<PasswordHash, OpsError> {
        let (cost, password) = (self.cost, password.clone());
        let hash = self.compute(move || bcrypt::hash(password.reveal(), cost)).await?;
        hash.map(PasswordHash).map_err(|error| OpsError::internal("hashing a password", error))
    }

    /// Whether the password matches `hash`. Without a hash (an unknown user) it takes as long and returns `false`, so
    /// that the time does not reveal which users exist.
    pub(crate) async fn matches(
        &self,
        password: Secret,
        hash: Option<PasswordHash>,
        slot: CheckSlot,
    ) -> Result<bool, OpsError> {
        let cost = self.cost;
        let verdict = self
            .compute(move || {
                let verdict = match hash {
                    Some(hash) => bcrypt::verify(password.reveal(), &hash.0),
                    None => bcrypt::hash(password.reveal(), cost).map(|_| false),
                };
                drop(slot);
                verdict
            })
            .await?;
        verdict.map_err(|error| OpsError::internal("checking a password", error))
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, OpsError> {
        let attempted = "computing a password hash";
        // Moved into the closure: if the caller is cancelled, the permit must be held until the computation ends.
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

impl Checks {
    /// Ignores poisoning: nothing panics under the lock.
    fn by_client(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CheckSlot {
    fn drop(&mut self) {
        let mut by_client = self.checks.by_client();
        if let Some(of_client) = by_client.get_mut(&self.client) {
            *of_client -= 1;
            if *of_client == 0 {
                by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    #[test]
    fn one_client_cannot_fill_the_queue_and_slots_are_reserved_for_known_clients() {
        let passwords = Passwords::new(4);
        let mut slots: Vec<CheckSlot> =
            (0..8).map(|_| passwords.reserve_slot(client(1), false).unwrap()).collect();
        assert!(matches!(passwords.reserve_slot(client(1), false), Err(OpsError::SignInBusy)));
        assert!(
            passwords.reserve_slot(client(1), true).is_err(),
            "the limit per client holds for known clients too"
        );
        for number in 2..=17 {
            slots.push(passwords.reserve_slot(client(number), false).unwrap());
        }
        assert!(
            passwords.reserve_slot(client(18), false).is_err(),
            "the slots of unknown clients are taken"
        );
        let known = passwords.reserve_slot(client(18), true).unwrap();
        drop(slots);
        assert!(
            passwords.reserve_slot(client(1), false).is_ok(),
            "a finished check releases its slot"
        );
        drop(known);
        assert!(passwords.checks.by_client().is_empty());
    }
}
