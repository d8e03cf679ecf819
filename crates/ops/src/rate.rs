//! Token buckets, one per key, on the injected clock.

use std::fmt;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::Clock as GovernorClock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

/// Lets `domain::Clock` drive the buckets.
#[derive(Clone, Debug)]
struct InjectedClock(Arc<dyn domain::Clock>);

impl GovernorClock for InjectedClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::new(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// The client behind an address: whoever has one IPv6 address has the whole network of it.
pub(crate) fn client_of(address: IpAddr) -> IpAddr {
    const NETWORK_BITS: u32 = 64;
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let network = address.to_bits() >> NETWORK_BITS << NETWORK_BITS;
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
    }
}

/// A token bucket for each key.
pub struct Limiter<K: Hash + Eq + Clone> {
    buckets: RateLimiter<K, HashMapStateStore<K>, InjectedClock, NoOpMiddleware<Nanos>>,
    clock: InjectedClock,
    burst: u32,
}

/// A request that has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub limit: u32,
    pub retry_after: Duration,
}

impl<K: Hash + Eq + Clone> Limiter<K> {
    /// `count` requests a minute, all of them at once if need be.
    pub fn per_minute(count: NonZeroU32, clock: &Arc<dyn domain::Clock>) -> Self {
        Self::new(count, Duration::from_mins(1) / count.get(), clock)
    }

    /// `burst` requests at once, refilled at one per `refill`.
    pub fn new(burst: NonZeroU32, refill: Duration, clock: &Arc<dyn domain::Clock>) -> Self {
        let clock = InjectedClock(Arc::clone(clock));
        let refill = refill.max(Duration::from_nanos(1));
        let quota = Quota::with_period(refill)
            .unwrap_or_else(|| Quota::per_second(burst))
            .allow_burst(burst);
        let buckets = RateLimiter::hashmap_with_clock(quota, clock.clone());
        Self { buckets, clock, burst: burst.get() }
    }

    pub fn check(&self, key: &K) -> Result<(), TooMany> {
        self.buckets.check_key(key).map_err(|refused| TooMany {
            limit: self.burst,
            retry_after: refused.wait_time_from(self.clock.now()),
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_an_ipv6_network_are_one_client() {
        let client = |text: &str| client_of(text.parse().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:2"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:192.0.2.7"), client("192.0.2.7"));
    }
}
