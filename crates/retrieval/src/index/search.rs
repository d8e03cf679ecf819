//! One search: the visible chunks, their keyword and vector scores, and the fusion of both.

use domain::DocId;
use uuid::Uuid;

use crate::terms::QueryTerms;

use super::best::{Best, Scored};
use super::lexical::{self, Visibility, Visible};
use super::vectors::VectorMatrix;
use super::{DocFacts, TenantIndex, small};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Keywords and vectors.
    #[default]
    Hybrid,
    /// Keywords only.
    Lexical,
    /// Vectors only.
    Vector,
}

#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub terms: &'a QueryTerms,
    /// Without one, `Hybrid` is `Lexical` and `Vector` finds nothing.
    pub vector: Option<&'a [f32]>,
    pub mode: Mode,
    pub limit: usize,
}

/// What a search may use and what it returns: see [`super`].
#[derive(Clone, Copy)]
pub struct SearchScope<'a> {
    /// Whether the caller may see a document.
    pub visible: &'a dyn Fn(&DocFacts) -> bool,
    /// Whether a visible document passes the caller's filters.
    pub matching: &'a dyn Fn(&DocFacts) -> bool,
}

impl std::fmt::Debug for SearchScope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchScope").finish_non_exhaustive()
    }
}

/// A chunk in the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    pub doc_id: DocId,
    pub version_id: Uuid,
    pub chunk_id: Uuid,
    /// From 0 to 1, and comparable between queries.
    pub score: f32,
    /// The keyword score, from 0 to 1.
    pub lexical: f32,
    /// The cosine between query and chunk, when both have a vector.
    pub similarity: Option<f32>,
}

/// How many of the best chunks by each score are scored by both, at least.
const POOL: usize = 64;
/// The weight of vectors against keywords, chosen by `bench-retrieval quality`.
const VECTOR_WEIGHT: f32 = 0.3;
/// The relevance floor: the minimum cosine when no visible chunk contains any word of the query. `bench-retrieval floor`
/// chose it for the default model: invented words rarely reach it, and questions mostly reach it with the passage that
/// answers them. It has less effect for models with generally higher cosines.
const MIN_COSINE: f32 = 0.35;
/// The position, keyword score and cosine of a chunk.
type Candidate = (u32, f32, Option<f32>);

impl TenantIndex {
    /// The best matching chunks, best first.
    pub fn search(&self, query: &Query<'_>, scope: SearchScope<'_>) -> Vec<SearchHit> {
        self.search_and_weigh(query, scope).0
    }

    /// The same, with the weight of each term of the query among the visible chunks.
    pub fn search_and_weigh(
        &self,
        query: &Query<'_>,
        scope: SearchScope<'_>,
    ) -> (Vec<SearchHit>, Vec<f32>) {
        let (visibility, visible) = self.visibility_of(scope);
        let pool = match query.mode {
            Mode::Hybrid => query.limit.max(POOL),
            Mode::Lexical | Mode::Vector => query.limit,
        };
        let comparable = query
            .vector
            .filter(|_| query.mode != Mode::Lexical)
            .and_then(|vector| Some((self.matrices.get(&vector.len())?, vector)));
        let weighted = lexical::weigh(self, query.terms, &visibility, visible);
        let (words, best_by_keywords) = if query.mode == Mode::Vector {
            (Vec::new(), Vec::new())
        } else {
            let scores = lexical::scores(self, &weighted, visible);
            let best = self.best_by_keywords(&scores, &visibility, pool);
            (scores, best)
        };
        let near = |(matrix, vector): (&VectorMatrix, &[f32])| {
            matrix.nearest(vector, pool, &visibility, &self.chunks)
        };
        let mut places = comparable.map(near).unwrap_or_default();
        places.extend(best_by_keywords);
        places.sort_unstable();
        places.dedup();
        let similarities = match comparable {
            Some((matrix, vector)) => matrix.similarities(vector, &places),
            None => vec![None; places.len()],
        };
        let of_place = |(place, similarity): (u32, Option<f32>)| {
            (place, words.get(place as usize).copied().unwrap_or(0.0), similarity)
        };
        let candidates: Vec<Candidate> =
            places.into_iter().zip(similarities).map(of_place).collect();
        let weights = weighted.iter().map(|term| term.rarity).collect();
        let floor =
            if weighted.iter().any(|term| term.occurs) { f32::NEG_INFINITY } else { MIN_COSINE };
        (self.best_of(&candidates, query, floor), weights)
    }

    fn best_of(&self, candidates: &[Candidate], query: &Query<'_>, floor: f32) -> Vec<SearchHit> {
        let mut best = Best::of(query.limit);
        for (at, &(place, lexical, similarity)) in candidates.iter().enumerate() {
            if lexical <= 0.0 && similarity.is_none_or(|cosine| cosine < floor) {
                continue;
            }
            let score = fused(query.mode, lexical, similarity);
            let chunk_id = self.chunks[place as usize].id;
            best.offer(Scored { score, chunk_id, place: small(at) });
        }
        let hit_of = |hit: Scored| {
            let (place, lexical, similarity) = candidates[hit.place as usize];
            let slot = self.docs[self.chunks[place as usize].doc as usize].as_ref()?;
            Some(SearchHit {
                doc_id: slot.facts.doc_id,
                version_id: slot.facts.version_id,
                chunk_id: hit.chunk_id,
                score: hit.score,
                lexical,
                similarity,
            })
        };
        best.in_order().into_iter().filter_map(hit_of).collect()
    }

    /// Determines for every document whether it is visible and matching.
    fn visibility_of(&self, scope: SearchScope<'_>) -> (Vec<Visibility>, Visible) {
        let mut visible = Visible::default();
        let mut visibility = vec![Visibility::Hidden; self.chunks.len()];
        for slot in self.docs.iter().flatten() {
            if (scope.visible)(&slot.facts) {
                let matching = (scope.matching)(&slot.facts);
                let seen = if matching { Visibility::Matching } else { Visibility::Visible };
                visibility[slot.places.clone()].fill(seen);
                visible.chunks += slot.places.len() as u64;
                visible.tokens += slot.tokens;
            }
        }
        (visibility, visible)
    }

    fn best_by_keywords(&self, words: &[f32], visibility: &[Visibility], pool: usize) -> Vec<u32> {
        let mut best = Best::of(pool);
        for (place, (&score, &seen)) in words.iter().zip(visibility).enumerate() {
            if score > 0.0 && score >= best.floor && seen == Visibility::Matching {
                let chunk_id = self.chunks[place].id;
                best.offer(Scored { score, chunk_id, place: small(place) });
            }
        }
        best.in_order().into_iter().map(|scored| scored.place).collect()
    }
}

/// A chunk without a vector has only its keyword score.
fn fused(mode: Mode, lexical: f32, similarity: Option<f32>) -> f32 {
    match (mode, similarity) {
        (Mode::Lexical, _) | (Mode::Hybrid, None) => lexical,
        (Mode::Vector, None) => 0.0,
        (Mode::Vector, Some(cosine)) => cosine.max(0.0),
        (Mode::Hybrid, Some(cosine)) => {
            VECTOR_WEIGHT * cosine.max(0.0) + (1.0 - VECTOR_WEIGHT) * lexical
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::FileKind;

    use super::super::{Doc, IndexedChunk};
    use super::*;
    use crate::terms::{Terms, pack};

    fn count_hits(query: &str, vector: Option<[f32; 2]>, mode: Mode) -> usize {
        let mut index = TenantIndex::new();
        let chunk = IndexedChunk {
            chunk_id: Uuid::nil(),
            terms: pack(&Terms::of("The rent is due on Monday.")),
            vectors: vec![vec![1.0, 0.0]],
        };
        let facts = DocFacts {
            doc_id: DocId(Uuid::nil()),
            version_id: Uuid::nil(),
            owners: Vec::new(),
            kind: FileKind::Txt,
            created_at: DateTime::UNIX_EPOCH,
            batch_ids: Vec::new(),
            tags: Vec::new(),
        };
        index.upsert(Doc { facts, chunks: vec![chunk] }).unwrap();
        let terms = QueryTerms::of(query);
        let query = Query {
            terms: &terms,
            vector: vector.as_ref().map(<[f32; 2]>::as_slice),
            mode,
            limit: 5,
        };
        index.search(&query, SearchScope { visible: &|_| true, matching: &|_| true }).len()
    }

    #[test]
    fn unknown_words_find_only_similar_vectors() {
        let (far, near) = (Some([0.25, 0.97]), Some([0.5, 0.87]));
        for mode in [Mode::Hybrid, Mode::Vector] {
            assert_eq!(count_hits("zzzxqv", far, mode), 0, "{mode:?}");
            assert_eq!(count_hits("Mietzahlung", near, mode), 1, "{mode:?}");
        }
        assert_eq!(count_hits("rents", far, Mode::Hybrid), 1, "a match by the stem is enough");
        assert_eq!(count_hits("zzzxqv", None, Mode::Hybrid), 0);
    }
}
