//! What this process knows about credentials, so that a request needs no look-up.
//!
//! Revocations are followed from the database ([`crate::Ops::follow_revocations`]). The directory
//! knows how fresh it is; when it has not heard from the database for a minute it vouches for
//! nobody, so that access taken away anywhere ends everywhere within that minute.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use chrono::{DateTime, Duration, Utc};
use domain::{ApiKeyId, ApiKeyRecord, Revocation, TokenId, UserId};

use crate::tokens::VerifiedToken;

#[derive(Debug)]
pub(crate) struct AccessDirectory {
    known: ArcSwap<Known>,
    /// When the revocations were last read, in milliseconds since the epoch.
    fresh_at: AtomicI64,
    last_used: Mutex<HashMap<ApiKeyId, DateTime<Utc>>>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    keys: HashMap<String, Arc<ApiKeyRecord>>,
    signed_out: HashMap<TokenId, DateTime<Utc>>,
    users_cut_off: HashMap<UserId, DateTime<Utc>>,
}

impl Default for AccessDirectory {
    fn default() -> Self {
        Self {
            known: ArcSwap::default(),
            fresh_at: AtomicI64::new(i64::MIN),
            last_used: Mutex::default(),
        }
    }
}

impl AccessDirectory {
    /// How old the directory's knowledge may be before it is no longer trusted.
    const TRUSTED_FOR: Duration = Duration::seconds(60);

    pub(crate) fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        let age = now.timestamp_millis().saturating_sub(self.fresh_at.load(Ordering::Relaxed));
        age <= Self::TRUSTED_FOR.num_milliseconds()
    }

    /// Up to when revocations have been read; `None` before the first time.
    pub(crate) fn heard_until(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_millis(self.fresh_at.load(Ordering::Relaxed))
    }

    /// Notes that everything revoked up to `moment` has been [applied](Self::apply).
    pub(crate) fn refreshed(&self, moment: DateTime<Utc>) {
        self.fresh_at.store(moment.timestamp_millis(), Ordering::Relaxed);
    }

    pub(crate) fn apply(&self, revocations: &[Revocation], now: DateTime<Utc>) {
        self.known.rcu(|known| {
            let mut known = Known::clone(known);
            for revocation in revocations {
                known.take_away(*revocation);
            }
            known.signed_out.retain(|_, expires_at| *expires_at > now);
            known
        });
    }

    pub(crate) fn admits(&self, token: &VerifiedToken) -> bool {
        let known = self.known.load();
        let cut_off = known.users_cut_off.get(&token.user_id);
        !known.signed_out.contains_key(&token.token_id)
            && cut_off.is_none_or(|moment| token.issued_at > *moment)
    }

    pub(crate) fn key(&self, prefix: &str) -> Option<Arc<ApiKeyRecord>> {
        self.known.load().keys.get(prefix).cloned()
    }

    pub(crate) fn remember_key(&self, key: &Arc<ApiKeyRecord>) {
        self.known.rcu(|known| {
            let mut known = Known::clone(known);
            known.keys.insert(key.prefix.clone(), Arc::clone(key));
            known
        });
    }

    pub(crate) fn note_use(&self, key: ApiKeyId, now: DateTime<Utc>) {
        let mut last_used = self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        last_used.insert(key, now);
    }

    /// The uses noted since the last call.
    pub(crate) fn take_uses(&self) -> Vec<(ApiKeyId, DateTime<Utc>)> {
        let mut last_used = self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        last_used.drain().collect()
    }
}

impl Known {
    fn take_away(&mut self, revocation: Revocation) {
        match revocation {
            Revocation::Token { token_id, expires_at } => {
                self.signed_out.insert(token_id, expires_at);
            }
            Revocation::UserTokensUpTo { user_id, moment } => {
                let cut_off = self.users_cut_off.entry(user_id).or_insert(moment);
                *cut_off = moment.max(*cut_off);
            }
            Revocation::Key { api_key_id, .. } => {
                self.keys.retain(|_, key| key.api_key_id != api_key_id);
            }
        }
    }
}
