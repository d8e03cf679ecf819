//! Cache of credentials, so that authenticating a request needs no database query.
//!
//! Housekeeping reads revocations from the database (`operations/housekeeping.rs`). If that has not succeeded for a
//! minute, the cache is stale and no credential is accepted. So a revocation takes effect in every process within a
//! minute.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use chrono::{DateTime, Utc};
use domain::{ApiKeyId, ApiKeyRecord, Clock, Revocation, Session, TokenId, UserId};

#[derive(Debug, Default)]
pub(crate) struct CredentialCache {
    keys: RwLock<HashMap<String, Arc<ApiKeyRecord>>>,
    revoked: ArcSwap<Revoked>,
    last_sync: Mutex<Option<LastSync>>,
    last_used: Mutex<HashMap<ApiKeyId, DateTime<Utc>>>,
    generation: AtomicU64,
}

#[derive(Clone, Debug, Default)]
struct Revoked {
    tokens: HashMap<TokenId, DateTime<Utc>>,
    /// A user's sessions with an earlier epoch are revoked.
    epochs: HashMap<UserId, i64>,
}

/// When the revocations were last read: by the wall clock, to query later ones, and by the monotonic clock, to know how
/// long ago that was.
#[derive(Clone, Copy, Debug)]
struct LastSync {
    moment: DateTime<Utc>,
    elapsed: Duration,
}

impl CredentialCache {
    /// The cache is stale after this time without reading revocations.
    const MAX_AGE: Duration = Duration::from_mins(1);

    pub(crate) fn is_fresh(&self, clock: &dyn Clock) -> bool {
        let age = locked(&self.last_sync).map(|sync| clock.elapsed().saturating_sub(sync.elapsed));
        age.is_some_and(|age| age <= Self::MAX_AGE)
    }

    /// Up to when revocations have been read; `None` before the first time.
    pub(crate) fn synced_until(&self) -> Option<DateTime<Utc>> {
        locked(&self.last_sync).map(|sync| sync.moment)
    }

    /// Records that all revocations up to `moment` have been [applied](Self::apply).
    pub(crate) fn record_sync(&self, moment: DateTime<Utc>, elapsed: Duration) {
        *locked(&self.last_sync) = Some(LastSync { moment, elapsed });
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
        let stale: HashSet<KeyOrCreator> =
            revocations.iter().filter_map(KeyOrCreator::of).collect();
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|_, key| {
            let creator = key.created_by.map(KeyOrCreator::Creator);
            !stale.contains(&KeyOrCreator::Key(key.api_key_id))
                && creator.is_none_or(|creator| !stale.contains(&creator))
        });
        drop(keys);
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Whether the session was not revoked. Does not check its expiry.
    pub(crate) fn is_session_valid(&self, user_id: UserId, session: &Session) -> bool {
        let revoked = self.revoked.load();
        let epoch = revoked.epochs.get(&user_id);
        !revoked.tokens.contains_key(&session.token_id)
            && epoch.is_none_or(|epoch| session.epoch >= *epoch)
    }

    /// Incremented whenever revocations are applied.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(crate) fn key(&self, prefix: &str) -> Option<Arc<ApiKeyRecord>> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).get(prefix).cloned()
    }

    pub(crate) fn add_key(&self, key: &Arc<ApiKeyRecord>) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.insert(key.prefix.clone(), Arc::clone(key));
    }

    pub(crate) fn record_use(&self, key: ApiKeyId, now: DateTime<Utc>) {
        let mut last_used = locked(&self.last_used);
        let latest = last_used.entry(key).or_insert(now);
        *latest = now.max(*latest);
    }

    /// The uses recorded since the last call.
    pub(crate) fn take_uses(&self) -> Vec<(ApiKeyId, DateTime<Utc>)> {
        locked(&self.last_used).drain().collect()
    }
}

/// Ignores poisoning: the data under these locks is consistent at every moment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which cached keys are stale: a revoked key, or the keys of a user who was changed and perhaps deactivated.
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
                let first_valid = self.epochs.entry(user_id).or_insert(epoch);
                *first_valid = epoch.max(*first_valid);
            }
            Revocation::Key { .. } => {}
        }
    }
}
