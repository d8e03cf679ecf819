//! Lists of documents, and their facets.
//!
//! Every list is read from an index in its order, so that a page costs no more than its rows. An index answers one
//! condition; the others are checked for each document. At most [`MAX_SCANNED`] documents are scanned: a page that is not
//! full by then ends there, and the next page continues after it. *Facets*, the values that documents have and how often,
//! are counted within the same limit.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{BatchId, DocumentStatus};
use sqlx::postgres::PgArguments;
use sqlx::query::QueryAs;
use sqlx::{AssertSqlSafe, FromRow, Postgres};
use uuid::Uuid;

use super::DocumentRecord;
use crate::{After, StoreError, Tx, Window, sql};

/// How many documents one statement scans for those that match, and how far it counts.
const MAX_SCANNED: i64 = 10_000;

/// Which documents to list; `None` matches all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentFilter {
    pub status: Option<DocumentStatus>,
    /// The kind of file.
    pub kind: Option<String>,
    /// How it was submitted.
    pub source: Option<String>,
    pub tag: Option<String>,
    pub batch_id: Option<BatchId>,
    /// A part of the title or of the file name, in upper or lower case.
    pub search: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
}

/// A page of a list.
#[derive(Debug)]
pub struct ScannedPage {
    pub documents: Vec<DocumentRecord>,
    /// The last scanned document, when the scan ended at its limit and not with the list.
    pub until: Option<After>,
}

/// A property by which documents are filtered and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Facet {
    Status,
    Kind,
    Source,
    Tag,
    Batch,
}

/// A value and how many documents have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueCount {
    pub value: String,
    pub documents: i64,
    /// The count may be higher.
    pub at_least: bool,
}

/// The values of a facet, in no order.
#[derive(Clone, Debug, Default)]
pub struct FacetCounts {
    pub values: Vec<ValueCount>,
    /// Not all documents were scanned: values may be missing.
    pub is_incomplete: bool,
}

#[derive(FromRow)]
struct ListedRow {
    #[sqlx(flatten)]
    document: DocumentRecord,
    matches: bool,
    ends_here: bool,
}

impl DocumentFilter {
    /// The filter without its condition on a facet, to count the other values of that facet.
    #[must_use]
    pub fn without(&self, facet: Facet) -> Self {
        let mut filter = self.clone();
        match facet {
            Facet::Status => filter.status = None,
            Facet::Kind => filter.kind = None,
            Facet::Source => filter.source = None,
            Facet::Tag => filter.tag = None,
            Facet::Batch => filter.batch_id = None,
        }
        filter
    }

    /// The list to scan: of those that contain all matches, the one that is probably the shortest. Most documents are
    /// `active`, and few are in a batch.
    fn list(&self, owner: Option<&str>) -> &'static str {
        match self {
            Self { batch_id: Some(_), .. } => sql!("documents/lists/of_batch"),
            _ if owner.is_some() => sql!("documents/lists/of_owner"),
            Self { tag: Some(_), .. } => sql!("documents/lists/by_tag"),
            Self { status: Some(status), .. } if *status != DocumentStatus::Active => {
                sql!("documents/lists/by_status")
            }
            Self { kind: Some(_), .. } => sql!("documents/lists/by_type"),
            Self { source: Some(_), .. } => sql!("documents/lists/by_source"),
            Self { status: Some(_), .. } => sql!("documents/lists/by_status"),
            _ => sql!("documents/lists/all"),
        }
    }
}

impl Facet {
    pub const ALL: [Self; 5] = [Self::Status, Self::Kind, Self::Source, Self::Tag, Self::Batch];

    fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Kind => "type",
            Self::Source => "source",
            Self::Tag => "tag",
            Self::Batch => "batch",
        }
    }
}

/// Rows of facet, value and count. A row without a facet has the number of scanned documents.
fn counts_of(facet: Facet, rows: &[(String, String, i64)]) -> FacetCounts {
    let of = |name: &'static str| rows.iter().filter(move |(facet, ..)| facet == name);
    let is_incomplete = of("").any(|(.., scanned)| *scanned >= MAX_SCANNED);
    let value = |(_, value, documents): &(String, String, i64)| ValueCount {
        value: value.clone(),
        documents: *documents,
        at_least: is_incomplete || *documents >= MAX_SCANNED,
    };
    FacetCounts { values: of(facet.name()).map(value).collect(), is_incomplete }
}

impl Tx {
    /// The documents that the scope may see, newest first.
    pub async fn list_documents(
        &mut self,
        filter: &DocumentFilter,
        window: &Window,
    ) -> Result<ScannedPage, StoreError> {
        let rows: Vec<ListedRow> = self
            .list_query(sql!("documents/page"), filter, window.after)
            .bind(window.skip + MAX_SCANNED)
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        let last = rows.last().filter(|row| row.ends_here).map(|row| &row.document);
        let until = last.map(|last| After { moment: last.created_at, id: last.doc_id.0 });
        let documents =
            rows.into_iter().filter(|row| row.matches).map(|row| row.document).collect();
        Ok(ScannedPage { documents, until })
    }

    /// The values of the matching documents, among the newest of the list.
    pub async fn count_facets(
        &mut self,
        filter: &DocumentFilter,
    ) -> Result<BTreeMap<Facet, FacetCounts>, StoreError> {
        let rows: Vec<(String, String, i64)> = self
            .list_query(sql!("documents/facets"), filter, None)
            .bind(MAX_SCANNED)
            .fetch_all(self.connection())
            .await?;
        Ok(Facet::ALL.into_iter().map(|facet| (facet, counts_of(facet, &rows))).collect())
    }

    /// The statuses, kinds and sources of all documents of the tenant. Every value is included, however rare, and counted
    /// up to the scan limit.
    pub async fn count_facets_of_all(
        &mut self,
    ) -> Result<BTreeMap<Facet, FacetCounts>, StoreError> {
        let rows: Vec<(String, String, i64)> = sqlx::query_as(sql!("documents/facets_of_all"))
            .bind(self.tenant_id().0)
            .bind(MAX_SCANNED)
            .fetch_all(self.connection())
            .await?;
        let facets = [Facet::Status, Facet::Kind, Facet::Source];
        Ok(facets.into_iter().map(|facet| (facet, counts_of(facet, &rows))).collect())
    }

    /// A statement about the documents of a list, with every condition of the filter.
    fn list_query<'q, Row: for<'r> FromRow<'r, sqlx::postgres::PgRow>>(
        &self,
        statement: &str,
        filter: &'q DocumentFilter,
        after: Option<After>,
    ) -> QueryAs<'q, Postgres, Row, PgArguments> {
        let owner = self.owner();
        // Combine both upper bounds into one, because an index scan can start at one only. No id is less than nil.
        let end = filter.to.map(|moment| After { moment, id: Uuid::nil() });
        let before = after.into_iter().chain(end).min();
        // The statement consists of constants only.
        let statement = statement
            .replace("{list}", filter.list(owner.as_deref()))
            .replace("{matching}", sql!("documents/matching"));
        sqlx::query_as(AssertSqlSafe(statement))
            .bind(self.tenant_id().0)
            .bind(filter.from)
            .bind(before.map(|before| before.moment))
            .bind(before.map(|before| before.id))
            .bind(filter.status.map(DocumentStatus::as_str))
            .bind(&filter.kind)
            .bind(&filter.source)
            .bind(&filter.tag)
            .bind(filter.batch_id.map(|id| id.0))
            .bind(owner)
            .bind(&filter.search)
    }
}
