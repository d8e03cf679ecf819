//! The results of a document: which one is current, and which trades stay the same.
//!
//! A result is one version of the typed fields of a document ([`crate::Extraction`]). At most one is *current*. A result
//! *waits* for promotion when a person reviewed the current one. The others are *superseded*.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::string_enum::string_enum;
use crate::{Extraction, FieldGroup, FieldStatus};

string_enum! {
    "state of a result"
    pub enum ResultState {
        Current = "current",
        /// A person reviewed the current result. An administrator can promote this one.
        Waiting = "waiting",
        /// Another result replaced it.
        Superseded = "superseded",
    }
}

string_enum! {
    "match status"
    /// How a trade compares with the tenant's request records.
    pub enum MatchStatus {
        /// It has not been compared.
        Pending = "pending",
        Matched = "matched",
        /// Several records fit.
        Ambiguous = "ambiguous",
        /// No record fits.
        Unmatched = "unmatched",
    }
}

string_enum! {
    "review status"
    pub enum ReviewStatus {
        Pending = "pending",
        Approved = "approved",
        Rejected = "rejected",
    }
}

/// The current result of a document, when a run creates another one.
#[derive(Clone, Copy, Debug)]
pub struct CurrentResult {
    /// A person edited, approved or promoted it.
    pub is_reviewed: bool,
    /// When its run was requested, or that of a result that waits, if that was later.
    pub run_created_at: DateTime<Utc>,
    /// The new result is of the same content, not of an updated original.
    pub has_same_content: bool,
}

impl ResultState {
    /// The state of a new result, of a run that was requested at `run_created_at`.
    pub fn of_new(run_created_at: DateTime<Utc>, current: Option<&CurrentResult>) -> Self {
        match current {
            // A run never replaces one that was requested later.
            Some(current) if run_created_at < current.run_created_at => Self::Superseded,
            Some(current) if current.is_reviewed && current.has_same_content => Self::Waiting,
            Some(_) | None => Self::Current,
        }
    }
}

/// The fields of a result, counted by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResultSummary {
    pub fields: u32,
    pub accepted: u32,
    pub needs_review: u32,
    pub missing: u32,
    pub confirmed: u32,
    pub corrected: u32,
    /// The lowest and the mean confidence of the fields that have a value. `null` when none has.
    pub lowest_confidence: Option<f64>,
    pub mean_confidence: Option<f64>,
    pub failed_checks: u32,
}

impl Extraction {
    pub fn summary(&self) -> ResultSummary {
        let mut summary = ResultSummary::default();
        let (mut sum, mut valued) = (0.0, 0_u32);
        for (_, field) in self.all_fields() {
            summary.fields += 1;
            let count = match field.status {
                FieldStatus::Accepted => &mut summary.accepted,
                FieldStatus::NeedsReview => &mut summary.needs_review,
                FieldStatus::Missing => &mut summary.missing,
                FieldStatus::Confirmed => &mut summary.confirmed,
                FieldStatus::Corrected => &mut summary.corrected,
            };
            *count += 1;
            if field.value.is_some() {
                let lowest = summary.lowest_confidence.unwrap_or(f64::INFINITY);
                summary.lowest_confidence = Some(lowest.min(field.confidence));
                sum += field.confidence;
                valued += 1;
            }
        }
        summary.mean_confidence = (valued > 0).then(|| sum / f64::from(valued));
        let failed = self.checks.iter().filter(|check| check.passed == Some(false)).count();
        summary.failed_checks = u32::try_from(failed).unwrap_or(u32::MAX);
        summary
    }
}

/// The values of a trade by which lists find it.
#[derive(Clone, Debug, PartialEq)]
pub struct TradeFacts {
    pub side: Option<String>,
    pub isin: Option<String>,
    pub trade_date: Option<NaiveDate>,
    pub settlement_date: Option<NaiveDate>,
    /// The lowest confidence of its fields that have a value; 0 when none has.
    pub confidence_score: f64,
}

impl TradeFacts {
    pub fn of(trade: &FieldGroup) -> Self {
        let date = |name: &str| value_of(trade, name).and_then(|value| value.parse().ok());
        let valued = trade.values().filter(|field| field.value.is_some());
        let lowest = valued.map(|field| field.confidence).reduce(f64::min);
        Self {
            side: value_of(trade, "side").map(str::to_owned),
            isin: value_of(trade, "isin").map(str::to_owned),
            trade_date: date("trade_date"),
            settlement_date: date("settlement_date"),
            confidence_score: lowest.unwrap_or(0.0),
        }
    }
}

/// The values that tell the trades of a document apart.
fn identity(trade: &FieldGroup) -> [Option<&str>; 4] {
    ["side", "isin", "trade_date", "order_number"].map(|name| value_of(trade, name))
}

fn value_of<'a>(trade: &'a FieldGroup, name: &str) -> Option<&'a str> {
    trade.get(name)?.value.as_deref()
}

/// For each trade of a new result, the trade of the result before whose id it keeps: the one with the same side, ISIN, trade
/// date and order number, or else the one at the same position that no other trade keeps.
pub fn kept_trades(before: &[FieldGroup], after: &[FieldGroup]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; before.len()];
    let mut kept = vec![None; after.len()];
    for (trade, kept) in after.iter().zip(&mut kept) {
        let wanted = identity(trade);
        if wanted.iter().all(Option::is_none) {
            continue;
        }
        let same = |(index, old): &(usize, &FieldGroup)| is_free[*index] && identity(old) == wanted;
        if let Some((index, _)) = before.iter().enumerate().find(same) {
            is_free[index] = false;
            *kept = Some(index);
        }
    }
    for (position, kept) in kept.iter_mut().enumerate() {
        if kept.is_none() && is_free.get(position) == Some(&true) {
            *kept = Some(position);
        }
    }
    kept
}

/// Whether two trades have the same values. What was decided about one then holds for the other.
pub fn same_values(one: &FieldGroup, other: &FieldGroup) -> bool {
    let values = |trade: &FieldGroup| -> BTreeMap<String, String> {
        let valued = trade.iter().filter_map(|(name, field)| Some((name, field.value.as_ref()?)));
        valued.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    values(one) == values(other)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::{Check, Field};

    fn field(value: &str, confidence: f64, status: FieldStatus) -> Field {
        Field { value: Some(value.to_owned()), confidence, status, ..Field::missing() }
    }

    fn group(values: &[(&str, &str)]) -> FieldGroup {
        let accepted = |value| field(value, 0.9, FieldStatus::Accepted);
        values.iter().map(|(name, value)| ((*name).to_owned(), accepted(value))).collect()
    }

    #[test]
    fn a_new_result_becomes_current_unless_a_person_reviewed_the_current_one() {
        let requested = DateTime::UNIX_EPOCH;
        let current = |is_reviewed, has_same_content, seconds| CurrentResult {
            is_reviewed,
            run_created_at: requested + TimeDelta::seconds(seconds),
            has_same_content,
        };
        let of_new = |current: Option<&CurrentResult>| ResultState::of_new(requested, current);
        assert_eq!(of_new(None), ResultState::Current);
        assert_eq!(of_new(Some(&current(false, true, -1))), ResultState::Current);
        assert_eq!(of_new(Some(&current(true, true, -1))), ResultState::Waiting);
        assert_eq!(of_new(Some(&current(true, false, -1))), ResultState::Current);
        for is_reviewed in [false, true] {
            assert_eq!(of_new(Some(&current(is_reviewed, true, 1))), ResultState::Superseded);
        }
    }

    #[test]
    fn a_summary_counts_fields_by_status() {
        let fields = FieldGroup::from([
            ("broker".to_owned(), field("Nordbank", 0.5, FieldStatus::NeedsReview)),
            ("account_holder".to_owned(), Field::missing()),
        ]);
        let trade = FieldGroup::from([
            ("isin".to_owned(), field("DE0007164600", 1.0, FieldStatus::Accepted)),
            ("price".to_owned(), field("10", 0.75, FieldStatus::Corrected)),
        ]);
        let check = |passed| Check { name: "sum".to_owned(), passed, detail: String::new() };
        let checks = vec![check(Some(true)), check(Some(false)), check(None)];
        let extraction =
            Extraction { fields, trades: vec![trade], checks, ..Extraction::default() };
        let expected = ResultSummary {
            fields: 4,
            accepted: 1,
            needs_review: 1,
            missing: 1,
            confirmed: 0,
            corrected: 1,
            lowest_confidence: Some(0.5),
            mean_confidence: Some(0.75),
            failed_checks: 1,
        };
        assert_eq!(extraction.summary(), expected);
        assert_eq!(Extraction::default().summary(), ResultSummary::default());
    }

    #[test]
    fn a_trade_keeps_its_id_where_another_one_was_inserted_before_it() {
        let first = group(&[("side", "buy"), ("isin", "A"), ("price", "1")]);
        let second = group(&[("side", "sell"), ("isin", "B"), ("price", "2")]);
        let repriced = group(&[("side", "sell"), ("isin", "B"), ("price", "3")]);
        let new = group(&[("side", "buy"), ("isin", "C")]);
        let before = [first.clone(), second.clone()];
        assert_eq!(
            kept_trades(&before, &[new.clone(), first.clone(), repriced.clone()]),
            [None, Some(0), Some(1)]
        );
        // A corrected ISIN: the trade at the same position is meant.
        assert_eq!(kept_trades(&before, &[new, second.clone()]), [Some(0), Some(1)]);
        // Two equal trades keep one id each.
        let twice = [first.clone(), first.clone()];
        assert_eq!(kept_trades(&twice, &twice), [Some(0), Some(1)]);
        assert_eq!(kept_trades(&[], &twice), [None, None]);
        assert!(same_values(&second, &second) && !same_values(&second, &repriced));
    }

    #[test]
    fn the_facts_of_a_trade_are_read_from_its_fields() {
        let mut trade = group(&[("isin", "A"), ("trade_date", "2026-02-03"), ("side", "buy")]);
        trade.insert("settlement_date".to_owned(), field("soon", 0.25, FieldStatus::NeedsReview));
        trade.insert("price".to_owned(), Field::missing());
        let facts = TradeFacts::of(&trade);
        assert_eq!(facts.trade_date, NaiveDate::from_ymd_opt(2026, 2, 3));
        assert_eq!((facts.settlement_date, facts.confidence_score), (None, 0.25));
        assert_eq!((facts.isin.as_deref(), facts.side.as_deref()), (Some("A"), Some("buy")));
    }
}
