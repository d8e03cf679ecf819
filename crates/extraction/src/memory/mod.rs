//! Layout memory: what a confirmed document teaches about the next one from the same issuer.
//!
//! [`ReviewedDocument::learn`] finds where each confirmed value stands, and keeps its *anchors*: the words beside, above and
//! before it, and its place on the page. It also keeps the places of all other values: they are known not to be the field.
//! [`Recall`] compares the surroundings of every value of a new document with those places, and says which field the most
//! similar one had. How much that counts depends on how similar both layouts are ([`Fingerprint`]), on whether both
//! documents are of one form (a purchase, a sale), and on how often the entry was right.
//!
//! An entry contains no text of a document: words are hashes, and of values only choices are stored, which the document
//! type lists. The memory of a tenant is used for documents of that tenant only; who looks entries up takes care of that.

mod apply;
mod context;
mod fingerprint;
mod judge;
mod learn;
mod places;
mod recall;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod tuning;

use domain::FieldKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

pub(crate) use apply::apply;
pub use context::Context;
pub use fingerprint::{Collector, Fingerprint};
pub use judge::Verdict;
pub use learn::{LEARNT_PAGES, ReviewedDocument};
pub use recall::{Compared, Layout, Recall, Support};
pub use tuning::{Anchors, Tuning};

/// What one confirmed document taught.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// The name of the document type.
    pub document_type: String,
    pub fingerprint: Fingerprint,
    /// Where the values of the document stand. For a field, those that its rules do not name are places of other values.
    pub places: Vec<KnownPlace>,
    pub fields: Vec<FieldMemory>,
}

/// The place of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownPlace {
    pub kind: FieldKind,
    #[serde(flatten)]
    pub context: Context,
}

/// Where a field stands in a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldMemory {
    /// As the document type names it: `invoice_number`, `trades[].isin`.
    pub field: String,
    pub kind: FieldKind,
    /// Several when the value occurs more than once, or in several trades. None when the document has no value of the field.
    pub rules: Vec<Rule>,
    /// Places that may be of the field or not: they count neither way. Indexes of `MemoryEntry::places`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<usize>,
    /// The hashes of confirmed texts: many texts are the same on every document of the issuer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<u32>,
    /// Where confirmed texts stand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<Context>,
    /// The confirmed values of a choice, which the document type lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// How often a reviewer confirmed a value that this memory had chosen, and how often one corrected it.
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    pub counts: Counts,
}

/// How to compose a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Indexes of `MemoryEntry::places`: one for a value that stands on the page; several when the value is their sum.
    pub terms: Vec<usize>,
    /// Whether the value stands here in particular: the reviewer confirmed this place, or it has the label of the field. The
    /// value may stand elsewhere too, by chance.
    pub is_likely: bool,
}

/// How often a memory was right and wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub right: u32,
    pub wrong: u32,
}

impl Counts {
    /// Before there is experience, a memory counts like one that was right 4 times out of 5.
    const PRIOR: (f32, f32) = (4.0, 1.0);

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The mean of the Beta distribution of how often the memory is right.
    pub fn reliability(self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let (right, wrong) = (self.right as f32, self.wrong as f32);
        let (prior_right, prior_wrong) = Self::PRIOR;
        (right + prior_right) / (right + wrong + prior_right + prior_wrong)
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadableMemory {
    #[error("the entry of the layout memory cannot be read: {0}")]
    Malformed(String),
    #[error(
        "the entry of the layout memory has version {found}; this Docket reads {}",
        MemoryEntry::VERSION
    )]
    OtherVersion { found: u64 },
}

impl MemoryEntry {
    pub const VERSION: u64 = 2;

    /// Reads the stored form. The database has the counts in a table of their own, because they change.
    pub fn read(stored: Value) -> Result<Self, UnreadableMemory> {
        match stored.get("version").and_then(Value::as_u64) {
            Some(found) if found != Self::VERSION => Err(UnreadableMemory::OtherVersion { found }),
            _ => serde_json::from_value(stored)
                .map_err(|error| UnreadableMemory::Malformed(error.to_string())),
        }
    }

    /// From 0 to 1: how reliable the fields are on average.
    pub fn reliability(&self) -> f32 {
        let sum: f32 = self.fields.iter().map(|field| field.counts.reliability()).sum();
        #[expect(clippy::cast_precision_loss, reason = "a few fields")]
        let count = self.fields.len().max(1) as f32;
        sum / count
    }

    pub fn to_json(&self) -> Value {
        // String keys and whole numbers: this cannot fail.
        let mut json = serde_json::to_value(self).unwrap_or_default();
        json["version"] = Self::VERSION.into();
        json
    }
}
