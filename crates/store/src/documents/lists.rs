//! Lists of documents, and what is in them.
//!
//! Whatever a list is narrowed down by, it comes out of an index in its order, and a page of it costs no
//! more than it holds. Conditions beyond the one that the index serves are held against the documents one
//! by one. At most [`LOOKED_AT`] are: a page that is not full by then ends there, and the next one goes on
//! behind it. *Facets*, the values that documents have and how often, are counted within the same bound.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{BatchId, DocumentStatus};
use sqlx::postgres::PgArguments;
use sqlx::query::QueryAs;
use sqlx::{AssertSqlSafe, FromRow, Postgres};
use uuid::Uuid;

use super::DocumentRecord;
use crate::{After, StoreError, Tx, Window, sql};

/// How many documents one statement looks at for those that fit, and how far it counts.
const LOOKED_AT: i64 = 10_000;

/// Which documents are wanted; `None` asks for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentFilter {
    pub status: Option<DocumentStatus>,
    /// The kind of file.
    pub kind: Option<String>,
    /// Which way it came in.
    pub source: Option<String>,
    pub tag: Option<String>,
    pub batch_id: Option<BatchId>,
    /// A part of the title or of the file's name, in capitals or not.
    pub search: Option<String>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
}

/// A part of a list, as far as it was looked through.
#[derive(Debug)]
pub struct LookedThrough {
    pub documents: Vec<DocumentRecord>,
    /// The last document that was looked at, when looking ended there and not with the list.
    pub until: Option<After>,
}

/// What documents are told apart by.
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
    /// There may be more of them.
    pub at_least: bool,
}

/// The values of a facet, in no order.
#[derive(Clone, Debug, Default)]
pub struct FacetCounts {
    pub values: Vec<ValueCount>,
    /// Not all documents were looked at: values may be missing.
    pub is_cut_short: bool,
}

#[derive(FromRow)]
struct ListedRow {
    #[sqlx(flatten)]
    document: DocumentRecord,
    fits: bool,
    ends_here: bool,
}

impl DocumentFilter {
    /// The same without the condition on a facet: what else could be chosen there.
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

    /// The list to look through: of those that hold all that is wanted, the one that is likely to be the
    /// shortest. Most documents are `active`, and few are in a batch.
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

/// Rows of facet, value and count; what was looked at is counted in a row without a facet.
fn counts_of(facet: Facet, rows: &[(String, String, i64)]) -> FacetCounts {
    let of = |name: &'static str| rows.iter().filter(move |(facet, ..)| facet == name);
    let is_cut_short = of("").any(|(.., looked_at)| *looked_at >= LOOKED_AT);
    let value = |(_, value, documents): &(String, String, i64)| ValueCount {
        value: value.clone(),
        documents: *documents,
        at_least: is_cut_short || *documents >= LOOKED_AT,
    };
    FacetCounts { values: of(facet.name()).map(value).collect(), is_cut_short }
}

impl Tx {
    /// What the scope may see, newest first.
    pub async fn list_documents(
        &mut self,
        filter: &DocumentFilter,
        window: &Window,
    ) -> Result<LookedThrough, StoreError> {
        let rows: Vec<ListedRow> = self
            .looking_through(sql!("documents/page"), filter, window.after)
            .bind(window.skip + LOOKED_AT)
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        let last = rows.last().filter(|row| row.ends_here).map(|row| &row.document);
        let until = last.map(|last| After { moment: last.created_at, id: last.doc_id.0 });
        let documents = rows.into_iter().filter(|row| row.fits).map(|row| row.document).collect();
        Ok(LookedThrough { documents, until })
    }

    /// The values of those that fit, among the newest of the list.
    pub async fn count_facets(
        &mut self,
        filter: &DocumentFilter,
    ) -> Result<BTreeMap<Facet, FacetCounts>, StoreError> {
        let rows: Vec<(String, String, i64)> = self
            .looking_through(sql!("documents/facets"), filter, None)
            .bind(LOOKED_AT)
            .fetch_all(self.connection())
            .await?;
        Ok(Facet::ALL.into_iter().map(|facet| (facet, counts_of(facet, &rows))).collect())
    }

    /// Where all documents of the tenant stand, of which kinds they are and which way they came in. Each
    /// value is there, however rare, and counted as far as a list is looked through.
    pub async fn count_facets_of_all(
        &mut self,
    ) -> Result<BTreeMap<Facet, FacetCounts>, StoreError> {
        let rows: Vec<(String, String, i64)> = sqlx::query_as(sql!("documents/facets_of_all"))
            .bind(self.tenant_id().0)
            .bind(LOOKED_AT)
            .fetch_all(self.connection())
            .await?;
        let told = [Facet::Status, Facet::Kind, Facet::Source];
        Ok(told.into_iter().map(|facet| (facet, counts_of(facet, &rows))).collect())
    }

    /// A statement about the documents of a list, with every condition of the filter.
    fn looking_through<'q, Row: for<'r> FromRow<'r, sqlx::postgres::PgRow>>(
        &self,
        statement: &str,
        filter: &'q DocumentFilter,
        after: Option<After>,
    ) -> QueryAs<'q, Postgres, Row, PgArguments> {
        let owner = self.owner();
        // One bound, not two: an index is looked through from one of them only. No id is below nil.
        let end = filter.to.map(|moment| After { moment, id: Uuid::nil() });
        let before = after.into_iter().chain(end).min();
        // All of it is text of ours.
        let statement = statement
            .replace("{list}", filter.list(owner.as_deref()))
            .replace("{fitting}", sql!("documents/fitting"));
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
