//! What can be found of one tenant, in memory: derived from the database, ranked within a scope.
//!
//! *Visible* is what the caller may see; *wanted* is what of it the caller's filters let through.
//!
//! **The law.** Which chunks are found, in which order and with which scores, is a function of the
//! query and the visible documents alone, bit for bit. Adding, changing or removing anything that is
//! not visible changes nothing. It holds because
//! - term statistics (how many chunks, how long they are, how many have a term) are counted over the
//!   visible chunks at each search, as integers, which add up to the same in every order;
//! - vectors are compared exactly: the coarse scan only rules out what provably is not among the best,
//!   and a vector is quantised by itself, never by a codebook that others have shaped;
//! - the sums of a chunk's score run over the query's terms, in an order that their weights give;
//! - equal scores are ordered by chunk id. Slots, order of arrival and threads decide nothing.
//!
//! Statistics are taken over what is visible, not over what is wanted: a filter shortens the list of
//! hits and leaves their scores as they are.
//!
//! Searching takes `&self`, changing `&mut self`; whoever shares an index puts a lock around it.

mod best;
mod candidates;
#[cfg(any(test, feature = "testing"))]
pub mod interference;
mod lexical;
mod nibbles;
mod postings;
mod search;
mod vectors;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use chrono::{DateTime, Utc};
use domain::{Actor, BatchId, DocId, FileKind};
use uuid::Uuid;

use crate::terms::{UnreadableTerms, unpack};
use postings::Postings;
use vectors::Plane;

pub use search::{Found, Mode, Query, Within};

/// What is known of a document, for scopes and filters to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocFacts {
    pub doc_id: DocId,
    pub version_id: Uuid,
    pub owners: Vec<OwnerFacts>,
    pub kind: FileKind,
    pub created_at: DateTime<Utc>,
    pub batch_ids: Vec<BatchId>,
    pub tags: Vec<String>,
}

/// What one owner knows a document by. Whoever sees only their own documents filters by this, and by nothing that
/// another owner said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerFacts {
    pub actor: Actor,
    pub created_at: DateTime<Utc>,
    pub tags: Vec<String>,
}

/// What filters look at: of the document, or of one owner's.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    pub created_at: DateTime<Utc>,
    pub tags: &'a [String],
}

impl DocFacts {
    /// How an owner describes the document, or `None` how everybody else does; nothing when the owner may not find it.
    pub fn described_for(&self, owner: Option<Actor>) -> Option<Described<'_>> {
        let Some(owner) = owner else {
            return Some(Described { created_at: self.created_at, tags: &self.tags });
        };
        let own = self.owners.iter().find(|own| own.actor == owner)?;
        Some(Described { created_at: own.created_at, tags: &own.tags })
    }
}

/// A document as it is served.
#[derive(Clone, Debug)]
pub struct Doc {
    pub facts: DocFacts,
    pub chunks: Vec<IndexedChunk>,
}

#[derive(Clone, Debug)]
pub struct IndexedChunk {
    pub chunk_id: Uuid,
    /// See [`crate::terms::pack`].
    pub terms: Vec<u8>,
    /// One for each of its parts, of the one model that queries are embedded by: a chunk is as near as its
    /// nearest part. Their lengths do not matter, their directions do.
    pub vectors: Vec<Vec<f32>>,
}

/// What can be found of one tenant.
#[derive(Debug, Default)]
pub struct TenantIndex {
    slot_of_doc: HashMap<DocId, usize>,
    /// A place that is empty belonged to a document that was removed or replaced.
    docs: Vec<Option<Slot>>,
    chunks: Vec<Chunk>,
    postings: HashMap<u64, Postings>,
    /// By the number of dimensions: a query meets the vectors that it can be compared with.
    planes: BTreeMap<usize, Plane>,
    chunks_of_no_doc: usize,
}

/// What is known of a document and of its chunks, which lie side by side.
#[derive(Debug)]
struct Slot {
    facts: DocFacts,
    places: Range<usize>,
    tokens: u64,
}

/// One chunk, at a place that grows with every chunk that is added.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    id: Uuid,
    doc: u32,
    length: u32,
}

/// Index and its parts are rebuilt when this share of the chunks belongs to no document any more.
const LEFTOVERS_PER_CHUNK: usize = 3;
/// Below this a rebuild is not worth the bother.
const FEW_LEFTOVERS: usize = 64;

impl TenantIndex {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or puts it in the place of what was known of it. An error leaves the index as
    /// it was.
    pub fn upsert(&mut self, doc: Doc) -> Result<(), UnreadableTerms> {
        let unpacked =
            doc.chunks.iter().map(|chunk| unpack(&chunk.terms)).collect::<Result<Vec<_>, _>>()?;
        self.remove(doc.facts.doc_id);
        let (slot, first) = (self.docs.len(), self.chunks.len());
        for (chunk, terms) in doc.chunks.iter().zip(&unpacked) {
            let place = small(self.chunks.len());
            for &(term, count) in &terms.counts {
                self.postings.entry(term).or_default().push(place, count);
            }
            for vector in &chunk.vectors {
                let comparable = self.planes.entry(vector.len());
                comparable.or_insert_with(|| Plane::new(vector.len())).push(place, vector);
            }
            self.chunks.push(Chunk { id: chunk.chunk_id, doc: small(slot), length: terms.length });
        }
        self.slot_of_doc.insert(doc.facts.doc_id, slot);
        let tokens = unpacked.iter().map(|terms| u64::from(terms.length)).sum();
        let places = first..self.chunks.len();
        self.docs.push(Some(Slot { facts: doc.facts, places, tokens }));
        Ok(())
    }

    /// Forgets a document: it is in no result from now on. Says whether there was one.
    pub fn remove(&mut self, doc_id: DocId) -> bool {
        let Some(slot) = self.slot_of_doc.remove(&doc_id) else { return false };
        self.chunks_of_no_doc += self.docs[slot].take().map_or(0, |slot| slot.places.len());
        let too_many = self.chunks_of_no_doc * LEFTOVERS_PER_CHUNK > self.chunks.len();
        if too_many && self.chunks_of_no_doc > FEW_LEFTOVERS {
            self.sweep();
        }
        true
    }

    pub fn documents(&self) -> usize {
        self.slot_of_doc.len()
    }

    pub fn chunks(&self) -> usize {
        self.chunks.len() - self.chunks_of_no_doc
    }

    pub fn facts(&self, doc_id: DocId) -> Option<&DocFacts> {
        self.slot_of_doc.get(&doc_id).and_then(|slot| Some(&self.docs[*slot].as_ref()?.facts))
    }

    /// About how many bytes of memory the index holds.
    pub fn bytes(&self) -> usize {
        let lists: usize = self.postings.values().map(Postings::bytes).sum();
        let table = self.postings.capacity() * (size_of::<(u64, Postings)>() + 1);
        let planes: usize = self.planes.values().map(Plane::bytes).sum();
        let docs = self.docs.capacity() * size_of::<Option<Slot>>()
            + self.slot_of_doc.capacity() * (size_of::<(DocId, usize)>() + 1);
        lists + table + planes + docs + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Closes the gaps that removed documents have left.
    fn sweep(&mut self) {
        let mut new_place = vec![None; self.chunks.len()];
        let mut docs = Vec::with_capacity(self.slot_of_doc.len());
        let mut chunks = Vec::with_capacity(self.chunks());
        for mut slot in std::mem::take(&mut self.docs).into_iter().flatten() {
            let first = chunks.len();
            for place in slot.places {
                new_place[place] = Some(small(chunks.len()));
                chunks.push(Chunk { doc: small(docs.len()), ..self.chunks[place] });
            }
            slot.places = first..chunks.len();
            self.slot_of_doc.insert(slot.facts.doc_id, docs.len());
            docs.push(Some(slot));
        }
        (self.docs, self.chunks) = (docs, chunks);
        self.chunks_of_no_doc = 0;
        self.postings.retain(|_, list| list.renumber(&new_place));
        self.postings.shrink_to_fit();
        self.planes.retain(|_, plane| plane.renumber(&new_place));
    }
}

/// Places and slots are kept in 32 bits: a tenant with four thousand million chunks does not fit into
/// memory anyway.
fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
