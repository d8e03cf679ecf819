//! From the keys of a query to its candidates: which keys to look up ([`plan`]), which of the records found to load
//! ([`shortlist`]), in which order to return them ([`rank`]), and whether one of them is meant ([`clear_winner`]).

mod assign;
mod rank;

use std::collections::HashMap;
use std::hash::Hash;

use crate::keys::SearchKey;

pub use assign::{Proposal, one_to_one};
pub use rank::{Decision, StoredRecord, clear_winner, rank};

/// The candidates that a search returns.
pub const MAX_CANDIDATES: usize = 20;

/// How often keys occur among the records of a type.
#[derive(Clone, Debug, Default)]
pub struct Frequencies {
    /// The records of the type.
    pub records: u64,
    /// For each hash of a key how many records have it; a count may stop at a limit above [`Limits::postings_per_key`].
    pub keys: HashMap<i64, u64>,
}

/// Bounds of the work of one search.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A key that more records have is not looked up.
    pub postings_per_key: u64,
    /// Looked-up rows of the index.
    pub postings: u64,
    /// Records that are loaded and compared.
    pub records: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { postings_per_key: 400, postings: 2_000, records: 200 }
    }
}

/// A key to look up.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedKey {
    pub hash: i64,
    pub frequency: u64,
    /// How much the key says about a record that has it, in bits: the rarer it is, the more.
    pub information: f64,
}

/// The keys to look up, rarest first, within the limits. Keys that no record has are left out.
pub fn plan(keys: &[SearchKey], frequencies: &Frequencies, limits: Limits) -> Vec<PlannedKey> {
    let mut found: Vec<(u64, &SearchKey)> = keys
        .iter()
        .filter_map(|key| Some((*frequencies.keys.get(&key.hash)?, key)))
        .filter(|(frequency, _)| (1..=limits.postings_per_key).contains(frequency))
        .collect();
    found.sort_by_key(|(frequency, key)| (*frequency, key.kind, key.hash));
    found.dedup_by_key(|(_, key)| key.hash);
    let mut postings = 0;
    let mut planned = Vec::with_capacity(found.len());
    for (frequency, key) in found {
        postings += frequency;
        if postings > limits.postings {
            break;
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52 records")]
        let share = frequency as f64 / frequencies.records.max(frequency) as f64;
        // Also a key that every record of a small type has says something: the record was found by it.
        let information = (-share.log2()).max(0.1);
        planned.push(PlannedKey { hash: key.hash, frequency, information });
    }
    planned
}

/// The records to load, the most promising first: those whose common keys with the query say most.
pub fn shortlist<R: Clone + Ord + Hash>(
    plan: &[PlannedKey],
    postings: impl IntoIterator<Item = (i64, R)>,
    limits: Limits,
) -> Vec<R> {
    let information: HashMap<i64, f64> =
        plan.iter().map(|key| (key.hash, key.information)).collect();
    let mut sums: HashMap<R, f64> = HashMap::new();
    for (hash, record) in postings {
        *sums.entry(record).or_default() += information.get(&hash).copied().unwrap_or(0.0);
    }
    let mut records: Vec<(R, f64)> = sums.into_iter().collect();
    records.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    records.truncate(limits.records);
    records.into_iter().map(|(record, _)| record).collect()
}
