//! What handlers share.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use domain::{Caller, TenantId};
use ops::{Limiter, Ops};

/// What the operator decides about the HTTP side.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Requests per second that one tenant may make for long.
    pub rate_limit_per_second: NonZeroU32,
    /// Requests that one tenant may make at once.
    pub rate_limit_burst: NonZeroU32,
    pub request_timeout: Duration,
    pub max_json_bytes: usize,
    /// Authentication is off, and this is who everybody is.
    pub everybody_is: Option<Caller>,
}

#[derive(Debug)]
pub struct Api {
    pub(crate) ops: Arc<Ops>,
    pub(crate) settings: ApiSettings,
    pub(crate) requests_of_tenant: Limiter<TenantId>,
}

impl Api {
    pub fn new(ops: Arc<Ops>, settings: ApiSettings) -> Arc<Self> {
        let refill = Duration::from_secs(1) / settings.rate_limit_per_second.get();
        let requests_of_tenant = Limiter::new(settings.rate_limit_burst, refill, ops.clock());
        Arc::new(Self { ops, settings, requests_of_tenant })
    }
}
