//! Facets of the document list: the values that documents have, and how many have each.

use std::collections::BTreeMap;

use domain::{Action, BatchId, Caller};
use store::{BatchName, DocumentFilter, Facet, FacetCounts, Tx, ValueCount};
use uuid::Uuid;

use crate::{Documents, OpsError};

/// The values of each facet, the most frequent first. A facet counts the documents that match all conditions except its
/// own, so that it shows the alternatives.
#[derive(Clone, Debug)]
pub struct DocumentFacets {
    pub status: FacetCounts,
    pub kind: FacetCounts,
    pub source: FacetCounts,
    pub tag: FacetCounts,
    /// The latest batches of any of the documents, and the selected one.
    pub batches: Vec<BatchFacet>,
}

/// A batch, and how many of the documents belong to it.
#[derive(Clone, Debug)]
pub struct BatchFacet {
    pub batch: BatchName,
    pub documents: i64,
    /// Counting stopped early: there may be more.
    pub at_least: bool,
}

impl Documents {
    const MAX_TAGS: usize = 20;

    pub async fn count_facets(
        &self,
        caller: &Caller,
        filter: &DocumentFilter,
    ) -> Result<DocumentFacets, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let sees_all = scope.only_own().is_none();
        let mut tx = self.store.read(&scope).await?;
        let mut counter = FacetCounter { filters: Vec::new(), sees_all };
        let status = counter.counts(&mut tx, filter, Facet::Status).await?;
        let kind = counter.counts(&mut tx, filter, Facet::Kind).await?;
        let source = counter.counts(&mut tx, filter, Facet::Source).await?;
        let mut tag = counter.counts(&mut tx, filter, Facet::Tag).await?;
        let of_batches = counter.counts(&mut tx, filter, Facet::Batch).await?;
        let batches = named_batches(&mut tx, of_batches, filter.batch_id).await?;
        tx.commit().await?;
        tag.is_incomplete |= tag.values.len() > Self::MAX_TAGS;
        tag.values.truncate(Self::MAX_TAGS);
        Ok(DocumentFacets { status, kind, source, tag, batches })
    }
}

/// The counts with the names of their batches, as far as the scope sees those. The selected batch is included even if no
/// document matches, so that the UI can show and clear it.
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
    let with_count = |batch: BatchName| {
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
    Ok(batches.into_iter().map(with_count).collect())
}

/// Counts facets once per set of conditions: facets with the same other conditions are counted together.
struct FacetCounter {
    filters: Vec<(DocumentFilter, BTreeMap<Facet, FacetCounts>)>,
    sees_all: bool,
}

impl FacetCounter {
    async fn counts(
        &mut self,
        tx: &mut Tx,
        filter: &DocumentFilter,
        facet: Facet,
    ) -> Result<FacetCounts, OpsError> {
        let filter = filter.without(facet);
        if !self.filters.iter().any(|(counter, _)| *counter == filter) {
            let counts = self.count(tx, &filter).await?;
            self.filters.push((filter.clone(), counts));
        }
        let counter = self.filters.iter().find(|(counter, _)| *counter == filter);
        let of_facet = counter.and_then(|(_, counts)| counts.get(&facet)).cloned();
        let mut counts = of_facet.unwrap_or_default();
        counts.values.sort_by(|a, b| (b.documents, &a.value).cmp(&(a.documents, &b.value)));
        Ok(counts)
    }

    /// Without conditions, status, type and source are counted from indexes, which is complete, if counting the newest
    /// documents was not. Tags are not, since there may be any number of them.
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
