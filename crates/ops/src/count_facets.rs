//! What documents could be narrowed down by: the values that they have, and how many have each.

use std::collections::BTreeMap;

use domain::{Action, Caller};
use store::{BatchRecord, DocumentFilter, Facet, FacetCounts, Tx, Window};

use crate::{Ops, OpsError};

/// The values of each facet, the most frequent first. A facet counts the documents that fit all conditions but
/// its own, so that it shows what else could be chosen there.
#[derive(Clone, Debug)]
pub struct DocumentFacets {
    pub status: FacetCounts,
    pub kind: FacetCounts,
    pub source: FacetCounts,
    pub tag: FacetCounts,
    /// The latest, whatever is wanted otherwise.
    pub batches: Vec<BatchRecord>,
}

impl Ops {
    const TAGS_SHOWN: usize = 20;
    const BATCHES_SHOWN: i64 = 20;

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
        let latest = Window { after: None, skip: 0, limit: Self::BATCHES_SHOWN };
        let batches = tx.list_batches(&latest).await?;
        tx.commit().await?;
        tag.is_cut_short |= tag.values.len() > Self::TAGS_SHOWN;
        tag.values.truncate(Self::TAGS_SHOWN);
        Ok(DocumentFacets { status, kind, source, tag, batches })
    }
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
        let is_cut_short = counts.values().any(|counts| counts.is_cut_short);
        if self.sees_all && is_cut_short && *filter == DocumentFilter::default() {
            counts.extend(tx.count_facets_of_all().await?);
        }
        Ok(counts)
    }
}
