//! Outcomes of reviews, and how many extracted fields were accepted.

use chrono::{DateTime, Utc};
use domain::{DocId, ResultId};
use sqlx::FromRow;
use sqlx::postgres::PgRow;
use uuid::Uuid;

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

/// The latest reviewed fields of a document type. `steps` are the lower ends of the steps of the confidence, ascending.
#[derive(Clone, Copy, Debug)]
pub struct LatestReviewed<'a> {
    pub document_type: &'a str,
    pub most: i64,
    pub steps: &'a [f64],
}

/// Reviews of one field, in one step of the confidence.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StepCounts {
    /// As the document type writes it: `trades[].isin`.
    pub field: String,
    pub kind: String,
    /// The number of steps that the confidence reaches, in the order that they were given.
    pub step: i32,
    pub total: i64,
    pub wrong: i64,
}

/// Reviewed fields of one document, in one step of the confidence.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DocumentStep {
    pub doc_id: Uuid,
    /// As in [`StepCounts`].
    pub step: i32,
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

    /// The latest reviewed fields, by field and step.
    pub async fn count_reviewed_steps(
        &mut self,
        latest: LatestReviewed<'_>,
    ) -> Result<Vec<StepCounts>, StoreError> {
        self.latest_reviewed(sql!("quality/steps"), latest).await
    }

    /// The latest reviewed fields, by document and step: how many are wrong together.
    pub async fn count_wrong_of_documents(
        &mut self,
        latest: LatestReviewed<'_>,
    ) -> Result<Vec<DocumentStep>, StoreError> {
        self.latest_reviewed(sql!("quality/documents"), latest).await
    }

    pub async fn count_reviewed_fields(
        &mut self,
        filter: &QualityFilter,
    ) -> Result<Vec<ReviewedCounts>, StoreError> {
        self.by_period(sql!("quality/reviewed"), filter).await
    }

    pub async fn count_extracted_fields(
        &mut self,
        filter: &QualityFilter,
    ) -> Result<Vec<ExtractedCounts>, StoreError> {
        self.by_period(sql!("quality/extracted"), filter).await
    }

    async fn latest_reviewed<Row: for<'r> FromRow<'r, PgRow> + Send + Unpin>(
        &mut self,
        query: &'static str,
        LatestReviewed { document_type, most, steps }: LatestReviewed<'_>,
    ) -> Result<Vec<Row>, StoreError> {
        let query = sqlx::query_as(query).bind(self.tenant_id().0).bind(document_type);
        Ok(query.bind(most).bind(steps).fetch_all(self.connection()).await?)
    }

    async fn by_period<Row: for<'r> FromRow<'r, PgRow> + Send + Unpin>(
        &mut self,
        query: &'static str,
        filter: &QualityFilter,
    ) -> Result<Vec<Row>, StoreError> {
        let QualityFilter { from, to, document_type, period } = filter;
        let query = sqlx::query_as(query).bind(self.tenant_id().0).bind(from).bind(to);
        Ok(query.bind(document_type).bind(period).fetch_all(self.connection()).await?)
    }
}
