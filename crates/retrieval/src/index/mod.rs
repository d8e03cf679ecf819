//! The in-memory search index of one tenant, derived from the database, with ranking within a scope.
//!
//! *Visible* documents are those that the caller may see; *matching* documents are visible and pass the caller's filters.
//!
//! **Non-interference.** The hits, their order and their scores depend on the query and the visible documents alone, bit for
//! bit. Adding, changing or removing anything that is not visible changes nothing, because
//! - term statistics (number and length of chunks, chunks with a term) are counted over the visible chunks at each search,
//!   as integers, whose sums do not depend on the order;
//! - vectors are compared exactly: the coarse scan only excludes vectors that are provably not among the best, and a
//!   vector is quantised by itself, never with a codebook that depends on others;
//! - the score of a chunk is summed over the query's terms in the order of their weights;
//! - ties are ordered by chunk id; slots, order of insertion and threads have no influence.
//!
//! Statistics cover the visible documents, not the matching ones: a filter shortens the list of hits and does not change
//! their scores.
//!
//! Searching takes `&self`, changing `&mut self`; callers that share an index must lock it.

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
use vectors::VectorMatrix;

pub use search::{Mode, Query, SearchHit, SearchScope};

/// The attributes of a document, for scopes and filters.
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

/// The attributes that one owner gave a document. Callers who see only their own documents filter by these, and by nothing
/// of another owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerFacts {
    pub actor: Actor,
    pub created_at: DateTime<Utc>,
    pub tags: Vec<String>,
}

/// The attributes for filters: of the document, or of one owner.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    pub created_at: DateTime<Utc>,
    pub tags: &'a [String],
}

impl DocFacts {
    /// The attributes for an owner, or for callers who see all documents (`None`). Returns `None` when the actor is not an
    /// owner.
    pub fn described_for(&self, owner: Option<Actor>) -> Option<Described<'_>> {
        let Some(owner) = owner else {
            return Some(Described { created_at: self.created_at, tags: &self.tags });
        };
        let own = self.owners.iter().find(|own| own.actor == owner)?;
        Some(Described { created_at: own.created_at, tags: &own.tags })
    }
}

/// An active document.
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
    /// One for each of its parts, of the model that embeds queries: the similarity of a chunk is that of its nearest part.
    /// Only the direction of a vector matters.
    pub vectors: Vec<Vec<f32>>,
}

/// The search index of one tenant.
#[derive(Debug, Default)]
pub struct TenantIndex {
    slot_of_doc: HashMap<DocId, usize>,
    /// An empty slot belonged to a document that was removed or replaced.
    docs: Vec<Option<Slot>>,
    chunks: Vec<Chunk>,
    postings: HashMap<u64, Postings>,
    /// By the number of dimensions: only such vectors can be compared with a query.
    matrices: BTreeMap<usize, VectorMatrix>,
    removed_chunks: usize,
}

/// A document and the range of its chunks.
#[derive(Debug)]
struct Slot {
    facts: DocFacts,
    places: Range<usize>,
    tokens: u64,
}

/// One chunk; new chunks are appended.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    id: Uuid,
    doc: u32,
    length: u32,
}

/// The index is rebuilt when more than one in this many chunks belongs to a removed document.
const REBUILD_RATIO: usize = 3;
/// With fewer removed chunks a rebuild is not worthwhile.
const MIN_REMOVED_CHUNKS: usize = 64;

impl TenantIndex {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a document. An error leaves the index unchanged.
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
                let comparable = self.matrices.entry(vector.len());
                comparable.or_insert_with(|| VectorMatrix::new(vector.len())).push(place, vector);
            }
            self.chunks.push(Chunk { id: chunk.chunk_id, doc: small(slot), length: terms.length });
        }
        self.slot_of_doc.insert(doc.facts.doc_id, slot);
        let tokens = unpacked.iter().map(|terms| u64::from(terms.length)).sum();
        let places = first..self.chunks.len();
        self.docs.push(Some(Slot { facts: doc.facts, places, tokens }));
        Ok(())
    }

    /// Removes a document from all results; returns whether it was indexed.
    pub fn remove(&mut self, doc_id: DocId) -> bool {
        let Some(slot) = self.slot_of_doc.remove(&doc_id) else { return false };
        self.removed_chunks += self.docs[slot].take().map_or(0, |slot| slot.places.len());
        let too_many = self.removed_chunks * REBUILD_RATIO > self.chunks.len();
        if too_many && self.removed_chunks > MIN_REMOVED_CHUNKS {
            self.rebuild();
        }
        true
    }

    pub fn documents(&self) -> usize {
        self.slot_of_doc.len()
    }

    pub fn chunks(&self) -> usize {
        self.chunks.len() - self.removed_chunks
    }

    pub fn facts(&self, doc_id: DocId) -> Option<&DocFacts> {
        self.slot_of_doc.get(&doc_id).and_then(|slot| Some(&self.docs[*slot].as_ref()?.facts))
    }

    /// The approximate memory use of the index in bytes.
    pub fn bytes(&self) -> usize {
        let lists: usize = self.postings.values().map(Postings::bytes).sum();
        let table = self.postings.capacity() * (size_of::<(u64, Postings)>() + 1);
        let matrices: usize = self.matrices.values().map(VectorMatrix::bytes).sum();
        let docs = self.docs.capacity() * size_of::<Option<Slot>>()
            + self.slot_of_doc.capacity() * (size_of::<(DocId, usize)>() + 1);
        lists + table + matrices + docs + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Compacts the index after documents were removed.
    fn rebuild(&mut self) {
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
        self.removed_chunks = 0;
        self.postings.retain(|_, list| list.renumber(&new_place));
        self.postings.shrink_to_fit();
        self.matrices.retain(|_, matrix| matrix.renumber(&new_place));
    }
}

/// Positions and slots have 32 bits: four billion chunks of a tenant would not fit in memory anyway.
fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
