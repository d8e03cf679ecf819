//! The search indexes of tenants, in memory. An index is loaded from the database when it is first needed, and brought up
//! to date before each search. Loading may take long, so no search waits for it while it holds a database connection.
//! Indexes are evicted in LRU order when they exceed the memory limit.
//!
//! *Architecture invariant:* a search that begins after an activation, a deactivation or a deletion was committed sees it,
//! on every node. The index knows up to which transaction it is complete and reads later changes from the database
//! ([`store::Changes`]). It does not depend on notifications, so it misses nothing.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use domain::{DocId, Scope, TenantId};
use retrieval::index::{Doc, DocFacts, IndexedChunk, OwnerFacts, TenantIndex};
use store::{Changes, SearchableChunk, SearchableDocument, SearchableOwner, Store, Tx};
use tokio::sync::{OwnedRwLockReadGuard, RwLock, Semaphore};

use crate::OpsError;

/// A tenant's index, and the changes that it contains.
pub(crate) struct LoadedIndex {
    pub(crate) index: TenantIndex,
    /// The embedding model of its vectors.
    pub(crate) model: Option<String>,
    /// Contains all changes before this transaction.
    until: i64,
    /// The database's time, in seconds, when it was last brought up to date.
    seconds: i64,
    /// Changes from `until` on that it contains.
    applied: HashSet<i64>,
    bytes: usize,
}

/// The result of bringing an index up to date.
enum CatchUp {
    /// There is no index, or it is too old to be brought up to date.
    NotLoaded,
    /// There are more changes than one portion.
    Partial,
    Complete(IndexSnapshot),
}

/// A read lock on an index, which does not change while it is held.
pub(crate) type IndexSnapshot = OwnedRwLockReadGuard<Option<LoadedIndex>, LoadedIndex>;

#[derive(Default)]
struct Slot {
    index: Arc<RwLock<Option<LoadedIndex>>>,
    /// Held while the index is being loaded.
    loading: Arc<tokio::sync::Mutex<()>>,
    /// LRU clock: the number of the last search that used the slot.
    last_used: AtomicU64,
    bytes: AtomicU64,
}

pub(crate) struct Indexes {
    slots: Mutex<HashMap<TenantId, Arc<Slot>>>,
    searches: AtomicU64,
    max_bytes: u64,
    /// Limits concurrent loading: after a start all indexes are missing, and loading them uses connections and CPU time.
    loaders: Semaphore,
}

impl Indexes {
    /// The database keeps changes for two hours. An index that was not brought up to date for this time is loaded again.
    const MAX_AGE_SECONDS: i64 = 3600;
    const CONCURRENT_LOADS: usize = 2;
    /// Documents per query.
    const PORTION: usize = 128;

    /// Keeps about `max_bytes` of indexes in memory; the index that is being searched is kept in any case.
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self {
            slots: Mutex::default(),
            searches: AtomicU64::new(0),
            max_bytes,
            loaders: Semaphore::new(Self::CONCURRENT_LOADS),
        }
    }

    /// The tenant's index with everything that was committed before; `None` if that is not possible with one query: see
    /// [`Indexes::load`].
    pub(crate) async fn up_to_date(
        &self,
        tx: &mut Tx,
        tenant_id: TenantId,
    ) -> Result<Option<IndexSnapshot>, OpsError> {
        let slot = self.slot(tenant_id);
        match self.catch_up(&slot, tx, tenant_id).await? {
            CatchUp::Complete(snapshot) => Ok(Some(snapshot)),
            CatchUp::Partial | CatchUp::NotLoaded => Ok(None),
        }
    }

    /// Loads the index or brings it up to date, or waits for another task that does. Continues if the caller is cancelled.
    pub(crate) async fn load(
        self: &Arc<Self>,
        store: &Store,
        scope: &Scope,
    ) -> Result<(), OpsError> {
        let slot = self.slot(scope.tenant_id());
        let Ok(guard) = Arc::clone(&slot.loading).try_lock_owned() else {
            drop(slot.loading.lock().await);
            return Ok(());
        };
        let (indexes, store, scope) = (Arc::clone(self), store.clone(), scope.clone());
        let loading = tokio::spawn(async move {
            let _guard = guard;
            let _permit = indexes.loaders.acquire().await;
            let loaded = indexes.bring_up_to_date(&slot, &store, &scope).await;
            if let Err(error) = &loaded {
                let tenant_id = scope.tenant_id();
                tracing::warn!(%tenant_id, error = error as &dyn std::error::Error, "cannot load a search index");
            }
            loaded
        });
        loading.await.map_err(|error| OpsError::internal("loading an index", error))?
    }

    /// Repeats until there are no more changes. This ends as long as reading documents is faster than adding them.
    async fn bring_up_to_date(
        &self,
        slot: &Arc<Slot>,
        store: &Store,
        scope: &Scope,
    ) -> Result<(), OpsError> {
        loop {
            let mut tx = store.read(scope).await?;
            match self.catch_up(slot, &mut tx, scope.tenant_id()).await? {
                CatchUp::Complete(_) => return Ok(tx.commit().await?),
                CatchUp::Partial => {}
                CatchUp::NotLoaded => {
                    let loaded = LoadedIndex::load(&mut tx).await?;
                    self.record_size(slot, &loaded, scope.tenant_id());
                    let previous = slot.index.write().await.replace(loaded);
                    // Freeing a large index takes a while.
                    tokio::task::spawn_blocking(move || drop(previous));
                }
            }
            tx.commit().await?;
        }
    }

    async fn catch_up(
        &self,
        slot: &Arc<Slot>,
        tx: &mut Tx,
        tenant_id: TenantId,
    ) -> Result<CatchUp, OpsError> {
        let Some(since) = slot.index.read().await.as_ref().map(|loaded| loaded.until) else {
            return Ok(CatchUp::NotLoaded);
        };
        let changes = tx.search_changes(Some(since)).await?;
        let snapshot = Arc::clone(&slot.index).read_owned().await;
        if let Ok(current) = OwnedRwLockReadGuard::try_map(snapshot, |loaded| {
            loaded.as_ref().filter(|loaded| loaded.is_current(since, &changes))
        }) {
            return Ok(CatchUp::Complete(current));
        }
        let mut writing = Arc::clone(&slot.index).write_owned().await;
        let Some(loaded) = writing.as_ref().filter(|loaded| loaded.can_catch_up(since, &changes))
        else {
            return Ok(CatchUp::NotLoaded);
        };
        let pending = loaded.pending(&changes, Self::PORTION);
        let documents = tx.searchable_documents(Some(&pending.stale)).await?;
        let chunks = tx.searchable_chunks(&pending.stale, loaded.model.as_deref()).await?;
        let is_complete = pending.is_complete;
        // The blocking thread owns the lock, so it finishes even if this task is cancelled. If it panics, the index is
        // dropped and loaded again.
        let applying = tokio::task::spawn_blocking(move || {
            if let Some(mut loaded) = writing.take() {
                loaded.apply(pending, documents, chunks);
                if is_complete {
                    loaded.mark_complete(&changes);
                }
                *writing = Some(loaded);
            }
            writing
        });
        let writing =
            applying.await.map_err(|error| OpsError::internal("updating an index", error))?;
        let Ok(snapshot) = OwnedRwLockReadGuard::try_map(writing.downgrade(), Option::as_ref)
        else {
            return Ok(CatchUp::NotLoaded);
        };
        self.record_size(slot, &snapshot, tenant_id);
        Ok(if is_complete { CatchUp::Complete(snapshot) } else { CatchUp::Partial })
    }

    fn record_size(&self, slot: &Slot, loaded: &LoadedIndex, tenant_id: TenantId) {
        slot.bytes.store(loaded.bytes as u64, Ordering::Relaxed);
        self.evict(tenant_id);
    }

    /// The embedding model of the tenant's index; `None` if the index is not loaded or is being changed.
    pub(crate) fn model_of(&self, tenant_id: TenantId) -> Option<String> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = slots.get(&tenant_id)?.index.try_read().ok()?;
        loaded.as_ref()?.model.clone()
    }

    fn slot(&self, tenant_id: TenantId) -> Arc<Slot> {
        let number = self.searches.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(tenant_id).or_default();
        slot.last_used.store(number, Ordering::Relaxed);
        Arc::clone(slot)
    }

    fn evict(&self, except: TenantId) {
        let mut evicted = Vec::new();
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |slot: &Slot| slot.bytes.load(Ordering::Relaxed);
        let mut held: u64 = slots.values().map(|slot| bytes(slot)).sum();
        while held > self.max_bytes {
            // An index that is being loaded is in use: it would be loaded again at once.
            let others = slots.iter().filter(|(tenant, slot)| {
                **tenant != except && bytes(slot) > 0 && slot.loading.try_lock().is_ok()
            });
            let oldest = others.min_by_key(|(_, slot)| slot.last_used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(tenant, _)| *tenant) else { break };
            evicted.extend(
                slots.remove(&oldest).inspect(|slot| held = held.saturating_sub(bytes(slot))),
            );
        }
        // Freeing takes a while, so the lock is released first.
        drop(slots);
        drop(evicted);
    }
}

/// Changes that an index does not contain yet, or a portion of them.
struct PendingChanges {
    changes: Vec<i64>,
    stale: Vec<DocId>,
    is_complete: bool,
}

impl LoadedIndex {
    async fn load(tx: &mut Tx) -> Result<Self, OpsError> {
        let changes = tx.search_changes(None).await?;
        let mut loaded = Self {
            index: TenantIndex::new(),
            model: changes.model,
            until: changes.until,
            seconds: changes.seconds,
            applied: changes.changed.iter().map(|(change, _)| *change).collect(),
            bytes: 0,
        };
        let mut documents = tx.searchable_documents(None).await?;
        while !documents.is_empty() {
            let portion = documents.split_off(documents.len().saturating_sub(Indexes::PORTION));
            let ids: Vec<DocId> = portion.iter().map(|document| document.doc_id).collect();
            let chunks = tx.searchable_chunks(&ids, loaded.model.as_deref()).await?;
            let is_last = documents.is_empty();
            // CPU-bound, so it must not block the async threads.
            let filled = tokio::task::spawn_blocking(move || {
                insert_documents(&mut loaded.index, portion, chunks);
                if is_last {
                    loaded.bytes = loaded.index.bytes();
                }
                loaded
            });
            loaded = filled.await.map_err(|error| OpsError::internal("filling an index", error))?;
        }
        Ok(loaded)
    }

    /// Whether it contains all changes since `since` and need not be refreshed soon. Another task may have loaded it again
    /// meanwhile, with an earlier `until`.
    fn is_current(&self, since: i64, changes: &Changes) -> bool {
        self.can_catch_up(since, changes)
            && changes.seconds - self.seconds < Indexes::MAX_AGE_SECONDS / 2
            && changes.changed.iter().all(|(change, _)| self.applied.contains(change))
    }

    fn can_catch_up(&self, since: i64, changes: &Changes) -> bool {
        self.until >= since
            && self.model == changes.model
            && changes.seconds - self.seconds < Indexes::MAX_AGE_SECONDS
    }

    /// The changes that it does not contain, of at most `max_documents` documents.
    fn pending(&self, changes: &Changes, max_documents: usize) -> PendingChanges {
        let (mut of, mut stale, mut is_complete) = (Vec::new(), HashSet::new(), true);
        for (change, doc_id) in &changes.changed {
            if self.applied.contains(change) {
                continue;
            }
            if stale.len() < max_documents || stale.contains(doc_id) {
                stale.insert(*doc_id);
                of.push(*change);
            } else {
                is_complete = false;
            }
        }
        let stale = stale.into_iter().collect();
        PendingChanges { changes: of, stale, is_complete }
    }

    fn apply(
        &mut self,
        pending: PendingChanges,
        documents: Vec<SearchableDocument>,
        chunks: Vec<SearchableChunk>,
    ) {
        for doc_id in pending.stale {
            self.index.remove(doc_id);
        }
        insert_documents(&mut self.index, documents, chunks);
        self.applied.extend(pending.changes);
        self.bytes = self.index.bytes();
    }

    /// Records that it contains all of `changes`.
    fn mark_complete(&mut self, changes: &Changes) {
        if changes.until >= self.until {
            // Changes before `until` are not reported again.
            self.applied = changes.changed.iter().map(|(change, _)| *change).collect();
            self.until = changes.until;
            self.seconds = changes.seconds;
        }
    }
}

fn insert_documents(
    index: &mut TenantIndex,
    documents: Vec<SearchableDocument>,
    chunks: Vec<SearchableChunk>,
) {
    let mut of_document: HashMap<DocId, Vec<IndexedChunk>> = HashMap::new();
    for SearchableChunk { doc_id, chunk_id, terms, vectors } in chunks {
        let chunk = IndexedChunk { chunk_id, terms, vectors };
        of_document.entry(doc_id).or_default().push(chunk);
    }
    for document in documents {
        let doc_id = document.doc_id;
        let chunks = of_document.remove(&doc_id).unwrap_or_default();
        if let Err(error) = index.upsert(Doc { facts: facts(document), chunks }) {
            tracing::error!(%doc_id, %error, "cannot index a document; rerun it from the stage `index`");
        }
    }
}

fn facts(document: SearchableDocument) -> DocFacts {
    DocFacts {
        doc_id: document.doc_id,
        version_id: document.doc_version_id,
        owners: document.owners.into_iter().filter_map(owner_facts).collect(),
        kind: document.kind,
        created_at: document.created_at,
        batch_ids: document.batches,
        tags: document.tags,
    }
}

/// `None` for a kind of owner that this version of Docket does not know: no caller of this process can be that owner.
fn owner_facts(SearchableOwner { owner, created_at, tags }: SearchableOwner) -> Option<OwnerFacts> {
    Some(OwnerFacts { actor: owner.parse().ok()?, created_at, tags })
}

impl fmt::Debug for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexes").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn tenant(number: u128) -> TenantId {
        TenantId(Uuid::from_u128(number))
    }

    /// One index per entry, used in this order, with these sizes.
    fn indexes(max_bytes: u64, bytes: &[u64]) -> Indexes {
        let indexes = Indexes::new(max_bytes);
        for (number, bytes) in (0..).zip(bytes) {
            indexes.slot(tenant(number)).bytes.store(*bytes, Ordering::Relaxed);
        }
        indexes
    }

    fn held(indexes: &Indexes) -> Vec<u128> {
        let slots = indexes.slots.lock().unwrap();
        let mut held: Vec<u128> = slots.keys().map(|tenant| tenant.0.as_u128()).collect();
        held.sort_unstable();
        held
    }

    #[test]
    fn the_least_recently_used_index_is_evicted() {
        let indexes = indexes(100, &[40, 40, 40, 10]);
        indexes.slot(tenant(0));
        indexes.evict(tenant(3));
        assert_eq!(held(&indexes), [0, 2, 3], "90 bytes fit, and 1 was the least recently used");
        indexes.evict(tenant(3));
        assert_eq!(held(&indexes), [0, 2, 3], "nothing more is evicted");
    }

    #[test]
    fn an_index_that_is_being_loaded_or_is_empty_is_not_evicted() {
        let indexes = indexes(100, &[0, 60, 60, 60]);
        let loading = Arc::clone(&indexes.slot(tenant(2)).loading);
        indexes.slot(tenant(3));
        let guard = loading.try_lock().unwrap();
        indexes.evict(tenant(3));
        assert_eq!(held(&indexes), [0, 2, 3], "the rest may exceed the limit for the moment");
        drop(guard);
        indexes.evict(tenant(3));
        assert_eq!(held(&indexes), [0, 3]);
    }

    fn loaded() -> LoadedIndex {
        let index = TenantIndex::new();
        LoadedIndex { index, model: None, until: 10, seconds: 0, applied: HashSet::new(), bytes: 0 }
    }

    fn changes(seconds: i64, changed: &[(i64, u128)]) -> Changes {
        let changed = changed.iter().map(|(change, doc)| (*change, DocId(Uuid::from_u128(*doc))));
        Changes { until: 20, seconds, model: None, changed: changed.collect() }
    }

    #[test]
    fn many_changes_are_applied_in_portions_and_none_is_lost() {
        let mut loaded = loaded();
        let changes = changes(1, &[(11, 1), (12, 2), (13, 1), (14, 3), (15, 2)]);
        assert!(!loaded.is_current(10, &changes));
        let apply = |loaded: &mut LoadedIndex| {
            let pending = loaded.pending(&changes, 2);
            let portion = (pending.changes.clone(), pending.stale.len(), pending.is_complete);
            loaded.apply(pending, vec![], vec![]);
            portion
        };
        assert_eq!(apply(&mut loaded), (vec![11, 12, 13, 15], 2, false));
        assert!(!loaded.is_current(10, &changes), "one change is pending");
        assert_eq!(apply(&mut loaded), (vec![14], 1, true));
        loaded.mark_complete(&changes);
        assert!(loaded.is_current(10, &changes));
        assert_eq!(loaded.until, 20);
        assert!(
            !loaded.is_current(21, &changes),
            "another task has seen it complete up to a later transaction"
        );
    }

    /// The database deletes old changes, but an index that is searched from time to time misses none.
    #[test]
    fn an_index_that_is_used_stays_valid_without_changes() {
        let mut loaded = loaded();
        let half = Indexes::MAX_AGE_SECONDS / 2;
        for time in 1..10 {
            let quiet = changes(time * half, &[]);
            assert!(!loaded.is_current(10, &quiet), "it must be refreshed");
            assert!(loaded.can_catch_up(10, &quiet) && loaded.pending(&quiet, 2).is_complete);
            loaded.mark_complete(&quiet);
            assert!(loaded.is_current(10, &quiet));
        }
        let late = changes(20 * half, &[]);
        assert!(!loaded.can_catch_up(10, &late), "it was not used for too long");
    }

    #[test]
    fn the_index_that_is_being_searched_is_never_evicted() {
        let indexes = indexes(100, &[40, 500, 40]);
        indexes.evict(tenant(1));
        assert_eq!(held(&indexes), [1]);
    }
}
