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

use domain::{DocId, Scope, TenantId};
use retrieval::index::{Doc, DocFacts, IndexedChunk, OwnerFacts, TenantIndex};
use store::{Changes, SearchableChunk, SearchableDocument, SearchableOwner, Store, Tx};
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
    bytes: usize,
}

/// How far an index came.
enum Reached {
    /// There is none, or none that can be read on.
    Nothing,
    /// More has changed than is read at once.
    Part,
    All(Looking),
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
    /// After a start everybody's index is missing, and loading takes connections and time from all.
    loaders: Semaphore,
}

impl Indexes {
    /// The database keeps changes for two hours: an index that nobody asked for that long is made anew.
    const GOOD_FOR_SECONDS: i64 = 3600;
    const LOADED_AT_ONCE: usize = 2;
    /// Documents that are read at once.
    const PORTION: usize = 128;

    /// Holds about `most_bytes` in memory, and the index that is being asked in any case.
    pub(crate) fn new(most_bytes: u64) -> Self {
        Self {
            slots: Mutex::default(),
            searches: AtomicU64::new(0),
            most_bytes,
            loaders: Semaphore::new(Self::LOADED_AT_ONCE),
        }
    }

    /// The tenant's index, knowing everything that was committed before; `None` when that is too much to wait for with
    /// a connection: see [`Indexes::load`].
    pub(crate) async fn up_to_date(
        &self,
        tx: &mut Tx,
        tenant_id: TenantId,
    ) -> Result<Option<Looking>, OpsError> {
        let slot = self.slot(tenant_id);
        match self.read_on(&slot, tx, tenant_id).await? {
            Reached::All(looking) => Ok(Some(looking)),
            Reached::Part | Reached::Nothing => Ok(None),
        }
    }

    /// Brings it up to date, or waits for whoever does. When nobody waits any more it goes on all the same.
    pub(crate) async fn load(
        self: &Arc<Self>,
        store: &Store,
        scope: &Scope,
    ) -> Result<(), OpsError> {
        let slot = self.slot(scope.tenant_id());
        let Ok(turn) = Arc::clone(&slot.loading).try_lock_owned() else {
            drop(slot.loading.lock().await);
            return Ok(());
        };
        let (indexes, store, scope) = (Arc::clone(self), store.clone(), scope.clone());
        let loading = tokio::spawn(async move {
            let _turn = turn;
            let _loader = indexes.loaders.acquire().await;
            let loaded = indexes.bring_up_to_date(&slot, &store, &scope).await;
            if let Err(error) = &loaded {
                let tenant_id = scope.tenant_id();
                tracing::warn!(%tenant_id, error = error as &dyn std::error::Error, "an index was not loaded");
            }
            loaded
        });
        loading.await.map_err(|error| OpsError::internal("loading an index", error))?
    }

    /// What came meanwhile is read too: there is an end to it as long as documents are read faster than they come.
    async fn bring_up_to_date(
        &self,
        slot: &Arc<Slot>,
        store: &Store,
        scope: &Scope,
    ) -> Result<(), OpsError> {
        loop {
            let mut tx = store.read(scope).await?;
            match self.read_on(slot, &mut tx, scope.tenant_id()).await? {
                Reached::All(_) => return Ok(tx.commit().await?),
                Reached::Part => {}
                Reached::Nothing => {
                    let known = Known::load(&mut tx).await?;
                    self.weigh(slot, &known, scope.tenant_id());
                    let before = slot.known.write().await.replace(known);
                    tokio::task::spawn_blocking(move || drop(before));
                }
            }
            tx.commit().await?;
        }
    }

    async fn read_on(
        &self,
        slot: &Arc<Slot>,
        tx: &mut Tx,
        tenant_id: TenantId,
    ) -> Result<Reached, OpsError> {
        let Some(since) = slot.known.read().await.as_ref().map(|known| known.until) else {
            return Ok(Reached::Nothing);
        };
        let changes = tx.search_changes(Some(since)).await?;
        let looking = Arc::clone(&slot.known).read_owned().await;
        if let Ok(current) = OwnedRwLockReadGuard::try_map(looking, |known| {
            known.as_ref().filter(|known| known.is_current(since, &changes))
        }) {
            return Ok(Reached::All(current));
        }
        let mut writing = Arc::clone(&slot.known).write_owned().await;
        let Some(known) = writing.as_ref().filter(|known| known.can_read_on(since, &changes))
        else {
            return Ok(Reached::Nothing);
        };
        let news = known.news(&changes, Self::PORTION);
        let documents = tx.searchable_documents(Some(&news.stale)).await?;
        let chunks = tx.searchable_chunks(&news.stale, known.model.as_deref()).await?;
        let is_all = news.is_all;
        // The thread has the lock: it finishes also when nobody waits for it any more. Should it panic, there is no index.
        let reading = tokio::task::spawn_blocking(move || {
            if let Some(mut known) = writing.take() {
                known.take_in(news, documents, chunks);
                if is_all {
                    known.reach(&changes);
                }
                *writing = Some(known);
            }
            writing
        });
        let writing =
            reading.await.map_err(|error| OpsError::internal("filling an index", error))?;
        let Ok(looking) = OwnedRwLockReadGuard::try_map(writing.downgrade(), Option::as_ref) else {
            return Ok(Reached::Nothing);
        };
        self.weigh(slot, &looking, tenant_id);
        Ok(if is_all { Reached::All(looking) } else { Reached::Part })
    }

    fn weigh(&self, slot: &Slot, known: &Known, tenant_id: TenantId) {
        slot.bytes.store(known.bytes as u64, Ordering::Relaxed);
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
        let mut gone = Vec::new();
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |slot: &Slot| slot.bytes.load(Ordering::Relaxed);
        let mut held: u64 = slots.values().map(|slot| bytes(slot)).sum();
        while held > self.most_bytes {
            // One that is being loaded would be loaded again at once.
            let others = slots.iter().filter(|(tenant, slot)| {
                **tenant != except && bytes(slot) > 0 && slot.loading.try_lock().is_ok()
            });
            let oldest = others.min_by_key(|(_, slot)| slot.last_used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(tenant, _)| *tenant) else { break };
            gone.extend(
                slots.remove(&oldest).inspect(|slot| held = held.saturating_sub(bytes(slot))),
            );
        }
        // To free much takes a while.
        drop(slots);
        drop(gone);
    }
}

/// What an index has not heard of yet, or a part of that.
struct News {
    changes: Vec<i64>,
    stale: Vec<DocId>,
    is_all: bool,
}

impl Known {
    async fn load(tx: &mut Tx) -> Result<Self, OpsError> {
        let changes = tx.search_changes(None).await?;
        let mut known = Self {
            index: TenantIndex::new(),
            model: changes.model,
            until: changes.until,
            seconds: changes.seconds,
            heard: changes.changed.iter().map(|(change, _)| *change).collect(),
            bytes: 0,
        };
        let mut documents = tx.searchable_documents(None).await?;
        while !documents.is_empty() {
            let portion = documents.split_off(documents.len().saturating_sub(Indexes::PORTION));
            let ids: Vec<DocId> = portion.iter().map(|document| document.doc_id).collect();
            let chunks = tx.searchable_chunks(&ids, known.model.as_deref()).await?;
            let is_last = documents.is_empty();
            // It takes a while, and others are to be answered meanwhile.
            let filled = tokio::task::spawn_blocking(move || {
                put(&mut known.index, portion, chunks);
                if is_last {
                    known.bytes = known.index.bytes();
                }
                known
            });
            known = filled.await.map_err(|error| OpsError::internal("filling an index", error))?;
        }
        Ok(known)
    }

    /// Whether it knows all of the changes since `since`, and will be good for a while. It may have been loaded anew
    /// meanwhile, from further back.
    fn is_current(&self, since: i64, changes: &Changes) -> bool {
        self.can_read_on(since, changes)
            && changes.seconds - self.seconds < Indexes::GOOD_FOR_SECONDS / 2
            && changes.changed.iter().all(|(change, _)| self.heard.contains(change))
    }

    fn can_read_on(&self, since: i64, changes: &Changes) -> bool {
        self.until >= since
            && self.model == changes.model
            && changes.seconds - self.seconds < Indexes::GOOD_FOR_SECONDS
    }

    /// Changes that it has not heard of, of `most` documents.
    fn news(&self, changes: &Changes, most: usize) -> News {
        let (mut of, mut stale, mut is_all) = (Vec::new(), HashSet::new(), true);
        for (change, doc_id) in &changes.changed {
            if self.heard.contains(change) {
                continue;
            }
            if stale.len() < most || stale.contains(doc_id) {
                stale.insert(*doc_id);
                of.push(*change);
            } else {
                is_all = false;
            }
        }
        let stale = stale.into_iter().collect();
        News { changes: of, stale, is_all }
    }

    fn take_in(
        &mut self,
        news: News,
        documents: Vec<SearchableDocument>,
        chunks: Vec<SearchableChunk>,
    ) {
        for doc_id in news.stale {
            self.index.remove(doc_id);
        }
        put(&mut self.index, documents, chunks);
        self.heard.extend(news.changes);
        self.bytes = self.index.bytes();
    }

    /// It has heard of all of them.
    fn reach(&mut self, changes: &Changes) {
        if changes.until >= self.until {
            // What lies before needs no remembering: nobody reports it again.
            self.heard = changes.changed.iter().map(|(change, _)| *change).collect();
            self.until = changes.until;
            self.seconds = changes.seconds;
        }
    }
}

fn put(index: &mut TenantIndex, documents: Vec<SearchableDocument>, chunks: Vec<SearchableChunk>) {
    let mut of_document: HashMap<DocId, Vec<IndexedChunk>> = HashMap::new();
    for SearchableChunk { doc_id, chunk_id, terms, vectors } in chunks {
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

/// `None` for an owner that this version does not know: nobody searches as them.
fn owner_facts(SearchableOwner { owner, created_at, tags }: SearchableOwner) -> Option<OwnerFacts> {
    Some(OwnerFacts { actor: owner.parse().ok()?, created_at, tags })
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
        let indexes = Indexes::new(most_bytes);
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
    fn what_is_being_loaded_or_takes_nothing_is_not_let_go_of() {
        let indexes = indexes(100, &[0, 60, 60, 60]);
        let loading = Arc::clone(&indexes.slot(tenant(2)).loading);
        indexes.slot(tenant(3));
        let turn = loading.try_lock().unwrap();
        indexes.let_go_of_some(tenant(3));
        assert_eq!(held(&indexes), [0, 2, 3], "and what is left may be too much for the moment");
        drop(turn);
        indexes.let_go_of_some(tenant(3));
        assert_eq!(held(&indexes), [0, 3]);
    }

    fn known() -> Known {
        let index = TenantIndex::new();
        Known { index, model: None, until: 10, seconds: 0, heard: HashSet::new(), bytes: 0 }
    }

    fn changes(seconds: i64, changed: &[(i64, u128)]) -> Changes {
        let changed = changed.iter().map(|(change, doc)| (*change, DocId(Uuid::from_u128(*doc))));
        Changes { until: 20, seconds, model: None, changed: changed.collect() }
    }

    #[test]
    fn much_news_are_taken_in_by_portions_and_none_is_forgotten() {
        let mut known = known();
        let changes = changes(1, &[(11, 1), (12, 2), (13, 1), (14, 3), (15, 2)]);
        assert!(!known.is_current(10, &changes));
        let take_in = |known: &mut Known| {
            let news = known.news(&changes, 2);
            let heard = (news.changes.clone(), news.stale.len(), news.is_all);
            known.take_in(news, vec![], vec![]);
            heard
        };
        assert_eq!(take_in(&mut known), (vec![11, 12, 13, 15], 2, false));
        assert!(!known.is_current(10, &changes), "there is one more");
        assert_eq!(take_in(&mut known), (vec![14], 1, true));
        known.reach(&changes);
        assert!(known.is_current(10, &changes));
        assert_eq!(known.until, 20);
        assert!(!known.is_current(21, &changes), "somebody has seen it further on");
    }

    /// The database forgets old changes; but who asks now and then has missed none.
    #[test]
    fn an_index_that_is_asked_stays_good_though_nothing_changes() {
        let mut known = known();
        let half = Indexes::GOOD_FOR_SECONDS / 2;
        for time in 1..10 {
            let quiet = changes(time * half, &[]);
            assert!(!known.is_current(10, &quiet), "it is time to look again");
            assert!(known.can_read_on(10, &quiet) && known.news(&quiet, 2).is_all);
            known.reach(&quiet);
            assert!(known.is_current(10, &quiet));
        }
        let late = changes(20 * half, &[]);
        assert!(!known.can_read_on(10, &late), "nobody asked for too long");
    }

    #[test]
    fn the_one_that_is_being_asked_stays_whatever_it_takes() {
        let indexes = indexes(100, &[40, 500, 40]);
        indexes.let_go_of_some(tenant(1));
        assert_eq!(held(&indexes), [1]);
    }
}
