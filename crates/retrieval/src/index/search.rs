//! One search: what is visible, what matches it, and how the two ways of matching are put together.

use domain::DocId;
use uuid::Uuid;

use crate::terms::QueryTerms;

use super::best::{Best, Scored};
use super::lexical::{self, Sight, Visible};
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

impl TenantIndex {
    /// The best chunks that are wanted of those that are visible, best first.
    pub fn search(&self, query: &Query<'_>, within: Within<'_>) -> Vec<Found> {
        if query.limit == 0 {
            return Vec::new();
        }
        let (sight, visible) = self.look(within);
        let by_words = query.mode != Mode::Vector;
        let words = if by_words {
            lexical::scores(self, query.terms, &sight, visible)
        } else {
            vec![0.0; self.chunks.len()]
        };
        let comparable = query
            .vector
            .filter(|_| query.mode != Mode::Lexical)
            .and_then(|vector| Some((self.planes.get(&vector.len())?, vector)));
        let pool = match query.mode {
            Mode::Hybrid => query.limit.max(POOL),
            Mode::Lexical | Mode::Vector => query.limit,
        };
        let mut best = Best::of(query.limit);
        let mut places = self.best_by_words(&words, &sight, pool);
        if let Some((comparable, vector)) = comparable {
            places.extend(comparable.nearest(vector, pool, &sight, &self.chunks));
            places.sort_unstable();
            places.dedup();
        }
        let similarities =
            comparable.map(|(comparable, vector)| comparable.similarities(vector, &places));
        let mut found = Vec::with_capacity(places.len());
        for (at, &place) in places.iter().enumerate() {
            let similarity = similarities.as_ref().and_then(|all| all[at]);
            let lexical = words[place as usize];
            let score = fused(query.mode, lexical, similarity);
            let chunk_id = self.chunks[place as usize].id;
            best.offer(Scored { score, chunk_id, place: small(found.len()) });
            found.push((place, lexical, similarity));
        }
        let hits = best.in_order().into_iter();
        hits.filter_map(|hit| {
            let (place, lexical, similarity) = found[hit.place as usize];
            let facts = self.docs[self.chunks[place as usize].doc as usize].as_ref()?;
            Some(Found {
                doc_id: facts.doc_id,
                version_id: facts.version_id,
                chunk_id: hit.chunk_id,
                score: hit.score,
                lexical,
                similarity,
            })
        })
        .collect()
    }

    /// How much each term of a query says within what is visible: its rarity, as a logarithm.
    pub fn weights(&self, terms: &QueryTerms, visible: &dyn Fn(&DocFacts) -> bool) -> Vec<f32> {
        let (sight, counted) = self.look(Within { visible, wanted: &|_| false });
        lexical::weights(self, terms, &sight, counted)
    }

    /// Asks of every document once whether it is visible and wanted.
    fn look(&self, within: Within<'_>) -> (Vec<Sight>, Visible) {
        let of_doc: Vec<Sight> = self
            .docs
            .iter()
            .map(|facts| match facts {
                Some(facts) if !(within.visible)(facts) => Sight::Hidden,
                Some(facts) if (within.wanted)(facts) => Sight::Wanted,
                Some(_) => Sight::Visible,
                None => Sight::Hidden,
            })
            .collect();
        let mut visible = Visible::default();
        let mut sight = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            let seen = of_doc[chunk.doc as usize];
            if seen != Sight::Hidden {
                visible.chunks += 1;
                visible.tokens += u64::from(chunk.length);
            }
            sight.push(seen);
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
