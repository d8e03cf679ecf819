//! One search: what is visible, what matches it, and how the two ways of matching are put together.

use domain::DocId;
use uuid::Uuid;

use crate::terms::QueryTerms;

use super::best::{Best, Scored};
use super::lexical::{self, Sight, Visible};
use super::vectors::Plane;
use super::{DocFacts, TenantIndex, small};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words only.
    Lexical,
    /// By meaning only.
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

/// What a search may look at and what it shall return: see [`super`].
#[derive(Clone, Copy)]
pub struct Within<'a> {
    /// What the caller may see.
    pub visible: &'a dyn Fn(&DocFacts) -> bool,
    /// What the caller asked for, of that.
    pub wanted: &'a dyn Fn(&DocFacts) -> bool,
}

impl std::fmt::Debug for Within<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Within").finish_non_exhaustive()
    }
}

/// A chunk that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub doc_id: DocId,
    pub version_id: Uuid,
    pub chunk_id: Uuid,
    /// From 0 to 1, and comparable between queries.
    pub score: f32,
    /// The share of the query's words that the chunk answers for, from 0 to 1.
    pub lexical: f32,
    /// The cosine between query and chunk, when both have a vector.
    pub similarity: Option<f32>,
}

/// How many of the best of each kind are looked at by both measures, at least.
const POOL: usize = 64;
/// The weight of meaning against words, chosen by `bench-retrieval quality`.
const MEANING: f32 = 0.3;
/// The relevance floor: the least cosine that counts when no visible chunk has any word of the query. Chosen by
/// `bench-retrieval floor` for the default model: words that do not exist hardly ever come as near to a passage, questions
/// mostly come nearer to the one that answers them. Models whose cosines are higher throughout are held back less.
const FLOOR: f32 = 0.35;
/// A place, how its words match, and how near its vectors are.
type Judged = (u32, f32, Option<f32>);

impl TenantIndex {
    /// The best chunks that are wanted of those that are visible, best first.
    pub fn search(&self, query: &Query<'_>, within: Within<'_>) -> Vec<Found> {
        self.search_and_weigh(query, within).0
    }

    /// The same, and how much each term of the query says within what is visible: its rarity, as a logarithm.
    pub fn search_and_weigh(
        &self,
        query: &Query<'_>,
        within: Within<'_>,
    ) -> (Vec<Found>, Vec<f32>) {
        let (sight, visible) = self.look(within);
        let pool = match query.mode {
            Mode::Hybrid => query.limit.max(POOL),
            Mode::Lexical | Mode::Vector => query.limit,
        };
        let comparable = query
            .vector
            .filter(|_| query.mode != Mode::Lexical)
            .and_then(|vector| Some((self.planes.get(&vector.len())?, vector)));
        let weighed = lexical::weigh(self, query.terms, &sight, visible);
        let (words, best_by_words) = if query.mode == Mode::Vector {
            (Vec::new(), Vec::new())
        } else {
            let scores = lexical::scores(self, &weighed, visible);
            let best = self.best_by_words(&scores, &sight, pool);
            (scores, best)
        };
        let near =
            |(plane, vector): (&Plane, &[f32])| plane.nearest(vector, pool, &sight, &self.chunks);
        let mut places = comparable.map(near).unwrap_or_default();
        places.extend(best_by_words);
        places.sort_unstable();
        places.dedup();
        let similarities = match comparable {
            Some((plane, vector)) => plane.similarities(vector, &places),
            None => vec![None; places.len()],
        };
        let of_place = |(place, similarity): (u32, Option<f32>)| {
            (place, words.get(place as usize).copied().unwrap_or(0.0), similarity)
        };
        let judged: Vec<Judged> = places.into_iter().zip(similarities).map(of_place).collect();
        let weights = weighed.iter().map(|term| term.rarity).collect();
        let floor = if weighed.iter().any(|term| term.occurs) { f32::NEG_INFINITY } else { FLOOR };
        (self.best_of(&judged, query, floor), weights)
    }

    fn best_of(&self, judged: &[Judged], query: &Query<'_>, floor: f32) -> Vec<Found> {
        let mut best = Best::of(query.limit);
        for (at, &(place, lexical, similarity)) in judged.iter().enumerate() {
            if lexical <= 0.0 && similarity.is_none_or(|cosine| cosine < floor) {
                continue;
            }
            let score = fused(query.mode, lexical, similarity);
            let chunk_id = self.chunks[place as usize].id;
            best.offer(Scored { score, chunk_id, place: small(at) });
        }
        let found = |hit: Scored| {
            let (place, lexical, similarity) = judged[hit.place as usize];
            let slot = self.docs[self.chunks[place as usize].doc as usize].as_ref()?;
            Some(Found {
                doc_id: slot.facts.doc_id,
                version_id: slot.facts.version_id,
                chunk_id: hit.chunk_id,
                score: hit.score,
                lexical,
                similarity,
            })
        };
        best.in_order().into_iter().filter_map(found).collect()
    }

    /// Asks of every document once whether it is visible and wanted.
    fn look(&self, within: Within<'_>) -> (Vec<Sight>, Visible) {
        let mut visible = Visible::default();
        let mut sight = vec![Sight::Hidden; self.chunks.len()];
        for slot in self.docs.iter().flatten() {
            if (within.visible)(&slot.facts) {
                let wanted = (within.wanted)(&slot.facts);
                let seen = if wanted { Sight::Wanted } else { Sight::Visible };
                sight[slot.places.clone()].fill(seen);
                visible.chunks += slot.places.len() as u64;
                visible.tokens += slot.tokens;
            }
        }
        (sight, visible)
    }

    fn best_by_words(&self, words: &[f32], sight: &[Sight], pool: usize) -> Vec<u32> {
        let mut best = Best::of(pool);
        for (place, (&score, &seen)) in words.iter().zip(sight).enumerate() {
            if score > 0.0 && score >= best.floor && seen == Sight::Wanted {
                let chunk_id = self.chunks[place].id;
                best.offer(Scored { score, chunk_id, place: small(place) });
            }
        }
        best.in_order().into_iter().map(|scored| scored.place).collect()
    }
}

/// A chunk that has no vector is judged by its words alone.
fn fused(mode: Mode, lexical: f32, similarity: Option<f32>) -> f32 {
    match (mode, similarity) {
        (Mode::Lexical, _) | (Mode::Hybrid, None) => lexical,
        (Mode::Vector, None) => 0.0,
        (Mode::Vector, Some(cosine)) => cosine.max(0.0),
        (Mode::Hybrid, Some(cosine)) => MEANING * cosine.max(0.0) + (1.0 - MEANING) * lexical,
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::FileKind;

    use super::super::{Doc, IndexedChunk};
    use super::*;
    use crate::terms::{Terms, pack};

    fn found(query: &str, vector: Option<[f32; 2]>, mode: Mode) -> usize {
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
        index.search(&query, Within { visible: &|_| true, wanted: &|_| true }).len()
    }

    #[test]
    fn words_that_no_chunk_has_find_only_what_means_something_like_them() {
        let (far, near) = (Some([0.25, 0.97]), Some([0.5, 0.87]));
        for mode in [Mode::Hybrid, Mode::Vector] {
            assert_eq!(found("zzzxqv", far, mode), 0, "{mode:?}");
            assert_eq!(found("Mietzahlung", near, mode), 1, "{mode:?}");
        }
        assert_eq!(
            found("rents", far, Mode::Hybrid),
            1,
            "a word that matches by its stem is enough"
        );
        assert_eq!(found("zzzxqv", None, Mode::Hybrid), 0);
    }
}
