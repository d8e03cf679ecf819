//! Password hashing, kept away from the threads that serve requests.
//!
//! bcrypt takes a good part of a second of pure computing, so it runs on the blocking pool and at most one per core at a
//! time. Attempts to sign in wait in a short queue: when it is full, the next one is refused at once instead of after the
//! time that a request may take. No client has more than a part of it, and a part is kept for clients that are known.

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

/// The checks that wait or are under way, all and by client.
#[derive(Debug, Default)]
struct Checks {
    by_client: Mutex<HashMap<IpAddr, usize>>,
}

/// A place in the queue of checks, left when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    checks: Arc<Checks>,
    client: IpAddr,
}

impl Passwords {
    /// With two cores and a quarter of a second for each, the last one waits for four seconds.
    const MOST_CHECKS: usize = 32;
    /// Of these, for clients that have not signed in to the account before.
    const MOST_OF_STRANGERS: usize = 24;
    const MOST_OF_ONE_CLIENT: usize = 8;

    pub(crate) fn new(cost: u32) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cost, cores: Arc::new(Semaphore::new(cores)), checks: Arc::default() }
    }

    /// To be taken before a password is checked.
    pub(crate) fn take_turn(&self, client: IpAddr, is_known: bool) -> Result<Turn, OpsError> {
        let mut by_client = self.checks.by_client();
        let most = if is_known { Self::MOST_CHECKS } else { Self::MOST_OF_STRANGERS };
        let under_way: usize = by_client.values().sum();
        let of_client = by_client.get(&client).copied().unwrap_or(0);
        if under_way >= most || of_client >= Self::MOST_OF_ONE_CLIENT {
            return Err(OpsError::SignInBusy);
        }
        by_client.insert(client, of_client + 1);
        Ok(Turn { checks: Arc::clone(&self.checks), client })
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
        turn: Turn,
    ) -> Result<bool, OpsError> {
        let cost = self.cost;
        let verdict = self
            .compute(move || {
                let verdict = match hash {
                    Some(hash) => bcrypt::verify(password.reveal(), &hash.0),
                    None => bcrypt::hash(password.reveal(), cost).map(|_| false),
                };
                drop(turn);
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

impl Checks {
    /// Nothing that can panic happens under the lock.
    fn by_client(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.by_client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
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
    fn no_client_fills_the_queue_and_strangers_leave_room_for_the_known() {
        let passwords = Passwords::new(4);
        let mut turns: Vec<Turn> =
            (0..8).map(|_| passwords.take_turn(client(1), false).unwrap()).collect();
        assert!(matches!(passwords.take_turn(client(1), false), Err(OpsError::SignInBusy)));
        assert!(passwords.take_turn(client(1), true).is_err(), "not even when it is known");
        for number in 2..=17 {
            turns.push(passwords.take_turn(client(number), false).unwrap());
        }
        assert!(passwords.take_turn(client(18), false).is_err(), "strangers have taken their part");
        let known = passwords.take_turn(client(18), true).unwrap();
        drop(turns);
        assert!(passwords.take_turn(client(1), false).is_ok(), "whoever is done makes room");
        drop(known);
        assert!(passwords.checks.by_client().is_empty());
    }
}
