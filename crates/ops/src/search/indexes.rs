//! The tenants' indexes, in memory: made from the database when first asked, brought up to date before each
//! search. To make one may take a while; nobody waits for that with a connection in their hand.
//!
//! *Architecture invariant:* a search that begins after an activation, a deactivation or a deletion was
//! committed knows of it, on every node. The index remembers up to which transaction it knows everything and
//! reads on from there ([`store::Changes`]); nobody has to tell it anything, so nothing can be missed.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::{DocId, Scope, TenantId};
use retrieval::index::{Doc, DocFacts, IndexedChunk, TenantIndex};
use store::{Changes, FindableChunk, FindableDocument, Store, Tx};
use tokio::sync::{OwnedRwLockReadGuard, RwLock, Semaphore};

use crate::OpsError;

/// A tenant's index, and up to where it reaches.
pub(crate) struct Known {
    pub(crate) index: TenantIndex,
    /// The model whose vectors it has.
    pub(crate) model: Option<String>,
    until: i64,
    seconds: i64,
    /// Changes from `until` on that it has heard of already.
    heard: HashSet<i64>,
}

/// An index that stays as it is for as long as somebody looks at it.
pub(crate) type Looking = OwnedRwLockReadGuard<Option<Known>, Known>;

#[derive(Default)]
struct Slot {
    known: Arc<RwLock<Option<Known>>>,
    /// Held while the index is loaded.
    loading: Arc<tokio::sync::Mutex<()>>,
    /// A count of searches, not a time: who was asked last is let go of last.
    last_used: AtomicU64,
    bytes: AtomicU64,
}

pub(crate) struct Indexes {
    slots: Mutex<HashMap<TenantId, Arc<Slot>>>,
    searches: AtomicU64,
    most_bytes: u64,
    /// How long a search waits for an index that is being loaded.
    patience: Duration,
    /// After a start everybody's index is missing, and loading takes connections and time from all.
    loaders: Semaphore,
}

impl Indexes {
    /// The database keeps changes for two hours: an index that nobody asked for that long is made anew.
    const GOOD_FOR_SECONDS: i64 = 3600;
    /// When more documents than this have changed, it is made anew as well: portion by portion.
    const MOST_NEWS: usize = 1000;
    const LOADED_AT_ONCE: usize = 2;

    /// Holds about `most_bytes` in memory, and the index that is being asked in any case.
    pub(crate) fn new(most_bytes: u64, patience: Duration) -> Self {
        Self {
            slots: Mutex::default(),
            searches: AtomicU64::new(0),
            most_bytes,
            patience,
            loaders: Semaphore::new(Self::LOADED_AT_ONCE),
        }
    }

    /// The tenant's index, knowing everything that was committed before; `None` when it has to be loaded first.
    pub(crate) async fn up_to_date(
        &self,
        tx: &mut Tx,
        tenant_id: TenantId,
    ) -> Result<Option<Looking>, OpsError> {
        let slot = self.slot(tenant_id);
        let Some(since) = slot.known.read().await.as_ref().map(|known| known.until) else {
            return Ok(None);
        };
        let changes = tx.search_changes(Some(since)).await?;
        let looking = Arc::clone(&slot.known).read_owned().await;
        if let Ok(current) = OwnedRwLockReadGuard::try_map(looking, |known| {
            known.as_ref().filter(|known| known.is_current(since, &changes))
        }) {
            return Ok(Some(current));
        }
        let mut writing = Arc::clone(&slot.known).write_owned().await;
        let Some(known) = writing.as_ref().filter(|known| known.can_read_on(since, &changes))
        else {
            return Ok(None);
        };
        let stale = known.stale(&changes);
        if stale.len() > Self::MOST_NEWS {
            return Ok(None);
        }
        let documents = tx.findable_documents(Some(&stale)).await?;
        let chunks = tx.findable_chunks(&stale, known.model.as_deref()).await?;
        // The thread has the lock: it finishes also when nobody waits for it any more.
        let read_on = tokio::task::spawn_blocking(move || {
            if let Some(known) = writing.as_mut() {
                known.read_on(&stale, documents, chunks, &changes);
            }
            writing
        });
        let writing =
            read_on.await.map_err(|error| OpsError::internal("filling an index", error))?;
        let current = OwnedRwLockReadGuard::try_map(writing.downgrade(), Option::as_ref).ok();
        if let Some(known) = &current {
            self.weigh(&slot, known, tenant_id);
        }
        Ok(current)
    }

    /// Loads it, or waits for whoever does. Who waits holds no connection, and when it has waited long enough the
    /// loading goes on without it.
    pub(crate) async fn load(
        self: &Arc<Self>,
        store: &Store,
        scope: &Scope,
    ) -> Result<(), OpsError> {
        let slot = self.slot(scope.tenant_id());
        let loaded = match Arc::clone(&slot.loading).try_lock_owned() {
            Err(_) => {
                let end = tokio::time::timeout(self.patience, slot.loading.lock()).await;
                end.map(|_turn| Ok(()))
            }
            Ok(turn) => {
                let (indexes, store, scope) = (Arc::clone(self), store.clone(), scope.clone());
                let loading = tokio::spawn(async move {
                    let _turn = turn;
                    let _loader = indexes.loaders.acquire().await;
                    let known = Known::load(&store, &scope).await?;
                    indexes.weigh(&slot, &known, scope.tenant_id());
                    *slot.known.write().await = Some(known);
                    Ok(())
                });
                let joined = tokio::time::timeout(self.patience, loading).await;
                joined.map(|joined| {
                    joined
                        .unwrap_or_else(|error| Err(OpsError::internal("loading an index", error)))
                })
            }
        };
        loaded.unwrap_or(Err(OpsError::IndexIsLoading))
    }

    fn weigh(&self, slot: &Slot, known: &Known, tenant_id: TenantId) {
        slot.bytes.store(known.index.bytes() as u64, Ordering::Relaxed);
        self.let_go_of_some(tenant_id);
    }

    /// The model whose vectors the tenant's index had when somebody last looked; `None` when that is not known.
    pub(crate) fn model_of(&self, tenant_id: TenantId) -> Option<String> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slots.get(&tenant_id)?.known.try_read().ok()?;
        known.as_ref()?.model.clone()
    }

    fn slot(&self, tenant_id: TenantId) -> Arc<Slot> {
        let number = self.searches.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.entry(tenant_id).or_default();
        slot.last_used.store(number, Ordering::Relaxed);
        Arc::clone(slot)
    }

    fn let_go_of_some(&self, except: TenantId) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |slot: &Slot| slot.bytes.load(Ordering::Relaxed);
        let mut held: u64 = slots.values().map(|slot| bytes(slot)).sum();
        while held > self.most_bytes {
            let others = slots.iter().filter(|(tenant, _)| **tenant != except);
            let oldest = others.min_by_key(|(_, slot)| slot.last_used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(tenant, _)| *tenant) else { return };
            held -= slots.remove(&oldest).map_or(0, |slot| bytes(&slot));
        }
    }
}

impl Known {
    /// Documents that are loaded at once.
    const PORTION: usize = 128;

    async fn load(store: &Store, scope: &Scope) -> Result<Self, OpsError> {
        let mut tx = store.read(scope).await?;
        let changes = tx.search_changes(None).await?;
        let mut known = Self {
            index: TenantIndex::new(),
            model: changes.model,
            until: changes.until,
            seconds: changes.seconds,
            heard: changes.changed.iter().map(|(change, _)| *change).collect(),
        };
        let mut documents = tx.findable_documents(None).await?;
        while !documents.is_empty() {
            let portion = documents.split_off(documents.len().saturating_sub(Self::PORTION));
            let ids: Vec<DocId> = portion.iter().map(|document| document.doc_id).collect();
            let chunks = tx.findable_chunks(&ids, known.model.as_deref()).await?;
            // It takes a while, and others are to be answered meanwhile.
            let filled = tokio::task::spawn_blocking(move || {
                put(&mut known.index, portion, chunks);
                known
            });
            known = filled.await.map_err(|error| OpsError::internal("filling an index", error))?;
        }
        tx.commit().await?;
        Ok(known)
    }

    /// Whether it knows all of the changes since `since`. It may have been loaded anew meanwhile, from further back.
    fn is_current(&self, since: i64, changes: &Changes) -> bool {
        self.can_read_on(since, changes)
            && changes.changed.iter().all(|(change, _)| self.heard.contains(change))
    }

    fn can_read_on(&self, since: i64, changes: &Changes) -> bool {
        self.until >= since
            && self.model == changes.model
            && changes.seconds - self.seconds < Indexes::GOOD_FOR_SECONDS
    }

    /// The documents of changes that it has not heard of.
    fn stale(&self, changes: &Changes) -> Vec<DocId> {
        let news = changes.changed.iter().filter(|(change, _)| !self.heard.contains(change));
        let mut stale: Vec<DocId> = news.map(|(_, doc_id)| *doc_id).collect();
        stale.sort_unstable();
        stale.dedup();
        stale
    }

    fn read_on(
        &mut self,
        stale: &[DocId],
        documents: Vec<FindableDocument>,
        chunks: Vec<FindableChunk>,
        changes: &Changes,
    ) {
        for doc_id in stale {
            self.index.remove(*doc_id);
        }
        put(&mut self.index, documents, chunks);
        self.heard.extend(changes.changed.iter().map(|(change, _)| *change));
        if changes.until > self.until {
            // What lies before needs no remembering: nobody reports it again.
            self.heard = changes.changed.iter().map(|(change, _)| *change).collect();
            self.until = changes.until;
            self.seconds = changes.seconds;
        }
    }
}

fn put(index: &mut TenantIndex, documents: Vec<FindableDocument>, chunks: Vec<FindableChunk>) {
    let mut of_document: HashMap<DocId, Vec<IndexedChunk>> = HashMap::new();
    for FindableChunk { doc_id, chunk_id, terms, vectors } in chunks {
        let chunk = IndexedChunk { chunk_id, terms, vectors };
        of_document.entry(doc_id).or_default().push(chunk);
    }
    for document in documents {
        let doc_id = document.doc_id;
        let chunks = of_document.remove(&doc_id).unwrap_or_default();
        if let Err(error) = index.upsert(Doc { facts: facts(document), chunks }) {
            tracing::error!(%doc_id, %error, "a document cannot be found; run it again from `index`");
        }
    }
}

fn facts(document: FindableDocument) -> DocFacts {
    DocFacts {
        doc_id: document.doc_id,
        version_id: document.doc_version_id,
        owners: document.owners,
        kind: document.kind,
        created_at: document.created_at,
        batch_ids: document.batches,
        tags: document.tags,
    }
}

impl fmt::Debug for Indexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexes").field("most_bytes", &self.most_bytes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn tenant(number: u128) -> TenantId {
        TenantId(Uuid::from_u128(number))
    }

    /// Asked for in this order, each with so many bytes.
    fn indexes(most_bytes: u64, bytes: &[u64]) -> Indexes {
        let indexes = Indexes::new(most_bytes, Duration::ZERO);
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
    fn what_was_not_asked_for_the_longest_time_is_let_go_of() {
        let indexes = indexes(100, &[40, 40, 40, 10]);
        indexes.slot(tenant(0));
        indexes.let_go_of_some(tenant(3));
        assert_eq!(held(&indexes), [0, 2, 3], "90 bytes fit, and 1 was the oldest");
        indexes.let_go_of_some(tenant(3));
        assert_eq!(held(&indexes), [0, 2, 3], "what fits stays");
    }

    #[test]
    fn the_one_that_is_being_asked_stays_whatever_it_takes() {
        let indexes = indexes(100, &[40, 500, 40]);
        indexes.let_go_of_some(tenant(1));
        assert_eq!(held(&indexes), [1]);
    }
}
