//! Reference records of a tenant, and the candidates that matching returns for a query.
//!
//! A *record* is a flat object of texts that a tenant keeps elsewhere (a customer, a security, a request for a trade); its
//! `db_id` is the id there. The *role* of a field says how its values are compared. The crate `matching` finds and compares.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;

/// The fields of a record or of a query, by name. An empty value is the same as a missing one.
pub type RecordFields = BTreeMap<String, String>;

string_enum! {
    "role of a field"
    /// How the values of a record's field are compared.
    #[derive(PartialOrd, Ord)]
    pub enum FieldRole {
        /// A person, company, ship or security, or a part of its name.
        Name = "name",
        /// A street with or without number, or a whole address.
        Address = "address",
        Postcode = "postcode",
        City = "city",
        /// Identifies the record or its subject: an account, an ISIN, a tax number, an order number.
        Id = "id",
        Date = "date",
        Amount = "amount",
        Phone = "phone",
        Email = "email",
        /// One of a few values that are equal or not: a country, a currency, buy or sell.
        Code = "code",
        /// Any other text.
        Text = "text",
        /// Kept with the record and not compared.
        Ignored = "ignored",
    }
}

/// A type of records, such as `customer`, with the role of each field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordTypeDefinition {
    pub name: String,
    /// Fields that are not listed are kept with the record and not compared.
    pub roles: BTreeMap<String, FieldRole>,
}

impl RecordTypeDefinition {
    /// The names of the fields with this role, sorted.
    pub fn fields_with(&self, role: FieldRole) -> impl Iterator<Item = &str> {
        self.roles.iter().filter(move |(_, found)| **found == role).map(|(name, _)| name.as_str())
    }

    /// Whether any field takes part in matching.
    pub fn is_comparable(&self) -> bool {
        self.roles.values().any(|role| *role != FieldRole::Ignored)
    }
}

string_enum! {
    "agreement of a field"
    /// How a field of the query compares with the same field of a record.
    pub enum FieldAgreement {
        /// Equal once both values are normalised.
        Equal = "equal",
        Similar = "similar",
        Differs = "differs",
        MissingInQuery = "missing_in_query",
        MissingInRecord = "missing_in_record",
    }
}

/// What one field contributes to the score of a candidate. Shown, it is a part of a sentence: `postcode equal`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FieldReason {
    pub field: String,
    pub agreement: FieldAgreement,
    /// The value in the query, as it was sent.
    pub query: Option<String>,
    /// The value in the record, as it is stored.
    pub record: Option<String>,
    /// The match weight of the field in bits: above 0 it speaks for the record, below 0 against it.
    pub weight: f64,
}

impl fmt::Display for FieldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = &self.field;
        match (self.agreement, &self.query, &self.record) {
            (FieldAgreement::Equal, Some(query), Some(record)) if query != record => {
                write!(f, "{field}: '{}' = '{}'", shortened(query), shortened(record))
            }
            (FieldAgreement::Similar, Some(query), Some(record)) => {
                write!(f, "{field}: '{}' ≈ '{}'", shortened(query), shortened(record))
            }
            (FieldAgreement::Equal, ..) => write!(f, "{field} equal"),
            (FieldAgreement::Similar, ..) => write!(f, "{field} similar"),
            (FieldAgreement::Differs, ..) => write!(f, "{field} differs"),
            (FieldAgreement::MissingInQuery, ..) => write!(f, "{field} missing in the query"),
            (FieldAgreement::MissingInRecord, ..) => write!(f, "{field} missing in the record"),
        }
    }
}

/// A record that may be what the query describes. Candidates are sorted, the most probable first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordCandidate {
    /// The id of the record in the tenant's database.
    pub db_id: String,
    /// The match weight in bits: the sum of the weights of the fields.
    pub score: f64,
    /// The probability that this record and none of the others is meant, from 0 to 1.
    pub probability: f64,
    pub reasons: Vec<FieldReason>,
    /// The record as it was when it was compared.
    pub record: RecordFields,
}

impl RecordCandidate {
    /// The reasons as a sentence, strongest first, without fields that the query lacks:
    /// `name: 'Siemens AG' ≈ 'SIEMENS Aktiengesellschaft'; postcode equal; city differs`.
    pub fn summary(&self) -> String {
        let mut reasons: Vec<&FieldReason> = self
            .reasons
            .iter()
            .filter(|reason| reason.agreement != FieldAgreement::MissingInQuery)
            .collect();
        reasons.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// Characters of a value that a reason shows.
const SHOWN: usize = 80;

/// The beginning of a value, without the control characters that could change how a line is displayed.
fn shortened(value: &str) -> String {
    let mut shown: String = value.chars().filter(|char| !char.is_control()).take(SHOWN).collect();
    if value.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(
        field: &str,
        agreement: FieldAgreement,
        query: &str,
        record: &str,
        weight: f64,
    ) -> FieldReason {
        FieldReason {
            field: field.to_owned(),
            agreement,
            query: Some(query.to_owned()),
            record: Some(record.to_owned()),
            weight,
        }
    }

    #[test]
    fn a_summary_names_similar_equal_and_different_fields_strongest_first() {
        let candidate = RecordCandidate {
            db_id: "C-1".to_owned(),
            score: 12.0,
            probability: 0.98,
            reasons: vec![
                reason("city", FieldAgreement::Differs, "Berlin", "Munich", -2.0),
                reason(
                    "name",
                    FieldAgreement::Similar,
                    "Siemens AG",
                    "SIEMENS Aktiengesellschaft",
                    9.0,
                ),
                reason("postcode", FieldAgreement::Equal, "80333", "80333", 5.0),
            ],
            record: RecordFields::new(),
        };
        assert_eq!(
            candidate.summary(),
            "name: 'Siemens AG' ≈ 'SIEMENS Aktiengesellschaft'; postcode equal; city differs"
        );
    }

    #[test]
    fn a_reason_shows_the_beginning_of_a_long_value_without_control_characters() {
        let long = format!("a\u{1b}[31m{}", "b".repeat(1_000_000));
        let text = reason("name", FieldAgreement::Similar, &long, "c", 1.0).to_string();
        assert!(text.starts_with("name: 'a[31mbbb") && text.ends_with("…' ≈ 'c'"), "{text}");
        assert!(text.chars().count() < 120);
    }

    #[test]
    fn fields_of_a_role_are_found_and_ignored_fields_make_nothing_comparable() {
        let roles = [("a", FieldRole::Name), ("b", FieldRole::Id), ("c", FieldRole::Name)];
        let roles = roles.into_iter().map(|(name, role)| (name.to_owned(), role)).collect();
        let definition = RecordTypeDefinition { name: "customer".to_owned(), roles };
        assert_eq!(definition.fields_with(FieldRole::Name).collect::<Vec<_>>(), ["a", "c"]);
        assert!(definition.is_comparable());
        let ignored = BTreeMap::from([("a".to_owned(), FieldRole::Ignored)]);
        let nothing = RecordTypeDefinition { name: "none".to_owned(), roles: ignored };
        assert!(!nothing.is_comparable());
    }
}
