//! What handlers share.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use api_types::ConfigView;
use axum::http::{HeaderMap, header};
use domain::{Caller, Secret, TenantId};
use ops::{Limiter, Ops, TooMany};
use sha2::{Digest, Sha256};

use crate::TrustedProxies;

/// What the operator decides about the HTTP side.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Requests per second that one tenant may make for long.
    pub rate_limit_per_second: NonZeroU32,
    /// Requests that one tenant may make at once.
    pub rate_limit_burst: NonZeroU32,
    pub request_timeout: Duration,
    pub max_json_bytes: usize,
    pub metrics: Metrics,
    /// Whose word about clients is taken.
    pub trusted_proxies: TrustedProxies,
    /// How the server is set up, for those who may see it.
    pub configuration: ConfigView,
    /// Authentication is off, and this is who everybody is.
    pub everybody_is: Option<Caller>,
}

/// What the process has counted.
#[derive(Clone)]
pub struct Metrics {
    /// Whether clients on other machines may read it too.
    for_everybody: bool,
    /// Whoever presents it may read it from anywhere.
    token: Option<Secret>,
    trusted_proxies: TrustedProxies,
    written: Arc<dyn Fn() -> String + Send + Sync>,
}

impl Metrics {
    /// `written` gives them in the text format of Prometheus.
    pub fn new(for_everybody: bool, written: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let trusted_proxies = TrustedProxies::default();
        Self { for_everybody, token: None, trusted_proxies, written: Arc::new(written) }
    }

    #[must_use]
    pub fn with_token(self, token: Option<Secret>) -> Self {
        Self { token, ..self }
    }

    #[must_use]
    pub fn behind(self, trusted_proxies: TrustedProxies) -> Self {
        Self { trusted_proxies, ..self }
    }

    /// Whether this request may read them: from this machine, or with the token.
    pub(crate) fn are_for(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        self.for_everybody
            || self.trusted_proxies.is_local(peer, headers)
            || self.token.as_ref().is_some_and(|token| presents(headers, token))
    }

    pub(crate) fn text(&self) -> String {
        (self.written)()
    }
}

/// Hashed first: the time of comparing tells nothing about the token.
fn presents(headers: &HeaderMap, token: &Secret) -> bool {
    let presented = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let presented = presented.and_then(|text| text.strip_prefix("Bearer "));
    presented.is_some_and(|text| Sha256::digest(text) == Sha256::digest(token.reveal()))
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics")
            .field("for_everybody", &self.for_everybody)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub struct Api {
    pub(crate) ops: Arc<Ops>,
    pub(crate) settings: ApiSettings,
    requests_of_tenant: Limiter<TenantId>,
    /// For tenants that were granted a rate of their own, by that rate.
    special_rates: Mutex<HashMap<NonZeroU32, Arc<Limiter<TenantId>>>>,
}

impl Api {
    pub fn new(ops: Arc<Ops>, settings: ApiSettings) -> Arc<Self> {
        let refill = Duration::from_secs(1) / settings.rate_limit_per_second.get();
        let requests_of_tenant = Limiter::new(settings.rate_limit_burst, refill, ops.clock());
        let special_rates = Mutex::default();
        Arc::new(Self { ops, settings, requests_of_tenant, special_rates })
    }

    /// Takes a request out of the tenant's bucket.
    pub(crate) fn count_request(&self, tenant_id: TenantId) -> Result<(), TooMany> {
        let granted =
            self.ops.tenants.limits_of(tenant_id).requests_per_second.and_then(NonZeroU32::new);
        match granted {
            None => self.requests_of_tenant.check(&tenant_id),
            Some(rate) => self.limiter_of(rate).check(&tenant_id),
        }
    }

    fn limiter_of(&self, rate: NonZeroU32) -> Arc<Limiter<TenantId>> {
        let mut special = self.special_rates.lock().unwrap_or_else(PoisonError::into_inner);
        let limiter = special.entry(rate).or_insert_with(|| {
            let refill = Duration::from_secs(1) / rate.get();
            // As much at once, in proportion, as everybody.
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
    fn metrics_are_for_this_machine_unless_they_are_for_everybody() {
        let metrics = |for_everybody| Metrics::new(for_everybody, String::new);
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let nothing = HeaderMap::new();
        for here in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            assert!(metrics(false).are_for(address(here), &nothing), "{here}");
        }
        for elsewhere in ["10.0.0.7", "192.0.2.1", "::ffff:10.0.0.7", "2001:db8::1"] {
            assert!(!metrics(false).are_for(address(elsewhere), &nothing), "{elsewhere}");
            assert!(metrics(true).are_for(address(elsewhere), &nothing), "{elsewhere}");
        }
    }
}
