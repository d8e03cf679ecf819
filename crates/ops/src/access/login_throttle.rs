//! Slows down password guessing without locking out users who know their password.
//!
//! An *account* is the email address of the attempt; a *client* is the address that the attempt comes from. Four limits
//! apply:
//!
//! - attempts per account and client: slows down one attacker;
//! - attempts per client over all accounts, ten times as many: against trying one password on every account;
//! - attempts per account from all clients, ten times as many: against distributed guessing. It does not apply to a
//!   client that has signed in to this account before: otherwise an attacker with many addresses could lock the
//!   account's owner out. During such an attack, the owner may have to wait when they sign in from a client that is
//!   new to this process;
//! - concurrent password checks (see [`Passwords`]).

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Clock, EmailAddress};

use crate::access::passwords::{CheckSlot, Passwords};
use crate::rate::client_of;
use crate::{Limiter, OpsError, RateLimited};

#[derive(Debug)]
pub(crate) struct LoginThrottle {
    by_account_and_client: Limiter<(EmailAddress, IpAddr)>,
    by_client: Limiter<IpAddr>,
    by_account: Limiter<EmailAddress>,
    known_clients: KnownClients,
}

impl LoginThrottle {
    const WIDER: u32 = 10;

    pub(crate) fn new(attempts_per_minute: u32, clock: &Arc<dyn Clock>) -> Self {
        let attempts = NonZeroU32::new(attempts_per_minute).unwrap_or(NonZeroU32::MIN);
        let wider =
            attempts.saturating_mul(NonZeroU32::new(Self::WIDER).unwrap_or(NonZeroU32::MIN));
        Self {
            by_account_and_client: Limiter::per_minute(attempts, clock),
            by_client: Limiter::per_minute(wider, clock),
            by_account: Limiter::per_minute(wider, clock),
            known_clients: KnownClients { clock: Arc::clone(clock), last: Mutex::default() },
        }
    }

    /// Admits an attempt and reserves a slot for its password check.
    pub(crate) fn admit(
        &self,
        account: &EmailAddress,
        client: IpAddr,
        passwords: &Passwords,
    ) -> Result<CheckSlot, OpsError> {
        let client = client_of(client);
        let is_known = self.known_clients.contains(account, client);
        let slot = passwords.reserve_slot(client, is_known)?;
        let refusal = |refused: RateLimited| OpsError::TooManyAttempts(refused.retry_after);
        self.by_client.check(&client).map_err(refusal)?;
        self.by_account_and_client.check(&(account.clone(), client)).map_err(refusal)?;
        if !is_known {
            self.by_account.check(account).map_err(refusal)?;
        }
        Ok(slot)
    }

    pub(crate) fn signed_in(&self, account: EmailAddress, client: IpAddr) {
        self.known_clients.add(account, client_of(client));
    }

    pub(crate) fn evict_idle(&self) {
        self.by_account_and_client.evict_idle();
        self.by_client.evict_idle();
        self.by_account.evict_idle();
    }
}

/// Clients that have signed in to an account, with the time of the last sign-in. An LRU cache.
#[derive(Debug)]
struct KnownClients {
    clock: Arc<dyn Clock>,
    last: Mutex<HashMap<(EmailAddress, IpAddr), Duration>>,
}

impl KnownClients {
    const MAX_ENTRIES: usize = 10_000;

    fn contains(&self, account: &EmailAddress, client: IpAddr) -> bool {
        self.last().contains_key(&(account.clone(), client))
    }

    fn add(&self, account: EmailAddress, client: IpAddr) {
        let mut last = self.last();
        last.insert((account, client), self.clock.elapsed());
        if last.len() > Self::MAX_ENTRIES {
            let oldest = last.iter().min_by_key(|(_, at)| **at).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| last.remove(&oldest));
        }
    }

    /// Ignores poisoning: nothing panics under the lock.
    fn last(&self) -> MutexGuard<'_, HashMap<(EmailAddress, IpAddr), Duration>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
