//! The engine and its queue beside other queues on PostgreSQL, all on the private server that Docket
//! carries, with full durability.
//!
//! A *turn* is one contestant's part of a round. Before it begins, its jobs are queued and what the
//! others left to be written is written.

mod fairness;
mod growth;
mod idle;
mod naive;
mod peers;
mod pickup;
mod pipeline;
mod rig;
mod stages;
mod throughput;

pub(crate) use fairness::run as fairness;
pub(crate) use growth::run as growth;
pub(crate) use idle::run as idle;
pub(crate) use pickup::run as pickup;
pub(crate) use pipeline::run as pipeline;
pub(crate) use throughput::run as throughput;

/// The connections that every contestant may use.
const CONNECTIONS: u8 = 10;

/// Waits that differ, the same in every run: between `least` and `most` milliseconds.
fn gaps(count: usize, least: u64, most: u64) -> Vec<u64> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (state >> 33) % (most - least + 1)
    };
    (0..count).map(|_| next()).collect()
}

/// The value below which `percent` of all lie.
pub(crate) fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(index).copied().unwrap_or(f64::NAN)
}
