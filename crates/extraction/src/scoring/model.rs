//! Learned weights, with where they come from.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The weights that every field shares: those of labels.
pub const SHARED: &str = "*";
/// The feature that each field has when no candidate is its value.
pub const NONE: &str = "none";

/// Where the weights come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The folder of the corpus.
    pub corpus: String,
    pub documents: usize,
    /// ISO 8601.
    pub date: String,
    pub seed: u64,
    /// Figures of the measurement in which each issuer was left out.
    pub figures: BTreeMap<String, f64>,
}

/// A linear model: for each field the weights of features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Model {
    pub provenance: Provenance,
    /// By field, then by feature.
    weights: BTreeMap<String, HashMap<String, f32>>,
}

impl Model {
    pub fn new(provenance: Provenance) -> Self {
        Self { provenance, weights: BTreeMap::new() }
    }

    pub fn set(&mut self, field: &str, feature: &str, weight: f32) {
        self.weights.entry(field.to_owned()).or_default().insert(feature.to_owned(), weight);
    }

    /// The number of weights.
    pub fn len(&self) -> usize {
        self.weights.values().map(HashMap::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn knows(&self, field: &str) -> bool {
        self.weights.contains_key(field)
    }

    /// The sum of the weights of features.
    pub fn score<'f>(&self, field: &str, features: impl IntoIterator<Item = &'f String>) -> f32 {
        let Some(weights) = self.weights.get(field) else { return 0.0 };
        features.into_iter().filter_map(|feature| weights.get(feature.as_str())).sum()
    }

    /// The score of the choice that no candidate is the value. A field that always had a value in training has no such
    /// choice; for an unknown field it counts as a candidate of which nothing is known.
    pub fn none(&self, field: &str) -> f32 {
        match self.weights.get(field) {
            Some(weights) => weights.get(NONE).copied().unwrap_or(-20.0),
            None => 0.0,
        }
    }

    pub fn read(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// One line for each field and weight, sorted, so that changes can be reviewed. Weights are rounded to thousandths.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let rounded = |weight: f32| (f64::from(weight) * 1e3).round() / 1e3;
        let sorted: BTreeMap<&str, BTreeMap<&str, f64>> = self
            .weights
            .iter()
            .map(|(field, weights)| {
                (
                    field.as_str(),
                    weights
                        .iter()
                        .map(|(name, weight)| (name.as_str(), rounded(*weight)))
                        .collect(),
                )
            })
            .collect();
        serde_json::to_string_pretty(
            &serde_json::json!({ "provenance": self.provenance, "weights": sorted }),
        )
    }

    /// The weights of contract notes.
    pub fn contract_note() -> &'static Self {
        static MODEL: LazyLock<Model> = LazyLock::new(|| {
            Model::read(include_str!("../../weights/contract_note.json")).unwrap_or_default()
        });
        &MODEL
    }
}
