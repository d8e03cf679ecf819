//! Outcomes of reviews, and how many extracted fields were accepted.

use chrono::{DateTime, Utc};
use domain::{DocId, ResultId};
use sqlx::FromRow;

use crate::{StoreError, Tx, sql};

/// The outcome of the review of one field.
#[derive(Clone, Debug)]
pub struct FieldOutcome {
    /// The place in the result: `trades.0.isin`.
    pub path: String,
    /// As the document type writes it: `trades[].isin`.
    pub field: String,
    pub kind: &'static str,
    pub confidence: f64,
    pub status: &'static str,
    pub source: Option<&'static str>,
    pub was_correct: bool,
}

/// The result that a review is about.
#[derive(Clone, Copy, Debug)]
pub struct ReviewedResult<'a> {
    pub doc_id: DocId,
    pub result_id: ResultId,
    pub document_type: &'a str,
    /// The document was accepted and reviewed by chance.
    pub is_sampled: bool,
}

/// Reviewed fields of one kind, in one step of the confidence.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StepCounts {
    pub kind: String,
    /// The number of steps that the confidence reaches, in the order that they were given.
    pub step: i32,
    pub total: i64,
    pub wrong: i64,
}

/// Which fields quality is measured on.
#[derive(Clone, Debug)]
pub struct QualityFilter {
    /// Inclusive.
    pub from: DateTime<Utc>,
    /// Exclusive.
    pub to: DateTime<Utc>,
    pub document_type: Option<String>,
    /// `day` or `week`.
    pub period: &'static str,
}

/// Accepted fields that were reviewed, of one field and period.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ReviewedCounts {
    pub document_type: String,
    pub field: String,
    pub starts_at: DateTime<Utc>,
    pub reviewed: i64,
    pub wrong: i64,
    /// Those of documents that were reviewed by chance.
    pub sampled: i64,
    pub sampled_wrong: i64,
}

/// Extracted values of one field and period.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ExtractedCounts {
    pub document_type: String,
    pub field: String,
    pub starts_at: DateTime<Utc>,
    pub extracted: i64,
    pub accepted: i64,
}

impl Tx {
    /// Records the outcomes of a review. A second review of the same result replaces the first.
    pub async fn record_reviewed_fields(
        &mut self,
        result: ReviewedResult<'_>,
        outcomes: &[FieldOutcome],
    ) -> Result<(), StoreError> {
        fn column<'a, T>(
            outcomes: &'a [FieldOutcome],
            value: impl Fn(&'a FieldOutcome) -> T,
        ) -> Vec<T> {
            outcomes.iter().map(value).collect()
        }
        sqlx::query(sql!("quality/record"))
            .bind(self.tenant_id().0)
            .bind(result.doc_id.0)
            .bind(result.result_id.0)
            .bind(result.document_type)
            .bind(result.is_sampled)
            .bind(self.now())
            .bind(column(outcomes, |outcome| outcome.path.as_str()))
            .bind(column(outcomes, |outcome| outcome.field.as_str()))
            .bind(column(outcomes, |outcome| outcome.kind))
            .bind(column(outcomes, |outcome| outcome.confidence))
            .bind(column(outcomes, |outcome| outcome.status))
            .bind(column(outcomes, |outcome| outcome.source))
            .bind(column(outcomes, |outcome| outcome.was_correct))
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// The latest reviewed fields of a document type, by kind and step. `steps` are the lower ends, ascending.
    pub async fn count_reviewed_steps(
        &mut self,
        document_type: &str,
        latest: i64,
        steps: &[f64],
    ) -> Result<Vec<StepCounts>, StoreError> {
        Ok(sqlx::query_as(sql!("quality/steps"))
            .bind(self.tenant_id().0)
            .bind(document_type)
            .bind(latest)
            .bind(steps)
            .fetch_all(self.connection())
            .await?)
    }

    pub async fn count_reviewed_fields(
        &mut self,
        filter: &QualityFilter,
    ) -> Result<Vec<ReviewedCounts>, StoreError> {
        Ok(sqlx::query_as(sql!("quality/reviewed"))
            .bind(self.tenant_id().0)
            .bind(filter.from)
            .bind(filter.to)
            .bind(&filter.document_type)
            .bind(filter.period)
            .fetch_all(self.connection())
            .await?)
    }

    pub async fn count_extracted_fields(
        &mut self,
        filter: &QualityFilter,
    ) -> Result<Vec<ExtractedCounts>, StoreError> {
        Ok(sqlx::query_as(sql!("quality/extracted"))
            .bind(self.tenant_id().0)
            .bind(filter.from)
            .bind(filter.to)
            .bind(&filter.document_type)
            .bind(filter.period)
            .fetch_all(self.connection())
            .await?)
    }
}
