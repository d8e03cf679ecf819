//! Results of extraction: the typed fields of a document with their evidence.
//!
//! [`Extraction`] is what the API returns as the payload of a result, what `docket extract --json` prints, and what is
//! stored in `results.payload`, there with a version ([`Extraction::to_json`]).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::string_enum::string_enum;

/// The name that lets the classifier choose the document type; no type has it.
pub const AUTOMATIC_TYPE: &str = "auto";

string_enum! {
    "kind of field"
    /// The kind of a field's values.
    pub enum FieldKind {
        /// A decimal string; its currency is in a field of its own.
        Money = "money",
        /// ISO 8601.
        Date = "date",
        Quantity = "quantity",
        Percent = "percent",
        /// A decimal string that is no amount of money: an exchange rate.
        Number = "number",
        /// ISO 4217.
        Currency = "currency",
        Isin = "isin",
        Wkn = "wkn",
        Iban = "iban",
        Bic = "bic",
        VatId = "vat_id",
        /// An identifier that its issuer chose: an invoice number.
        Id = "id",
        /// The name of a person or company.
        Party = "party",
        Address = "address",
        /// ISO 3166-1 alpha-2.
        Country = "country",
        /// One of the values that the document type lists.
        Choice = "choice",
        Text = "text",
    }
}

string_enum! {
    "status of a field"
    pub enum FieldStatus {
        /// The chosen error rate supports using the value without review.
        Accepted = "accepted",
        NeedsReview = "needs_review",
        /// No value was found.
        Missing = "missing",
        /// A reviewer confirmed the value.
        Confirmed = "confirmed",
        /// A reviewer changed the value.
        Corrected = "corrected",
    }
}

string_enum! {
    "source of a field"
    /// Where the value of a field comes from.
    pub enum FieldSource {
        /// Text of the page, chosen by labels, geometry and learned weights.
        Page = "page",
        /// The other OCR reading of an uncertain word.
        OcrAlternative = "ocr_alternative",
        /// The XML of an electronic invoice.
        EInvoice = "e_invoice",
        /// Text of the page, chosen by what reviewers confirmed on similar documents.
        LayoutMemory = "layout_memory",
        /// Text of the page, chosen by a language model.
        LanguageModel = "language_model",
        /// Follows from other fields: a currency from a country, a total from its terms.
        Derived = "derived",
        /// A reviewer entered it.
        Reviewer = "reviewer",
    }
}

/// A field of a result, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Field {
    /// The normalised value: a decimal string, an ISO date, a code or text. `null` when it is missing.
    pub value: Option<String>,
    /// The text on the page, as it is written there.
    pub raw: Option<String>,
    /// The calibrated probability that the value is correct, from 0 to 1.
    pub confidence: f64,
    pub status: FieldStatus,
    /// Counted from 1.
    pub page: Option<u32>,
    /// Left, top, right and bottom in points from the top left corner of the page as displayed.
    #[serde(rename = "box")]
    pub area: Option<[f32; 4]>,
    pub source: Option<FieldSource>,
    /// Other candidates, the best first.
    pub alternatives: Vec<Alternative>,
    /// The names of the checks that used this field.
    pub checks: Vec<String>,
}

/// Another candidate for a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = FieldAlternative))]
pub struct Alternative {
    pub value: String,
    pub raw: String,
    pub confidence: f64,
    pub page: Option<u32>,
    #[serde(rename = "box")]
    pub area: Option<[f32; 4]>,
    pub source: FieldSource,
}

/// A check of a result: a sum, a checksum, an order of dates, a comparison with the embedded invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ResultCheck))]
pub struct Check {
    pub name: String,
    /// `null` when a value that the check needs is missing.
    pub passed: Option<bool>,
    /// The check with its numbers, in a form that users read: `804.17 + 9.21 = 813.38`.
    pub detail: String,
}

/// The fields of one trade or one line.
pub type FieldGroup = BTreeMap<String, Field>;

/// The payload of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct Extraction {
    /// The name of the document type. Empty when the classifier abstained.
    pub document_type: String,
    /// By dotted name, such as `seller.name`.
    pub fields: FieldGroup,
    pub trades: Vec<FieldGroup>,
    pub lines: Vec<FieldGroup>,
    pub checks: Vec<Check>,
    /// Remarks for users, such as a date whose day and month are ambiguous.
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadableExtraction {
    #[error("the result cannot be read: {0}")]
    Malformed(String),
    #[error("the result has version {found}; this Docket reads up to {}", Extraction::VERSION)]
    TooNew { found: u64 },
}

impl Extraction {
    pub const VERSION: u64 = 1;

    pub fn read(stored: Value) -> Result<Self, UnreadableExtraction> {
        match stored.get("version").and_then(Value::as_u64) {
            Some(found) if found > Self::VERSION => Err(UnreadableExtraction::TooNew { found }),
            _ => serde_json::from_value(stored)
                .map_err(|error| UnreadableExtraction::Malformed(error.to_string())),
        }
    }

    pub fn to_json(&self) -> Value {
        // String keys and finite numbers: this cannot fail.
        let mut json = serde_json::to_value(self).unwrap_or_default();
        json["version"] = Self::VERSION.into();
        json
    }

    /// Every field with its path: `seller.name`, `trades.0.isin`, `lines.2.quantity`.
    pub fn all_fields(&self) -> impl Iterator<Item = (String, &Field)> {
        let header = self.fields.iter().map(|(name, field)| (name.clone(), field));
        let groups = [("trades", &self.trades), ("lines", &self.lines)];
        let grouped = groups.into_iter().flat_map(|(group, items)| {
            items.iter().enumerate().flat_map(move |(index, fields)| {
                fields.iter().map(move |(name, field)| (format!("{group}.{index}.{name}"), field))
            })
        });
        header.chain(grouped)
    }

    /// The field with this path, as [`Extraction::all_fields`] names it.
    pub fn field_mut(&mut self, path: &str) -> Option<&mut Field> {
        let mut groups = [("trades.", &mut self.trades), ("lines.", &mut self.lines)].into_iter();
        let grouped = groups.find_map(|(prefix, items)| Some((path.strip_prefix(prefix)?, items)));
        match grouped {
            Some((rest, items)) => {
                let (index, name) = rest.split_once('.')?;
                items.get_mut(index.parse::<usize>().ok()?)?.get_mut(name)
            }
            None => self.fields.get_mut(path),
        }
    }

    /// The confidence of each field, by its path.
    pub fn confidences(&self) -> BTreeMap<String, f64> {
        self.all_fields().map(|(path, field)| (path, field.confidence)).collect()
    }

    /// Whether a reviewer must look at it: a field needs review, no field has a value, or a check failed that is about no
    /// field (a check of fields shows in their status).
    pub fn needs_review(&self) -> bool {
        let has_values = self.all_fields().any(|(_, field)| field.value.is_some());
        let about_a_field =
            |check: &Check| self.all_fields().any(|(_, field)| field.checks.contains(&check.name));
        let mut failed = self.checks.iter().filter(|check| check.passed == Some(false));
        !has_values
            || self.all_fields().any(|(_, field)| field.status == FieldStatus::NeedsReview)
            || failed.any(|check| !about_a_field(check))
    }
}

/// The result of a run. The transaction that ends the stage stores it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewResult {
    pub extraction: Extraction,
    /// The version of the document type that was applied; 0 when the classifier abstained.
    pub type_version: u32,
    /// The document is reviewed although its fields are accepted, to measure the error rate.
    pub sampled_for_review: bool,
}

impl Field {
    /// A field without a value.
    pub fn missing() -> Self {
        Self {
            value: None,
            raw: None,
            confidence: 0.0,
            status: FieldStatus::Missing,
            page: None,
            area: None,
            source: None,
            alternatives: Vec::new(),
            checks: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extraction_without_values_needs_review() {
        let mut extraction = Extraction::default();
        assert!(extraction.needs_review());
        let accepted = Field {
            value: Some("2026-01-02".to_owned()),
            status: FieldStatus::Accepted,
            checks: vec!["dates".to_owned()],
            ..Field::missing()
        };
        extraction.fields.insert("date".to_owned(), accepted);
        assert!(!extraction.needs_review());
        let check = |name: &str| Check {
            name: name.to_owned(),
            passed: Some(false),
            detail: String::new(),
        };
        extraction.checks = vec![check("dates")];
        assert!(!extraction.needs_review(), "the status of its field decides");
        extraction.checks = vec![check("trades_found")];
        assert!(extraction.needs_review());
    }
}
