//! Orders candidates by match weight, and decides whether one of them is meant.

use domain::{
    FieldAgreement, FieldReason, FieldRole, MatchStatus, RecordCandidate, RecordFields,
    RecordTypeDefinition,
};

use super::{Frequencies, MAX_CANDIDATES};
use crate::compare::{self, Prepared};
use crate::keys::SearchKey;
use crate::weights::Model;

/// A record of the shortlist.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    pub db_id: String,
    pub fields: RecordFields,
}

/// The share of records that have a word of average rarity. An agreeing rare word weighs more, a common one less.
const TYPICAL_SHARE: f64 = 0.001;
/// The most that the rarity of a word changes a weight, in bits.
const MAX_RARITY: f64 = 4.0;
/// Shares of few records say nothing about words.
const LEAST_RECORDS: u64 = 1_000;

/// The most probable records, at most [`MAX_CANDIDATES`], with a reason for each field.
///
/// At most one record is taken to be what the query describes: probabilities of the candidates and of "none of them" sum
/// to 1.
pub fn rank(
    definition: &RecordTypeDefinition,
    query: &RecordFields,
    records: Vec<StoredRecord>,
    model: &Model,
    frequencies: &Frequencies,
) -> Vec<RecordCandidate> {
    let prepared = Prepared::new(definition, query);
    let mut candidates: Vec<RecordCandidate> = records
        .into_iter()
        .map(|record| {
            let reasons = reasons(definition, query, &prepared, &record, model, frequencies);
            RecordCandidate {
                db_id: record.db_id,
                score: reasons.iter().map(|reason| reason.weight).sum(),
                probability: 0.0,
                reasons,
                record: record.fields,
            }
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.db_id.cmp(&b.db_id)));
    let prior = model.prior_weight(candidates.len());
    let odds: Vec<f64> =
        candidates.iter().map(|one| (prior + one.score).min(200.0).exp2()).collect();
    let all = 1.0 + odds.iter().sum::<f64>();
    for (candidate, odds) in candidates.iter_mut().zip(odds) {
        candidate.probability = odds / all;
    }
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

fn reasons(
    definition: &RecordTypeDefinition,
    query: &RecordFields,
    prepared: &Prepared,
    record: &StoredRecord,
    model: &Model,
    frequencies: &Frequencies,
) -> Vec<FieldReason> {
    let other = Prepared::new(definition, &record.fields);
    let pattern = prepared.compare(&other);
    let mut reasons = Vec::with_capacity(pattern.len());
    for (at, ((field, role), level)) in definition.roles.iter().zip(pattern).enumerate() {
        let agreement = match level {
            Some(level) => compare::agreement(*role, usize::from(level)),
            // A value that cannot be read, such as a date, is as good as none.
            None if !prepared.has(at) && !other.has(at) => continue,
            None if !prepared.has(at) => FieldAgreement::MissingInQuery,
            None => FieldAgreement::MissingInRecord,
        };
        let weight = level.map_or(0.0, |level| {
            let rarity = match role {
                FieldRole::Name if agreement != FieldAgreement::Differs => {
                    rarity(&prepared.shared_words(&other, at), frequencies)
                }
                _ => 0.0,
            };
            model.weight(field, level) + rarity
        });
        reasons.push(FieldReason {
            field: field.clone(),
            agreement,
            query: query.get(field).cloned(),
            record: record.fields.get(field).cloned(),
            weight,
        });
    }
    reasons
}

/// How much more (or less) an agreement says because of the rarest word that both names have, in bits.
fn rarity(words: &[&str], frequencies: &Frequencies) -> f64 {
    if frequencies.records < LEAST_RECORDS {
        return 0.0;
    }
    let known =
        words.iter().filter_map(|word| frequencies.keys.get(&SearchKey::name_word(word).hash));
    let Some(rarest) = known.copied().filter(|count| *count > 0).min() else { return 0.0 };
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 records")]
    let share = rarest as f64 / frequencies.records as f64;
    (0.5 * (TYPICAL_SHARE / share).log2()).clamp(-MAX_RARITY, MAX_RARITY)
}

/// What the candidates say about a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The first candidate is meant; the probability that it is not is within the accepted error rate.
    Matched { db_id: String },
    /// A record fits, but it is not certain enough which.
    Ambiguous,
    /// More probably than not, no record is meant.
    Unmatched,
}

impl Decision {
    pub fn status(&self) -> MatchStatus {
        match self {
            Self::Matched { .. } => MatchStatus::Matched,
            Self::Ambiguous => MatchStatus::Ambiguous,
            Self::Unmatched => MatchStatus::Unmatched,
        }
    }
}

/// Decides at an accepted error rate, the share of wrong records among matched queries that a tenant allows.
pub fn clear_winner(candidates: &[RecordCandidate], accepted_error_rate: f64) -> Decision {
    let any: f64 = candidates.iter().map(|candidate| candidate.probability).sum();
    match candidates.first() {
        Some(best) if best.probability >= (1.0 - accepted_error_rate).max(0.5) => {
            Decision::Matched { db_id: best.db_id.clone() }
        }
        Some(_) if any >= 0.5 => Decision::Ambiguous,
        _ => Decision::Unmatched,
    }
}
