//! What this process knows about credentials, so that a request needs no look-up.
//!
//! Revocations are followed from the database (`operations/housekeeping.rs`). The directory
//! knows how fresh it is; when it has not heard from the database for a minute it vouches for
//! nobody, so that access taken away anywhere ends everywhere within that minute.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};
use domain::{ApiKeyId, ApiKeyRecord, Clock, Revocation, Session, TokenId, UserId};

#[derive(Debug, Default)]
pub(crate) struct AccessDirectory {
    keys: RwLock<HashMap<String, Arc<ApiKeyRecord>>>,
    revoked: ArcSwap<Revoked>,
    heard: Mutex<Option<Heard>>,
    last_used: Mutex<HashMap<ApiKeyId, DateTime<Utc>>>,
    rounds: AtomicU64,
}

#[derive(Clone, Debug, Default)]
struct Revoked {
    tokens: HashMap<TokenId, DateTime<Utc>>,
    /// The epoch from which a user's sessions count.
    epochs: HashMap<UserId, i64>,
}

/// When the revocations were last read: by the calendar, for asking what came since, and by a clock
/// that cannot be set back, for knowing how long ago that was.
#[derive(Clone, Copy, Debug)]
struct Heard {
    moment: DateTime<Utc>,
    elapsed: Duration,
}

impl AccessDirectory {
    /// How old the directory's knowledge may be before it is no longer trusted.
    const TRUSTED_FOR: Duration = Duration::from_mins(1);

    pub(crate) fn is_fresh(&self, clock: &dyn Clock) -> bool {
        let age = locked(&self.heard).map(|heard| clock.elapsed().saturating_sub(heard.elapsed));
        age.is_some_and(|age| age <= Self::TRUSTED_FOR)
    }

    /// Up to when revocations have been read; `None` before the first time.
    pub(crate) fn heard_until(&self) -> Option<DateTime<Utc>> {
        locked(&self.heard).map(|heard| heard.moment)
    }

    /// Notes that everything revoked up to then has been [applied](Self::apply).
    pub(crate) fn heard_at(&self, moment: DateTime<Utc>, elapsed: Duration) {
        *locked(&self.heard) = Some(Heard { moment, elapsed });
    }

    pub(crate) fn apply(&self, revocations: &[Revocation], now: DateTime<Utc>) {
        if revocations.is_empty() {
            return;
        }
        self.revoked.rcu(|revoked| {
            let mut revoked = Revoked::clone(revoked);
            revoked.tokens.retain(|_, expires_at| *expires_at > now);
            for revocation in revocations {
                revoked.add(*revocation);
            }
            revoked
        });
        let gone: HashSet<KeyOrCreator> = revocations.iter().filter_map(KeyOrCreator::of).collect();
        let mut known = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, key| {
            let creator = key.created_by.map(KeyOrCreator::Creator);
            !gone.contains(&KeyOrCreator::Key(key.api_key_id))
                && creator.is_none_or(|creator| !gone.contains(&creator))
        });
        drop(known);
        self.rounds.fetch_add(1, Ordering::Release);
    }

    /// Whether the session was not revoked. Whether it has expired is not asked here.
    pub(crate) fn admits(&self, user_id: UserId, session: &Session) -> bool {
        let revoked = self.revoked.load();
        let epoch = revoked.epochs.get(&user_id);
        !revoked.tokens.contains_key(&session.token_id)
            && epoch.is_none_or(|epoch| session.epoch >= *epoch)
    }

    /// Counts up whenever something was revoked, and with every reading of revocations that holds some.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Acquire)
    }

    pub(crate) fn key(&self, prefix: &str) -> Option<Arc<ApiKeyRecord>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).get(prefix).cloned()
    }

    pub(crate) fn remember_key(&self, key: &Arc<ApiKeyRecord>) {
        let mut known = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(key.prefix.clone(), Arc::clone(key));
    }

    pub(crate) fn note_use(&self, key: ApiKeyId, now: DateTime<Utc>) {
        let mut last_used = locked(&self.last_used);
        let noted = last_used.entry(key).or_insert(now);
        *noted = now.max(*noted);
    }

    /// The uses noted since the last call.
    pub(crate) fn take_uses(&self) -> Vec<(ApiKeyId, DateTime<Utc>)> {
        locked(&self.last_used).drain().collect()
    }
}

/// What is behind these locks is whole at every moment, whoever panicked while holding one.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which keys to look up anew: a key that was revoked, and the keys of a person who was changed and perhaps deactivated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum KeyOrCreator {
    Key(ApiKeyId),
    Creator(UserId),
}

impl KeyOrCreator {
    fn of(revocation: &Revocation) -> Option<Self> {
        match revocation {
            Revocation::Key { api_key_id } => Some(Self::Key(*api_key_id)),
            Revocation::SessionsBefore { user_id, .. } => Some(Self::Creator(*user_id)),
            Revocation::Token { .. } => None,
        }
    }
}

impl Revoked {
    fn add(&mut self, revocation: Revocation) {
        match revocation {
            Revocation::Token { token_id, expires_at } => {
                self.tokens.insert(token_id, expires_at);
            }
            Revocation::SessionsBefore { user_id, epoch } => {
                let counts_from = self.epochs.entry(user_id).or_insert(epoch);
                *counts_from = epoch.max(*counts_from);
            }
            Revocation::Key { .. } => {}
        }
    }
}
