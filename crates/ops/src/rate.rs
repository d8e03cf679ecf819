//! Token buckets, one per key, on the injected clock.

use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

/// Lets `domain::Clock` drive the buckets.
#[derive(Clone, Debug)]
struct InjectedClock(Arc<dyn domain::Clock>);

impl GovernorClock for InjectedClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        let since_epoch = self.0.now().timestamp_nanos_opt().unwrap_or(0);
        Nanos::new(u64::try_from(since_epoch).unwrap_or(0))
    }
}

/// A token bucket for each key.
pub struct Limiter<K: Hash + Eq + Clone> {
    buckets: RateLimiter<K, DashMapStateStore<K>, InjectedClock, StateInformationMiddleware>,
    clock: InjectedClock,
    burst: u32,
}

/// A request that may pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub limit: u32,
    pub remaining: u32,
}

/// A request that has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub limit: u32,
    pub retry_after: Duration,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// `burst` requests at once, refilled at one per `refill`.
    pub fn new(burst: NonZeroU32, refill: Duration, clock: &Arc<dyn domain::Clock>) -> Self {
        let clock = InjectedClock(Arc::clone(clock));
        let refill = refill.max(Duration::from_nanos(1));
        let quota = Quota::with_period(refill)
            .unwrap_or_else(|| Quota::per_second(burst))
            .allow_burst(burst);
        let buckets = RateLimiter::dashmap_with_clock(quota, clock.clone()).with_middleware();
        Self { buckets, clock, burst: burst.get() }
    }

    pub fn check(&self, key: &K) -> Result<Allowance, TooMany> {
        match self.buckets.check_key(key) {
            Ok(state) => {
                Ok(Allowance { limit: self.burst, remaining: state.remaining_burst_capacity() })
            }
            Err(refused) => Err(TooMany {
                limit: self.burst,
                retry_after: refused.wait_time_from(self.clock.now()),
            }),
        }
    }

    /// Forgets keys whose bucket is full again.
    pub fn forget_idle(&self) {
        self.buckets.retain_recent();
        self.buckets.shrink_to_fit();
    }
}

impl<K: Hash + Eq + Clone> fmt::Debug for Limiter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter").field("burst", &self.burst).finish_non_exhaustive()
    }
}
