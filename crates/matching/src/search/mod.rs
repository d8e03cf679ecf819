//! From the keys of a query to its candidates: which keys to look up ([`plan`]), which of the records found to load
//! ([`shortlist`]), in which order to return them ([`rank()`]), and whether one of them is meant ([`clear_winner`]).

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

#[cfg(test)]
mod tests {
    use domain::{FieldAgreement, FieldRole, MatchStatus, RecordFields, RecordTypeDefinition};

    use super::*;
    use crate::keys;
    use crate::weights::Model;

    fn definition() -> RecordTypeDefinition {
        let roles =
            [("city", FieldRole::City), ("name", FieldRole::Name), ("zip", FieldRole::Postcode)];
        let roles = roles.into_iter().map(|(name, role)| (name.to_owned(), role)).collect();
        RecordTypeDefinition { name: "customer".to_owned(), roles }
    }

    fn customer(name: &str, zip: &str, city: &str) -> RecordFields {
        let fields = [("name", name), ("zip", zip), ("city", city)];
        fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn ranked(query: &RecordFields, records: &[RecordFields]) -> Vec<domain::RecordCandidate> {
        let stored = records.iter().enumerate();
        let stored = stored
            .map(|(at, fields)| StoredRecord { db_id: at.to_string(), fields: fields.clone() });
        let model = Model::built_in(&definition());
        rank(&definition(), query, stored.collect(), &model, &Frequencies::default())
    }

    #[test]
    fn a_plan_takes_rare_keys_first_and_never_a_skewed_one() {
        let keys = keys::query_keys(&definition(), &customer("Anna Huber", "80333", "München"));
        let mut frequencies = Frequencies { records: 1_000_000, ..Frequencies::default() };
        for (at, key) in keys.iter().enumerate() {
            let frequency = match at {
                0 => 50_000,
                1 => 0,
                _ => 390 - 10 * at as u64,
            };
            frequencies.keys.insert(key.hash, frequency);
        }
        let limits = Limits { postings: 1_000, ..Limits::default() };
        let plan = plan(&keys, &frequencies, limits);
        assert!(!plan.is_empty() && plan.len() < keys.len() - 2);
        assert!(plan.is_sorted_by_key(|key| key.frequency));
        assert!(plan.iter().map(|key| key.frequency).sum::<u64>() <= limits.postings);
        assert!(plan.iter().all(|key| key.hash != keys[0].hash && key.hash != keys[1].hash));
        assert!(plan.is_sorted_by(|a, b| a.information >= b.information));
    }

    #[test]
    fn a_shortlist_prefers_records_whose_common_keys_are_rare() {
        let key = |hash, frequency, information| PlannedKey { hash, frequency, information };
        let plan = [key(1, 1, 10.0), key(2, 50, 4.0), key(3, 60, 4.0)];
        let postings = [(2, "common"), (1, "rare"), (2, "twice"), (3, "twice"), (9, "unknown")];
        let limits = Limits { records: 3, ..Limits::default() };
        assert_eq!(shortlist(&plan, postings, limits), ["rare", "twice", "common"]);
    }

    #[test]
    fn the_best_record_comes_first_with_reasons_and_a_snapshot() {
        let query = customer("Siemens AG", "80333", "Berlin");
        let records = [
            customer("Siemons Bau", "10115", "Köln"),
            customer("SIEMENS Aktiengesellschaft", "80333", "München"),
            customer("Otto Kern", "80333", ""),
        ];
        let candidates = ranked(&query, &records);
        assert_eq!(candidates[0].db_id, "1");
        assert_eq!(candidates[0].record, records[1]);
        let summary = candidates[0].summary();
        assert!(summary.contains("name: 'Siemens AG' = 'SIEMENS Aktiengesellschaft'"), "{summary}");
        assert!(summary.contains("zip equal") && summary.ends_with("city differs"), "{summary}");
        let other = candidates.iter().find(|one| one.db_id == "2").expect("a candidate");
        assert!(other.reasons.iter().any(|one| one.agreement == FieldAgreement::MissingInRecord));
        let all: f64 = candidates.iter().map(|one| one.probability).sum();
        assert!(all <= 1.0);
    }

    #[test]
    fn a_clear_winner_matches_twins_are_ambiguous_and_strangers_unmatched() {
        let query = customer("Anna Huber", "80333", "München");
        let stranger = customer("Otto Kern", "10115", "Berlin");
        let decision = clear_winner(&ranked(&query, &[query.clone(), stranger.clone()]), 0.05);
        assert_eq!(decision, Decision::Matched { db_id: "0".to_owned() });
        let twins = ranked(&query, &[query.clone(), query.clone(), stranger.clone()]);
        assert_eq!(clear_winner(&twins, 0.05).status(), MatchStatus::Ambiguous);
        assert_eq!(clear_winner(&ranked(&query, &[stranger]), 0.05), Decision::Unmatched);
        assert_eq!(clear_winner(&[], 0.05), Decision::Unmatched);
    }

    #[test]
    fn a_lower_accepted_error_rate_matches_less() {
        let query = customer("Anna Huber", "80333", "München");
        let near = customer("Anna Hubert", "80333", "Berlin");
        let candidates = ranked(&query, &[near]);
        let sure = candidates[0].probability;
        assert!((0.5..0.9999).contains(&sure), "{sure}");
        assert_eq!(clear_winner(&candidates, 1.0 - sure + 0.0001).status(), MatchStatus::Matched);
        assert_eq!(clear_winner(&candidates, 1.0 - sure - 0.0001).status(), MatchStatus::Ambiguous);
    }

    #[test]
    fn an_agreeing_rare_word_weighs_more_than_a_common_one() {
        let query = customer("Anna Huber", "", "");
        let record = StoredRecord { db_id: "1".to_owned(), fields: query.clone() };
        let model = Model::built_in(&definition());
        let score = |count: u64| {
            let hashes = ["anna", "huber"].map(|word| SearchKey::name_word(word).hash);
            let keys = hashes.into_iter().map(|hash| (hash, count)).collect();
            let frequencies = Frequencies { records: 1_000_000, keys };
            rank(&definition(), &query, vec![record.clone()], &model, &frequencies)[0].score
        };
        assert!(score(2) > score(1_000) + 1.0);
        assert!(score(100_000) < score(1_000) - 1.0);
    }

    #[test]
    fn at_most_twenty_candidates_are_returned() {
        let query = customer("Anna Huber", "80333", "München");
        assert_eq!(ranked(&query, &vec![query.clone(); 50]).len(), MAX_CANDIDATES);
    }
}
