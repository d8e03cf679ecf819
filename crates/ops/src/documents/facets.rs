//! What documents could be narrowed down by: the values that they have, and how many have each.

use std::collections::BTreeMap;

use domain::{Action, BatchId, Caller};
use store::{BatchName, DocumentFilter, Facet, FacetCounts, Tx, ValueCount};
use uuid::Uuid;

use crate::{Documents, OpsError};

/// The values of each facet, the most frequent first. A facet counts the documents that fit all conditions but
/// its own, so that it shows what else could be chosen there.
#[derive(Clone, Debug)]
pub struct DocumentFacets {
    pub status: FacetCounts,
    pub kind: FacetCounts,
    pub source: FacetCounts,
    pub tag: FacetCounts,
    /// The latest that any of the documents came with, and the chosen one.
    pub batches: Vec<BatchFacet>,
}

/// A batch, and how many of the documents came with it.
#[derive(Clone, Debug)]
pub struct BatchFacet {
    pub batch: BatchName,
    pub documents: i64,
    /// There may be more of them.
    pub at_least: bool,
}

impl Documents {
    const TAGS_SHOWN: usize = 20;

    pub async fn count_facets(
        &self,
        caller: &Caller,
        filter: &DocumentFilter,
    ) -> Result<DocumentFacets, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let sees_all = scope.only_own().is_none();
        let mut tx = self.store.read(&scope).await?;
        let mut counted = Counted { filters: Vec::new(), sees_all };
        let status = counted.counts(&mut tx, filter, Facet::Status).await?;
        let kind = counted.counts(&mut tx, filter, Facet::Kind).await?;
        let source = counted.counts(&mut tx, filter, Facet::Source).await?;
        let mut tag = counted.counts(&mut tx, filter, Facet::Tag).await?;
        let of_batches = counted.counts(&mut tx, filter, Facet::Batch).await?;
        let batches = named_batches(&mut tx, of_batches, filter.batch_id).await?;
        tx.commit().await?;
        tag.is_incomplete |= tag.values.len() > Self::TAGS_SHOWN;
        tag.values.truncate(Self::TAGS_SHOWN);
        Ok(DocumentFacets { status, kind, source, tag, batches })
    }
}

/// The counts with the names of their batches, as far as the scope sees those. The chosen one is there even when no
/// document fits, so that it can be let go of.
async fn named_batches(
    tx: &mut Tx,
    counts: FacetCounts,
    chosen: Option<BatchId>,
) -> Result<Vec<BatchFacet>, OpsError> {
    const SHOWN: i64 = 20;
    let count_of = |batch: &BatchName| {
        let id = batch.batch_id.to_string();
        counts.values.iter().find(|count| count.value == id).cloned()
    };
    let counted = |batch: BatchName| {
        let ValueCount { documents, at_least, .. } = count_of(&batch).unwrap_or(ValueCount {
            value: String::new(),
            documents: 0,
            at_least: counts.is_incomplete,
        });
        BatchFacet { batch, documents, at_least }
    };
    let ids: Vec<Uuid> =
        counts.values.iter().filter_map(|count| Uuid::try_parse(&count.value).ok()).collect();
    let mut batches = tx.name_batches(&ids, SHOWN).await?;
    if let Some(chosen) = chosen
        && !batches.iter().any(|batch| batch.batch_id == chosen)
    {
        batches.extend(tx.name_batches(&[chosen.0], 1).await?);
    }
    Ok(batches.into_iter().map(counted).collect())
}

/// What was counted already: facets whose other conditions are the same are counted together.
struct Counted {
    filters: Vec<(DocumentFilter, BTreeMap<Facet, FacetCounts>)>,
    sees_all: bool,
}

impl Counted {
    async fn counts(
        &mut self,
        tx: &mut Tx,
        filter: &DocumentFilter,
        facet: Facet,
    ) -> Result<FacetCounts, OpsError> {
        let filter = filter.without(facet);
        if !self.filters.iter().any(|(counted, _)| *counted == filter) {
            let counts = self.count(tx, &filter).await?;
            self.filters.push((filter.clone(), counts));
        }
        let counted = self.filters.iter().find(|(counted, _)| *counted == filter);
        let of_facet = counted.and_then(|(_, counts)| counts.get(&facet)).cloned();
        let mut counts = of_facet.unwrap_or_default();
        counts.values.sort_by(|a, b| (b.documents, &a.value).cmp(&(a.documents, &b.value)));
        Ok(counts)
    }

    /// Of all documents of a tenant, what the indexes tell is better than what a look at the newest does.
    /// They do not tell the tags, of which there may be any number.
    async fn count(
        &self,
        tx: &mut Tx,
        filter: &DocumentFilter,
    ) -> Result<BTreeMap<Facet, FacetCounts>, OpsError> {
        let mut counts = tx.count_facets(filter).await?;
        let is_incomplete = counts.values().any(|counts| counts.is_incomplete);
        if self.sees_all && is_incomplete && *filter == DocumentFilter::default() {
            counts.extend(tx.count_facets_of_all().await?);
        }
        Ok(counts)
    }
}
