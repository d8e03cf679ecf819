//! Slows down guessing of passwords, and keeps nobody out who knows theirs.
//!
//! An *account* is the email address that is tried; a *client* is where the attempt comes from. Four limits hold:
//!
//! - attempts at one account from one client: what slows one guesser down;
//! - attempts from one client at all accounts, ten times as many: against trying one password everywhere;
//! - attempts at one account from all clients, ten times as many: against guessing from many places at once. It does not
//!   hold for a client that has signed in to this account before: otherwise whoever has many addresses could lock the
//!   account's owner out. The price: from a place where they never signed in (in this process, since it started) the
//!   owner may have to wait while such an attack goes on;
//! - attempts whose password is being checked (see [`Passwords`]).

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Clock, EmailAddress};

use crate::access::passwords::{Passwords, Turn};
use crate::rate::client_of;
use crate::{Limiter, OpsError, TooMany};

#[derive(Debug)]
pub(crate) struct LoginThrottle {
    by_account_and_client: Limiter<(EmailAddress, IpAddr)>,
    by_client: Limiter<IpAddr>,
    by_account: Limiter<EmailAddress>,
    known: KnownClients,
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
            known: KnownClients { clock: Arc::clone(clock), last: Mutex::default() },
        }
    }

    /// Lets an attempt begin, and gives it its turn to have a password checked.
    pub(crate) fn admit(
        &self,
        account: &EmailAddress,
        client: IpAddr,
        passwords: &Passwords,
    ) -> Result<Turn, OpsError> {
        let client = client_of(client);
        let is_known = self.known.contains(account, client);
        let turn = passwords.take_turn(client, is_known)?;
        let refusal = |refused: TooMany| OpsError::TooManyAttempts(refused.retry_after);
        self.by_client.check(&client).map_err(refusal)?;
        self.by_account_and_client.check(&(account.clone(), client)).map_err(refusal)?;
        if !is_known {
            self.by_account.check(account).map_err(refusal)?;
        }
        Ok(turn)
    }

    pub(crate) fn signed_in(&self, account: EmailAddress, client: IpAddr) {
        self.known.add(account, client_of(client));
    }

    pub(crate) fn forget_idle(&self) {
        self.by_account_and_client.forget_idle();
        self.by_client.forget_idle();
        self.by_account.forget_idle();
    }
}

/// From where accounts were signed in to, each with the last time.
#[derive(Debug)]
struct KnownClients {
    clock: Arc<dyn Clock>,
    last: Mutex<HashMap<(EmailAddress, IpAddr), Duration>>,
}

impl KnownClients {
    /// One more takes the place of the one that was not seen for the longest time.
    const MOST: usize = 10_000;

    fn contains(&self, account: &EmailAddress, client: IpAddr) -> bool {
        self.last().contains_key(&(account.clone(), client))
    }

    fn add(&self, account: EmailAddress, client: IpAddr) {
        let mut last = self.last();
        last.insert((account, client), self.clock.elapsed());
        if last.len() > Self::MOST {
            let oldest = last.iter().min_by_key(|(_, at)| **at).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| last.remove(&oldest));
        }
    }

    /// Nothing that can panic happens under the lock.
    fn last(&self) -> MutexGuard<'_, HashMap<(EmailAddress, IpAddr), Duration>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
