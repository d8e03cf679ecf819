//! Match weights by Fellegi and Sunter: for each field and level, the probability *m* that a pair of the same thing shows it,
//! and *u* that a pair of different things does. The weight of a level is log2(m / u).
//!
//! Both are estimated among the candidates of searches, which share a search key with the query already: that is what a
//! search compares. The prior is the share of searches whose record exists, divided among the candidates. A model keeps
//! counts, so that few observations move it little.

mod defaults;
mod estimate;

use std::collections::BTreeMap;

use domain::{FieldRole, RecordTypeDefinition};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::compare::{self, Pattern};

pub use estimate::{EstimateOptions, estimate};

/// The version of the stored form and of the levels that its counts belong to.
pub const MODEL_VERSION: u8 = 1;

/// How many observations the built-in weights count for.
const DEFAULT_STRENGTH: f64 = 20.0;
/// How many observations estimated weights count for at most: later links can still change them.
const MAX_STRENGTH: f64 = 200.0;
/// How many observations one link of a user counts for, compared with a pair of an estimate.
const LINK_STRENGTH: f64 = 2.0;
/// A weight never exceeds this many bits, for or against.
const MAX_WEIGHT: f64 = 14.0;
/// The share of searches whose record exists, before anything was observed.
const DEFAULT_PRIOR: f64 = 0.5;

/// The match weights of one tenant and type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    version: u8,
    /// Counts of searches whose record is among the candidates, and of those without.
    found: f64,
    absent: f64,
    fields: BTreeMap<String, FieldCounts>,
}

/// How often each level of a field was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FieldCounts {
    role: FieldRole,
    /// Among pairs of the same thing.
    m: Vec<f64>,
    /// Among pairs of different things.
    u: Vec<f64>,
}

/// A stored model that this version cannot use.
#[derive(Debug, Error)]
pub enum UnreadableModel {
    #[error("the match weights are not valid JSON")]
    Json(#[from] serde_json::Error),
    #[error(
        "the match weights have version {0}, and this Docket uses {MODEL_VERSION}: estimate them again"
    )]
    Version(u8),
}

impl Model {
    /// The built-in weights, by the roles of the fields.
    pub fn built_in(definition: &RecordTypeDefinition) -> Self {
        let counts = |role: &FieldRole| {
            let (m, u) = defaults::of_role(*role);
            let scaled =
                |shares: &[f64]| shares.iter().map(|share| share * DEFAULT_STRENGTH).collect();
            FieldCounts { role: *role, m: scaled(m), u: scaled(u) }
        };
        let roles = definition.roles.iter().take(compare::MAX_FIELDS);
        Self {
            version: MODEL_VERSION,
            found: DEFAULT_PRIOR * DEFAULT_STRENGTH,
            absent: (1.0 - DEFAULT_PRIOR) * DEFAULT_STRENGTH,
            fields: roles.map(|(name, role)| (name.clone(), counts(role))).collect(),
        }
    }

    /// A stored model, brought in line with the definition: fields whose role changed, and new ones, start from the
    /// built-in weights.
    pub fn from_json(
        json: &str,
        definition: &RecordTypeDefinition,
    ) -> Result<Self, UnreadableModel> {
        let mut stored: Self = serde_json::from_str(json)?;
        if stored.version != MODEL_VERSION {
            return Err(UnreadableModel::Version(stored.version));
        }
        let mut model = Self::built_in(definition);
        model.found = positive(stored.found);
        model.absent = positive(stored.absent);
        for (name, counts) in &mut model.fields {
            let found = stored.fields.remove(name).filter(|found| found.is_valid_for(counts.role));
            if let Some(found) = found {
                *counts = found;
            }
        }
        Ok(model)
    }

    pub fn to_json(&self) -> Result<String, UnreadableModel> {
        Ok(serde_json::to_string(self)?)
    }

    /// The prior of one of this many candidates, in bits: the odds that it is the record of the search.
    pub fn prior_weight(&self, candidates: usize) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a search has few candidates")]
        let candidates = candidates.max(1) as f64;
        (self.found / self.absent / candidates).log2()
    }

    /// The match weight of a level of a field in bits.
    pub fn weight(&self, field: &str, level: u8) -> f64 {
        self.fields.get(field).map_or(0.0, |counts| counts.weight(usize::from(level)))
    }

    /// The match weight of a whole pattern in bits, without the prior.
    pub fn score(&self, pattern: &Pattern) -> f64 {
        self.fields
            .values()
            .zip(pattern)
            .map(|(counts, level)| level.map_or(0.0, |level| counts.weight(usize::from(level))))
            .sum()
    }

    /// The probability that a pair with this pattern, one of so many candidates, is the same thing.
    pub fn probability(&self, pattern: &Pattern, candidates: usize) -> f64 {
        let bits = self.prior_weight(candidates) + self.score(pattern);
        1.0 / (1.0 + (-bits).exp2())
    }

    /// Takes in what a user decided about the candidates of a search: which one they linked, or none of them.
    pub fn learn(&mut self, candidates: &[Pattern], linked: Option<usize>) {
        let searches = if linked.is_some() { &mut self.found } else { &mut self.absent };
        *searches += LINK_STRENGTH;
        for (at, pattern) in candidates.iter().enumerate() {
            for (counts, level) in self.fields.values_mut().zip(pattern) {
                let side = if linked == Some(at) { &mut counts.m } else { &mut counts.u };
                if let Some(count) = level.and_then(|level| side.get_mut(usize::from(level))) {
                    *count += LINK_STRENGTH;
                }
            }
        }
    }
}

impl FieldCounts {
    fn weight(&self, level: usize) -> f64 {
        let share = |counts: &[f64]| {
            let total: f64 = counts.iter().sum();
            counts.get(level).map_or(0.0, |count| (count + 0.01) / (total + 0.01))
        };
        let (m, u) = (share(&self.m), share(&self.u));
        if m <= 0.0 || u <= 0.0 { 0.0 } else { (m / u).log2().clamp(-MAX_WEIGHT, MAX_WEIGHT) }
    }

    fn is_valid_for(&self, role: FieldRole) -> bool {
        let is_valid = |counts: &[f64]| {
            counts.len() == compare::levels(role)
                && counts.iter().all(|count| count.is_finite() && *count >= 0.0)
        };
        self.role == role && is_valid(&self.m) && is_valid(&self.u)
    }
}

fn positive(count: f64) -> f64 {
    if count.is_finite() { count.max(0.01) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> RecordTypeDefinition {
        let roles =
            [("city", FieldRole::City), ("name", FieldRole::Name), ("zip", FieldRole::Postcode)];
        let roles = roles.into_iter().map(|(name, role)| (name.to_owned(), role)).collect();
        RecordTypeDefinition { name: "customer".to_owned(), roles }
    }

    /// Levels of city, name and postcode.
    fn pattern(levels: [u8; 3]) -> Pattern {
        levels.into_iter().map(Some).collect()
    }

    const SAME: [u8; 3] = [0, 0, 0];
    const OTHER: [u8; 3] = [2, 4, 2];

    #[test]
    fn agreement_speaks_for_a_match_and_difference_against_it() {
        let model = Model::built_in(&definition());
        assert!(model.probability(&pattern(SAME), 20) > 0.9);
        assert!(model.probability(&pattern(OTHER), 20) < 0.01);
        assert!(model.weight("name", 0) > 0.0 && model.weight("name", 4) < 0.0);
        assert!(model.weight("unknown", 0) == 0.0 && model.weight("name", 99) == 0.0);
        // A value that is missing says nothing.
        assert!(model.score(&vec![None, None, None]) == 0.0);
    }

    #[test]
    fn more_candidates_make_each_less_probable() {
        let model = Model::built_in(&definition());
        let doubtful = pattern([2, 1, 2]);
        assert!(model.probability(&doubtful, 200) < model.probability(&doubtful, 2));
    }

    /// Searches of a type whose cities are always wrong, also in matches.
    fn searches() -> Vec<Vec<Pattern>> {
        let search = |at: usize| {
            let mut candidates = vec![pattern(OTHER); 4];
            candidates.push(pattern([2, 3, 2]));
            candidates.push(if at.is_multiple_of(10) {
                pattern(OTHER)
            } else {
                pattern([2, 0, 0])
            });
            candidates
        };
        (0..200).map(search).collect()
    }

    #[test]
    fn an_estimate_learns_from_unlabelled_searches_that_a_field_says_nothing() {
        let estimated = estimate(&definition(), searches(), EstimateOptions::default());
        let built_in = Model::built_in(&definition());
        assert!(built_in.weight("city", 2) < -2.0);
        assert!(estimated.weight("city", 2) > -1.0, "{}", estimated.weight("city", 2));
        assert!(estimated.weight("name", 0) > 3.0);
        assert!(estimated.probability(&pattern([2, 0, 0]), 6) > 0.9);
        // Nine of ten searches have their record.
        assert!((0.8..0.95).contains(&(estimated.found / (estimated.found + estimated.absent))));
    }

    #[test]
    fn too_few_pairs_leave_the_built_in_weights() {
        let few = searches().into_iter().take(3);
        let estimated = estimate(&definition(), few, EstimateOptions::default());
        assert_eq!(estimated, Model::built_in(&definition()));
    }

    #[test]
    fn links_move_the_weights_and_a_single_one_moves_them_little() {
        let built_in = Model::built_in(&definition());
        let mut once = built_in.clone();
        once.learn(&[pattern([2, 0, 0]), pattern([0, 4, 2])], Some(0));
        let mut often = built_in.clone();
        for _ in 0..200 {
            often.learn(&[pattern([2, 0, 0]), pattern([0, 4, 2])], Some(0));
        }
        let weights = [&built_in, &once, &often].map(|model| model.weight("city", 2));
        assert!(weights[0] < weights[1] && weights[1] < weights[2], "{weights:?}");
        assert!(weights[1] - weights[0] < 1.0 && weights[2] > 1.0, "{weights:?}");
        let mut refused = built_in.clone();
        refused.learn(&[pattern(SAME)], None);
        assert!(refused.probability(&pattern(SAME), 1) < built_in.probability(&pattern(SAME), 1));
    }

    #[test]
    fn a_stored_model_is_read_again_and_follows_the_definition() {
        let estimated = estimate(&definition(), searches(), EstimateOptions::default());
        let json = estimated.to_json().expect("a model is JSON");
        assert_eq!(Model::from_json(&json, &definition()).expect("readable"), estimated);

        let mut changed = definition();
        changed.roles.insert("city".to_owned(), FieldRole::Text);
        changed.roles.insert("phone".to_owned(), FieldRole::Phone);
        let model = Model::from_json(&json, &changed).expect("readable");
        let built_in = Model::built_in(&changed);
        assert_eq!(model.fields["city"], built_in.fields["city"]);
        assert_eq!(model.fields["phone"], built_in.fields["phone"]);
        assert_eq!(model.fields["name"], estimated.fields["name"]);
    }

    #[test]
    fn a_model_of_another_version_or_with_wrong_counts_is_not_used() {
        let json = Model::built_in(&definition()).to_json().expect("a model is JSON");
        let other = json.replace("\"version\":1", "\"version\":9");
        assert!(matches!(
            Model::from_json(&other, &definition()),
            Err(UnreadableModel::Version(9))
        ));
        assert!(matches!(Model::from_json("{", &definition()), Err(UnreadableModel::Json(_))));
        let mut broken = Model::built_in(&definition());
        if let Some(counts) = broken.fields.get_mut("name") {
            counts.m = vec![-1.0, 2.0];
        }
        let json = broken.to_json().expect("a model is JSON");
        let read = Model::from_json(&json, &definition()).expect("readable");
        assert_eq!(read, Model::built_in(&definition()));
    }
}
