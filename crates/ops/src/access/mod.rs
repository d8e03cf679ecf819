//! Who may use Docket: people, their passwords and tokens, and the keys of machines.

pub(crate) mod authenticate;
mod change_own_password;
pub(crate) mod continued_access;
pub(crate) mod create_api_key;
pub(crate) mod create_user;
mod development_caller;
mod directory;
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

use crate::once::RequestSeal;
use crate::{Limiter, Settings};
use directory::AccessDirectory;
use login_throttle::LoginThrottle;
use passwords::Passwords;
use tokens::Tokens;

/// People, keys and sessions.
pub struct Access {
    store: Store,
    random: Arc<dyn Random>,
    /// What goes on after its caller was answered.
    background: TaskTracker,
    request_seal: RequestSeal,
    passwords: Passwords,
    tokens: Tokens,
    pub(crate) directory: Arc<AccessDirectory>,
    login_throttle: LoginThrottle,
    /// Look-ups of keys that are new to this process: how many one client may cause, and how many
    /// may be under way.
    unknown_keys: Limiter<IpAddr>,
    key_look_ups: Semaphore,
}

impl Access {
    const KEY_LOOK_UPS: usize = 2;

    pub(crate) fn new(
        store: Store,
        random: Arc<dyn Random>,
        background: TaskTracker,
        settings: &Settings,
    ) -> Self {
        let clock = store.clock();
        Self {
            random,
            request_seal: RequestSeal::new(&settings.token_key),
            passwords: Passwords::new(settings.bcrypt_cost),
            tokens: Tokens::new(&settings.token_key, settings.token_lifetime),
            directory: Arc::default(),
            login_throttle: LoginThrottle::new(settings.login_attempts_per_minute, clock),
            unknown_keys: Limiter::per_minute(settings.unknown_keys_per_minute, clock),
            key_look_ups: Semaphore::new(Self::KEY_LOOK_UPS),
            background,
            store,
        }
    }

    /// Drops what limits remember of clients that have not come back.
    pub(crate) fn forget_idle(&self) {
        self.login_throttle.forget_idle();
        self.unknown_keys.forget_idle();
    }
}
