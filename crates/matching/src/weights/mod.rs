//! Match weights by Fellegi and Sunter: for each field and level, the probability *m* that a pair of the same thing shows it,
//! and *u* that a pair of different things does. The weight of a level is log2(m / u).
//!
//! Both are estimated among *candidate pairs*, which share a search key already: that is what a search compares, and
//! the share of matches among them is the prior. A model keeps counts, so that few observations move it little.

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
/// The share of matches among candidate pairs before anything was observed.
const DEFAULT_PRIOR: f64 = 0.05;

/// The match weights of one tenant and type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    version: u8,
    /// Counts of candidate pairs that are and are not the same thing.
    matches: f64,
    others: f64,
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
            matches: DEFAULT_PRIOR * DEFAULT_STRENGTH,
            others: (1.0 - DEFAULT_PRIOR) * DEFAULT_STRENGTH,
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
        model.matches = positive(stored.matches);
        model.others = positive(stored.others);
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

    /// The share of matches among candidate pairs.
    pub fn prior(&self) -> f64 {
        self.matches / (self.matches + self.others)
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

    /// The probability that a candidate pair with this pattern is the same thing.
    pub fn probability(&self, pattern: &Pattern) -> f64 {
        probability_of(self.prior_weight() + self.score(pattern))
    }

    /// The prior in bits.
    pub(crate) fn prior_weight(&self) -> f64 {
        (self.matches / self.others).log2()
    }

    /// Takes in what a user decided about a candidate: linked, or linked to another record instead.
    pub fn learn(&mut self, pattern: &Pattern, is_match: bool) {
        let total = if is_match { &mut self.matches } else { &mut self.others };
        *total += LINK_STRENGTH;
        for (counts, level) in self.fields.values_mut().zip(pattern) {
            let side = if is_match { &mut counts.m } else { &mut counts.u };
            if let Some(count) = level.and_then(|level| side.get_mut(usize::from(level))) {
                *count += LINK_STRENGTH;
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

/// The probability that belongs to odds in bits.
pub(crate) fn probability_of(bits: f64) -> f64 {
    1.0 / (1.0 + (-bits).exp2())
}
