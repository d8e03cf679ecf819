//! Access: users, their passwords and sessions, and API keys.

pub(crate) mod authenticate;
mod change_own_password;
pub(crate) mod continued_access;
pub(crate) mod create_api_key;
pub(crate) mod create_user;
mod credential_cache;
mod development_caller;
mod jwt;
mod list_api_keys;
mod list_users;
pub(crate) mod login;
mod login_throttle;
mod logout;
mod passwords;
mod revoke_api_key;
pub(crate) mod tokens;
pub(crate) mod update_user;

use std::net::IpAddr;
use std::sync::Arc;

use domain::Random;
use store::Store;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::idempotency::RequestHmac;
use crate::{Limiter, Settings};
use credential_cache::CredentialCache;
use login_throttle::LoginThrottle;
use passwords::Passwords;
use tokens::Tokens;

/// Users, API keys and sessions.
pub struct Access {
    store: Store,
    random: Arc<dyn Random>,
    /// Work that continues after the response was sent.
    background: TaskTracker,
    request_hmac: RequestHmac,
    passwords: Passwords,
    tokens: Tokens,
    pub(crate) credentials: Arc<CredentialCache>,
    login_throttle: LoginThrottle,
    /// Limits lookups of keys that are not cached: per client, and how many run at the same time.
    unknown_keys: Limiter<IpAddr>,
    key_lookups: Semaphore,
}

impl Access {
    const CONCURRENT_KEY_LOOKUPS: usize = 2;

    pub(crate) fn new(
        store: Store,
        random: Arc<dyn Random>,
        background: TaskTracker,
        settings: &Settings,
    ) -> Self {
        let clock = store.clock();
        Self {
            random,
            request_hmac: RequestHmac::new(&settings.token_key),
            passwords: Passwords::new(settings.bcrypt_cost),
            tokens: Tokens::new(&settings.token_key, settings.token_lifetime),
            credentials: Arc::default(),
            login_throttle: LoginThrottle::new(settings.login_attempts_per_minute, clock),
            unknown_keys: Limiter::per_minute(settings.unknown_keys_per_minute, clock),
            key_lookups: Semaphore::new(Self::CONCURRENT_KEY_LOOKUPS),
            background,
            store,
        }
    }

    /// Evicts rate limit entries of idle clients.
    pub(crate) fn evict_idle(&self) {
        self.login_throttle.evict_idle();
        self.unknown_keys.evict_idle();
    }
}
