//! Lists of documents, and their facets.
//!
//! Every list is read from an index in its order, so that a page costs no more than the rows it holds. The conditions
//! that the index does not serve are checked document by document, for at most [`EXAMINED`] documents: a page that is
//! not full by then ends there, and the next one continues after it. *Facets*, the values that documents have and how
//! often, are counted within the same bound.
//!
//! The lists of one status, type, source, tag, batch or owner are indexed by the moment of upload. Sorted by title or
//! by change, a list of at most [`EXAMINED`] documents is sorted in memory; otherwise all documents are read in that
//! order and the conditions are checked.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{BatchId, DocId, DocumentStatus, RunId};
use sqlx::postgres::PgArguments;
use sqlx::query::QueryAs;
use sqlx::{AssertSqlSafe, FromRow, Postgres};
use uuid::Uuid;

use super::DocumentRecord;
use crate::{StoreError, Tx, sql};

/// How many documents one statement examines, and how far it counts.
const EXAMINED: i64 = 10_000;

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

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentOrder {
    #[default]
    Newest,
    Oldest,
    Title,
    TitleDescending,
    /// The latest change first.
    Changed,
}

/// A document's place in a list of one order; a page begins after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentPlace {
    pub order: DocumentOrder,
    pub key: SortKey,
    pub id: Uuid,
}

/// What a list is sorted by: the moment of upload or change, or the title as [`DocumentOrder::Title`] compares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortKey {
    Moment(DateTime<Utc>),
    Title(String),
}

/// Which part of a list of documents is requested.
#[derive(Clone, Debug, Default)]
pub struct DocumentWindow {
    pub order: DocumentOrder,
    /// Of the same order.
    pub after: Option<DocumentPlace>,
    pub skip: i64,
    pub limit: i64,
}

/// A part of a list, as far as it was examined.
#[derive(Debug)]
pub struct ExaminedDocuments {
    pub documents: Vec<(DocumentRecord, DocumentPlace)>,
    /// The last document that was examined, when the examination ended before the list did.
    pub until: Option<DocumentPlace>,
}

/// How far the run is that works on a document.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DocumentProgress {
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    #[sqlx(try_from = "Uuid")]
    pub run_id: RunId,
    /// The stage that is running or is next; none between two stages.
    pub stage: Option<String>,
    /// A worker runs the stage now; otherwise it waits for one.
    pub is_running: bool,
    pub done: Option<i32>,
    pub total: Option<i32>,
    /// The dependency that the stage is paused for.
    pub waiting_for: Option<String>,
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
    /// Not all documents were examined: values may be missing.
    pub is_incomplete: bool,
}

#[derive(FromRow)]
struct ListedRow {
    #[sqlx(flatten)]
    document: DocumentRecord,
    listed_at: DateTime<Utc>,
    #[sqlx(default)]
    title_key: Option<String>,
    fits: bool,
    ends_here: bool,
}

impl ListedRow {
    fn place(&self, order: DocumentOrder) -> DocumentPlace {
        let key = match order {
            DocumentOrder::Newest | DocumentOrder::Oldest => SortKey::Moment(self.listed_at),
            DocumentOrder::Changed => SortKey::Moment(self.document.updated_at),
            DocumentOrder::Title | DocumentOrder::TitleDescending => {
                SortKey::Title(self.title_key.clone().unwrap_or_default())
            }
        };
        DocumentPlace { order, key, id: self.document.doc_id.0 }
    }
}

impl DocumentOrder {
    /// As the columns of a list are called.
    fn columns(self) -> &'static str {
        match self {
            Self::Newest => "listed_at DESC, doc_id DESC",
            Self::Oldest => "listed_at, doc_id",
            Self::Title => "title_key, doc_id",
            Self::TitleDescending => "title_key DESC, doc_id DESC",
            Self::Changed => "changed_at DESC, doc_id DESC",
        }
    }

    fn is_by_upload(self) -> bool {
        matches!(self, Self::Newest | Self::Oldest)
    }

    /// Which documents of a list are after the cursor, in the columns of the page.
    fn after(self) -> &'static str {
        match self {
            Self::Newest | Self::Oldest => "true",
            Self::Title => "(title_key, doc_id) > ($15, $17)",
            Self::TitleDescending => "(title_key, doc_id) < ($15, $17)",
            Self::Changed => "(changed_at, doc_id) < ($16, $17)",
        }
    }

    /// Which documents of a list are within the bounds, in the columns of its table `l`.
    fn bounds(self, has_cursor: bool) -> &'static str {
        match self {
            Self::Newest => sql!("documents/orders/newest_bounds"),
            Self::Oldest => sql!("documents/orders/oldest_bounds"),
            _ if !has_cursor => "true",
            Self::Title => "(l.title_key, l.doc_id) > ($15, $17)",
            Self::TitleDescending => "(l.title_key, l.doc_id) < ($15, $17)",
            Self::Changed => "(l.updated_at, l.doc_id) < ($16, $17)",
        }
    }
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

    /// The list to read: of those that hold all documents that fit, the one that is likely to be the shortest. Most
    /// documents are `active`, and few are in a batch.
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

/// Rows of facet, value and count. A row without a facet has the number of examined documents.
fn counts_of(facet: Facet, rows: &[(String, String, i64)]) -> FacetCounts {
    let of = |name: &'static str| rows.iter().filter(move |(facet, ..)| facet == name);
    let is_incomplete = of("").any(|(.., examined)| *examined >= EXAMINED);
    let value = |(_, value, documents): &(String, String, i64)| ValueCount {
        value: value.clone(),
        documents: *documents,
        at_least: is_incomplete || *documents >= EXAMINED,
    };
    FacetCounts { values: of(facet.name()).map(value).collect(), is_incomplete }
}

impl Tx {
    /// The documents that the scope may see.
    pub async fn list_documents(
        &mut self,
        filter: &DocumentFilter,
        window: &DocumentWindow,
    ) -> Result<ExaminedDocuments, StoreError> {
        let order = window.order;
        let statement = if order.is_by_upload() {
            self.listing(sql!("documents/page"), filter, order, window)
        } else if self.is_short(filter).await? {
            let after = if window.after.is_some() { order.after() } else { "true" };
            self.listing(
                &sql!("documents/sorted_page").replace("{after}", after),
                filter,
                DocumentOrder::Newest,
                window,
            )
        } else {
            self.listing(sql!("documents/page"), filter, order, window)
        };
        let rows: Vec<ListedRow> = self
            .bound(statement, filter, window)
            .bind(window.skip + EXAMINED)
            .bind(window.skip)
            .bind(window.limit)
            .bind(window.after.as_ref().and_then(DocumentPlace::title))
            .bind(window.after.as_ref().and_then(DocumentPlace::moment))
            .bind(window.after.as_ref().map(|after| after.id))
            .fetch_all(self.connection())
            .await?;
        let until = rows.last().filter(|row| row.ends_here).map(|last| last.place(order));
        let fitting = rows.into_iter().filter(|row| row.fits);
        let documents = fitting.map(|row| {
            let place = row.place(order);
            (row.document, place)
        });
        Ok(ExaminedDocuments { documents: documents.collect(), until })
    }

    /// Whether the list that the filter reads is short enough to be sorted in memory. The lists of all and of the active
    /// documents are not sorted: nearly every document that an index in another order gives belongs to them.
    async fn is_short(&mut self, filter: &DocumentFilter) -> Result<bool, StoreError> {
        let list = filter.list(self.owner().as_deref());
        let is_active_only = filter.status == Some(DocumentStatus::Active)
            && list == sql!("documents/lists/by_status");
        if is_active_only || list == sql!("documents/lists/all") {
            return Ok(false);
        }
        let newest = DocumentWindow::default();
        let statement =
            self.listing(sql!("documents/short_list"), filter, DocumentOrder::Newest, &newest);
        let (is_short,): (bool,) = self
            .bound(statement, filter, &newest)
            .bind(EXAMINED)
            .fetch_one(self.connection())
            .await?;
        Ok(is_short)
    }

    /// The runs that work on some documents.
    pub async fn progress_of_documents(
        &mut self,
        documents: &[DocId],
    ) -> Result<Vec<DocumentProgress>, StoreError> {
        let ids: Vec<Uuid> = documents.iter().map(|id| id.0).collect();
        Ok(sqlx::query_as(sql!("documents/progress"))
            .bind(self.tenant_id().0)
            .bind(ids)
            .fetch_all(self.connection())
            .await?)
    }

    /// The values of those that fit, among the newest of the list.
    pub async fn count_facets(
        &mut self,
        filter: &DocumentFilter,
    ) -> Result<BTreeMap<Facet, FacetCounts>, StoreError> {
        let newest = DocumentWindow::default();
        let statement =
            self.listing(sql!("documents/facets"), filter, DocumentOrder::Newest, &newest);
        let rows: Vec<(String, String, i64)> = self
            .bound(statement, filter, &newest)
            .bind(EXAMINED)
            .fetch_all(self.connection())
            .await?;
        Ok(Facet::ALL.into_iter().map(|facet| (facet, counts_of(facet, &rows))).collect())
    }

    /// The statuses, kinds and sources of all documents of the tenant. Every value is included, however rare, and counted up
    /// to [`EXAMINED`].
    pub async fn count_facets_of_all(
        &mut self,
    ) -> Result<BTreeMap<Facet, FacetCounts>, StoreError> {
        let rows: Vec<(String, String, i64)> = sqlx::query_as(sql!("documents/facets_of_all"))
            .bind(self.tenant_id().0)
            .bind(EXAMINED)
            .fetch_all(self.connection())
            .await?;
        let facets = [Facet::Status, Facet::Kind, Facet::Source];
        Ok(facets.into_iter().map(|facet| (facet, counts_of(facet, &rows))).collect())
    }

    /// The text of a statement about the documents of a list that is read in `order`.
    fn listing(
        &self,
        statement: &str,
        filter: &DocumentFilter,
        order: DocumentOrder,
        window: &DocumentWindow,
    ) -> String {
        let owner = self.owner();
        let list = match order {
            DocumentOrder::Newest | DocumentOrder::Oldest => filter.list(owner.as_deref()),
            DocumentOrder::Changed => sql!("documents/lists/by_change"),
            _ if owner.is_some() => sql!("documents/lists/by_own_title"),
            _ => sql!("documents/lists/by_title"),
        };
        let list = list
            .replace("{bounds}", order.bounds(window.after.is_some()))
            .replace("{order}", order.columns());
        let added = if order.is_by_upload() { "true" } else { sql!("documents/orders/added") };
        statement
            .replace("{list}", &list)
            .replace("{fitting}", &sql!("documents/fitting").replace("{added}", added))
            .replace("{described}", sql!("documents/described"))
            .replace("{order}", window.order.columns())
    }

    /// The statement with the values of the bounds and of every condition of the filter.
    fn bound<'q, Row: for<'r> FromRow<'r, sqlx::postgres::PgRow>>(
        &self,
        statement: String,
        filter: &'q DocumentFilter,
        window: &DocumentWindow,
    ) -> QueryAs<'q, Postgres, Row, PgArguments> {
        // The list's own bounds are in the order of upload: one of them is the cursor or the filter's, not both, because
        // an index is read from one bound only. No document has the nil id.
        let at = |moment: DateTime<Utc>| (moment, Uuid::nil());
        let cursor = window.after.as_ref().filter(|after| after.order.is_by_upload());
        let cursor = cursor.and_then(|after| Some((after.moment()?, after.id)));
        let (from, to) = (filter.from.map(at), filter.to.map(at));
        let (from, to, id) = if window.order == DocumentOrder::Oldest {
            let from = cursor.into_iter().chain(from).max();
            (from, to, from.map(|(_, id)| id))
        } else {
            let to = cursor.into_iter().chain(to).min();
            (from, to, to.map(|(_, id)| id))
        };
        // The statement is made of texts in this crate only.
        sqlx::query_as(AssertSqlSafe(statement))
            .bind(self.tenant_id().0)
            .bind(from.map(|(moment, _)| moment))
            .bind(to.map(|(moment, _)| moment))
            .bind(id)
            .bind(filter.status.map(DocumentStatus::as_str))
            .bind(&filter.kind)
            .bind(&filter.source)
            .bind(&filter.tag)
            .bind(filter.batch_id.map(|id| id.0))
            .bind(self.owner())
            .bind(&filter.search)
    }
}

impl DocumentPlace {
    fn moment(&self) -> Option<DateTime<Utc>> {
        match &self.key {
            SortKey::Moment(moment) => Some(*moment),
            SortKey::Title(_) => None,
        }
    }

    fn title(&self) -> Option<&str> {
        match &self.key {
            SortKey::Moment(_) => None,
            SortKey::Title(title) => Some(title),
        }
    }
}
