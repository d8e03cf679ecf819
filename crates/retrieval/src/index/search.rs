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
        (self.best_of(&judged, query), weights)
    }

    fn best_of(&self, judged: &[Judged], query: &Query<'_>) -> Vec<Found> {
        let mut best = Best::of(query.limit);
        for (at, &(place, lexical, similarity)) in judged.iter().enumerate() {
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
