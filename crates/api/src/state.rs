//! The state that handlers share.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api_types::ConfigView;
use axum::http::{HeaderMap, header};
use domain::{Caller, Secret, TenantId};
use ops::{Limiter, Ops, RateLimited};
use sha2::{Digest, Sha256};

use crate::TrustedProxies;

/// The operator's settings for HTTP.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// The sustained rate limit of one tenant.
    pub rate_limit_per_second: NonZeroU32,
    /// The burst limit of one tenant.
    pub rate_limit_burst: NonZeroU32,
    pub request_timeout: Duration,
    pub max_json_bytes: usize,
    pub metrics: Metrics,
    /// Proxies whose forwarding headers are trusted.
    pub trusted_proxies: TrustedProxies,
    /// The server's configuration, for callers who may see it.
    pub configuration: ConfigView,
    /// The caller of every request if authentication is off.
    pub development_caller: Option<Caller>,
}

/// The metrics of the process, and who may read them.
#[derive(Clone)]
pub struct Metrics {
    /// Whether clients on other machines may read them without the token.
    is_public: bool,
    /// A client that presents it may read them from any machine.
    token: Option<Secret>,
    trusted_proxies: TrustedProxies,
    render: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Metrics {
    /// `render` returns them in the text format of Prometheus.
    pub fn new(is_public: bool, render: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let trusted_proxies = TrustedProxies::default();
        Self { is_public, token: None, trusted_proxies, render: Arc::new(render) }
    }

    #[must_use]
    pub fn with_token(self, token: Option<Secret>) -> Self {
        Self { token, ..self }
    }

    #[must_use]
    pub fn behind(self, trusted_proxies: TrustedProxies) -> Self {
        Self { trusted_proxies, ..self }
    }

    /// Whether this request may read them.
    pub(crate) fn is_permitted(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        self.is_public
            || self.trusted_proxies.is_local(peer, headers)
            || self.token.as_ref().is_some_and(|token| presents(headers, token))
    }

    pub(crate) fn text(&self) -> String {
        (self.render)()
    }
}

/// Compares hashes, so that the timing reveals nothing about the token.
fn presents(headers: &HeaderMap, token: &Secret) -> bool {
    let presented = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let presented = presented.and_then(|text| text.strip_prefix("Bearer "));
    presented.is_some_and(|text| Sha256::digest(text) == Sha256::digest(token.reveal()))
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("is_public", &self.is_public).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub struct Api {
    pub(crate) ops: Arc<Ops>,
    pub(crate) settings: ApiSettings,
    requests_of_tenant: Limiter<TenantId>,
    /// For tenants with a rate limit of their own, by that rate.
    custom_limiters: Mutex<HashMap<NonZeroU32, Arc<Limiter<TenantId>>>>,
}

impl Api {
    pub fn new(ops: Arc<Ops>, settings: ApiSettings) -> Arc<Self> {
        let refill = Duration::from_secs(1) / settings.rate_limit_per_second.get();
        let requests_of_tenant = Limiter::new(settings.rate_limit_burst, refill, ops.clock());
        let custom_limiters = Mutex::default();
        Arc::new(Self { ops, settings, requests_of_tenant, custom_limiters })
    }

    /// Counts a request against the tenant's rate limit.
    pub(crate) fn count_request(&self, tenant_id: TenantId) -> Result<(), RateLimited> {
        let granted =
            self.ops.tenants.limits_of(tenant_id).requests_per_second.and_then(NonZeroU32::new);
        match granted {
            None => self.requests_of_tenant.check(&tenant_id),
            Some(rate) => self.limiter_of(rate).check(&tenant_id),
        }
    }

    fn limiter_of(&self, rate: NonZeroU32) -> Arc<Limiter<TenantId>> {
        let mut limiters = self.custom_limiters.lock().unwrap_or_else(PoisonError::into_inner);
        let limiter = limiters.entry(rate).or_insert_with(|| {
            let refill = Duration::from_secs(1) / rate.get();
            // The same ratio of burst to rate as the default.
            let burst =
                self.settings.rate_limit_burst.get() / self.settings.rate_limit_per_second.get();
            let burst = rate.saturating_mul(NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN));
            Arc::new(Limiter::new(burst, refill, self.ops.clock()))
        });
        Arc::clone(limiter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_readable_from_this_machine_unless_they_are_public() {
        let metrics = |is_public| Metrics::new(is_public, String::new);
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let nothing = HeaderMap::new();
        for here in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            assert!(metrics(false).is_permitted(address(here), &nothing), "{here}");
        }
        for elsewhere in ["10.0.0.7", "192.0.2.1", "::ffff:10.0.0.7", "2001:db8::1"] {
            assert!(!metrics(false).is_permitted(address(elsewhere), &nothing), "{elsewhere}");
            assert!(metrics(true).is_permitted(address(elsewhere), &nothing), "{elsewhere}");
        }
    }
}
