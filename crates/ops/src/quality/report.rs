//! The quality of extraction over time: the measured error of accepted fields, and how many are accepted.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Action, Caller, FieldKind};
use extraction::acceptance::{Basis, Support};
use extraction::statistics::confidence_interval;
use store::QualityFilter;

use super::acceptance::calibration_of;
use crate::{OpsError, Quality};

/// The coverage of the intervals.
const COVERAGE: f64 = 0.95;

/// How long a period of the report is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QualityPeriod {
    Day,
    /// From Monday.
    #[default]
    Week,
}

#[derive(Clone, Debug, Default)]
pub struct QualityRequest {
    /// Inclusive; 90 days before `to` when absent.
    pub from: Option<DateTime<Utc>>,
    /// Exclusive; now when absent.
    pub to: Option<DateTime<Utc>>,
    pub document_type: Option<String>,
    pub period: QualityPeriod,
}

#[derive(Debug)]
pub struct QualityReport {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    /// By name.
    pub types: Vec<TypeQuality>,
}

#[derive(Debug)]
pub struct TypeQuality {
    pub document_type: String,
    pub accepted_error_rate: f64,
    pub support: Support,
    pub measures: Measures,
    /// By name, as the document type writes it.
    pub fields: Vec<(String, Measures)>,
    /// By time; periods without data are left out.
    pub periods: Vec<(DateTime<Utc>, Measures)>,
}

/// What was extracted, accepted and reviewed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    pub extracted: u32,
    pub accepted: u32,
    /// Accepted fields that were reviewed.
    pub reviewed: ErrorCounts,
    /// Those of documents that were reviewed by chance: they stand for all accepted fields.
    pub sampled: ErrorCounts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    pub total: u32,
    pub wrong: u32,
}

impl ErrorCounts {
    /// `None` without data.
    pub fn rate(self) -> Option<f64> {
        (self.total > 0).then(|| f64::from(self.wrong) / f64::from(self.total))
    }

    /// The 95 % interval of Clopper and Pearson; `None` without data.
    pub fn interval(self) -> Option<[f64; 2]> {
        (self.total > 0).then(|| confidence_interval(self.wrong, self.total, COVERAGE))
    }
}

impl Measures {
    pub fn acceptance_rate(&self) -> Option<f64> {
        (self.extracted > 0).then(|| f64::from(self.accepted) / f64::from(self.extracted))
    }

    fn add(&mut self, other: &Self) {
        self.extracted += other.extracted;
        self.accepted += other.accepted;
        for (sum, more) in
            [(&mut self.reviewed, other.reviewed), (&mut self.sampled, other.sampled)]
        {
            sum.total += more.total;
            sum.wrong += more.wrong;
        }
    }
}

impl TypeQuality {
    /// Why no field of the type is accepted, as a sentence; `None` when fields are accepted.
    pub fn shortfall(&self) -> Option<String> {
        let shortfall = self.support.outcome.as_ref().err()?;
        Some(format!("No field is accepted: {shortfall}."))
    }

    /// The kinds of which no field is accepted, although others are, with the reason.
    pub fn kind_shortfalls(&self) -> Vec<(FieldKind, String)> {
        let reason = |kind| Some((kind, format!("{}.", self.support.kind_shortfall(kind)?)));
        let known = FieldKind::ALL.into_iter().filter(|kind| self.support.knows(*kind));
        known.filter_map(reason).collect()
    }

    /// Why a field is not accepted, although others are; `None` when it is, or when nothing is known about it.
    pub fn field_shortfall(&self, field: &str) -> Option<String> {
        Some(format!("{}.", self.support.known_field_shortfall(field)?))
    }

    pub fn basis(&self) -> &'static str {
        match self.support.basis {
            Basis::Shipped => "shipped",
            Basis::ShippedAndReviewed => "shipped_and_reviewed",
            Basis::Reviewed => "reviewed",
        }
    }
}

impl Quality {
    const DEFAULT_DAYS: i64 = 90;
    const MOST_DAYS: i64 = 3 * 366;

    pub async fn report(
        &self,
        caller: &Caller,
        request: &QualityRequest,
    ) -> Result<QualityReport, OpsError> {
        let scope = caller.permit(Action::ReadQuality)?;
        // The end is exclusive, and what happened at this very moment counts.
        let to =
            request.to.unwrap_or_else(|| self.store.clock().now() + TimeDelta::milliseconds(1));
        let from =
            request.from.or_else(|| to.checked_sub_signed(TimeDelta::days(Self::DEFAULT_DAYS)));
        let from = from.unwrap_or(to);
        if from > to {
            return Err(OpsError::invalid("from", "must not be after 'to'"));
        }
        if to - from > TimeDelta::days(Self::MOST_DAYS) {
            return Err(OpsError::invalid(
                "from",
                "the time from 'from' to 'to' must not exceed 3 years",
            ));
        }
        let period = match request.period {
            QualityPeriod::Day => "day",
            QualityPeriod::Week => "week",
        };
        let document_type = request.document_type.clone();
        let filter = QualityFilter { from, to, document_type, period };
        let mut tx = self.store.read(&scope).await?;
        let rules = tx.find_tenant().await?.rules.acceptance;
        let mut collected = Collected::default();
        for counts in tx.count_extracted_fields(&filter).await? {
            let [extracted, accepted] = [counts.extracted, counts.accepted].map(count);
            let measures = Measures { extracted, accepted, ..Measures::default() };
            collected.add(counts.document_type, counts.field, counts.starts_at, measures);
        }
        for counts in tx.count_reviewed_fields(&filter).await? {
            let errors = |total, wrong| ErrorCounts { total: count(total), wrong: count(wrong) };
            let measures = Measures {
                reviewed: errors(counts.reviewed, counts.wrong),
                sampled: errors(counts.sampled, counts.sampled_wrong),
                ..Measures::default()
            };
            collected.add(counts.document_type, counts.field, counts.starts_at, measures);
        }
        let mut names: BTreeSet<String> = collected.0.keys().cloned().collect();
        names.extend(rules.types.keys().cloned());
        names.extend(request.document_type.clone());
        names.retain(|name| request.document_type.as_ref().is_none_or(|wanted| wanted == name));
        let mut types = Vec::new();
        for document_type in names {
            let calibration = calibration_of(&mut tx, &document_type).await?;
            let accepted_error_rate = rules.error_rate_of(&document_type);
            let support = calibration.support(&document_type, accepted_error_rate);
            let OfType { whole, fields, periods } =
                collected.0.remove(&document_type).unwrap_or_default();
            types.push(TypeQuality {
                document_type,
                accepted_error_rate,
                support,
                measures: whole,
                fields: fields.into_iter().collect(),
                periods: periods.into_iter().collect(),
            });
        }
        tx.commit().await?;
        Ok(QualityReport { from, to, types })
    }
}

#[derive(Default)]
struct OfType {
    whole: Measures,
    fields: BTreeMap<String, Measures>,
    periods: BTreeMap<DateTime<Utc>, Measures>,
}

#[derive(Default)]
struct Collected(BTreeMap<String, OfType>);

impl Collected {
    fn add(
        &mut self,
        document_type: String,
        field: String,
        starts_at: DateTime<Utc>,
        measures: Measures,
    ) {
        let of_type = self.0.entry(document_type).or_default();
        of_type.whole.add(&measures);
        of_type.fields.entry(field).or_default().add(&measures);
        of_type.periods.entry(starts_at).or_default().add(&measures);
    }
}

fn count(count: i64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
