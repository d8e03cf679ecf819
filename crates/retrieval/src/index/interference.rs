//! Tests the non-interference property of [`super`]: documents that a caller may not see change no bit of the results.
//!
//! Each *pair* is one search in two indexes with the same visible documents. The second index has another history: other
//! hidden documents were added, changed and removed, and the visible ones were added in another order.

use chrono::DateTime;
use domain::{Actor, DocId, FileKind, UserId};
use uuid::Uuid;

use super::{
    Doc, DocFacts, IndexedChunk, Mode, OwnerFacts, Query, SearchHit, SearchScope, TenantIndex,
};
use crate::terms::{QueryTerms, Terms, pack};

const WORDS: [&str; 24] = [
    "invoice",
    "invoices",
    "total",
    "the",
    "of",
    "and",
    "contract",
    "Rechnung",
    "der",
    "und",
    "Müller",
    "mueller",
    "1.234,56",
    "1234.56",
    "INV-2024-7",
    "inv20247",
    "payment",
    "paid",
    "Zahlung",
    "law",
    "court",
    "anna@example.com",
    "42",
    "is",
];

/// A random generator with a seed, so that a failing pair can be repeated.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn text(&mut self, most: usize) -> String {
        let count = self.roll(most + 1);
        (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }

    /// Few different values, so that scores are often equal; sometimes no vector, or one of another model.
    fn vector(&mut self) -> Option<Vec<f32>> {
        let dimensions = match self.roll(8) {
            0 => return None,
            1 => 5,
            _ => 3,
        };
        Some((0..dimensions).map(|_| [-1.0, 0.0, 0.5, 1.0][self.roll(4)]).collect())
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.roll(last + 1));
        }
    }
}

const TAGS: [&str; 3] = ["rent", "tax", "car"];

fn owner(number: u128) -> Actor {
    Actor::User(UserId(Uuid::from_u128(number)))
}

fn owner_facts(rng: &mut Rng, actor: Actor) -> OwnerFacts {
    let tags = (0..rng.roll(3)).map(|_| TAGS[rng.roll(TAGS.len())].to_owned()).collect();
    OwnerFacts { actor, created_at: DateTime::UNIX_EPOCH, tags }
}

fn doc(rng: &mut Rng, id: u128, owners: Vec<Actor>) -> Doc {
    let chunks = (0..rng.roll(4)).map(|number| IndexedChunk {
        chunk_id: Uuid::from_u128(id * 16 + number as u128),
        terms: pack(&Terms::of(&rng.text(12))),
        vectors: rng.vector().into_iter().chain(rng.vector()).collect(),
    });
    let chunks = chunks.collect();
    let facts = DocFacts {
        doc_id: DocId(Uuid::from_u128(id)),
        version_id: Uuid::from_u128(id + (1 << 64)),
        owners: owners.into_iter().map(|actor| owner_facts(rng, actor)).collect(),
        kind: [FileKind::Pdf, FileKind::Txt][rng.roll(2)],
        created_at: DateTime::UNIX_EPOCH,
        batch_ids: Vec::new(),
        tags: Vec::new(),
    };
    Doc { facts, chunks }
}

/// The visible documents in random order, between hidden documents that are added, changed and removed.
fn index(rng: &mut Rng, visible: &[Doc]) -> TenantIndex {
    let mut index = TenantIndex::new();
    let mut visible: Vec<&Doc> = visible.iter().collect();
    rng.shuffle(&mut visible);
    // Many changes trigger a rebuild of the index.
    let noise = [0, 6, 6, 12, 12, 12, 12, 12, 12, 200][rng.roll(10)];
    for doc_in_scope in visible {
        for _ in 0..rng.roll(noise + 1) {
            change_hidden_document(rng, &mut index);
        }
        if rng.roll(4) == 0 {
            // An earlier version of it, of which nothing may remain.
            let id = doc_in_scope.facts.doc_id.0.as_u128();
            let owners = doc_in_scope.facts.owners.iter().map(|owner| owner.actor).collect();
            let earlier = doc(rng, id, owners);
            add(&mut index, earlier);
        }
        add(&mut index, also_owned_by_others(rng, doc_in_scope.clone()));
    }
    for _ in 0..rng.roll(noise + 1) {
        change_hidden_document(rng, &mut index);
    }
    index
}

/// Adds other owners of the same content, with their own tags.
fn also_owned_by_others(rng: &mut Rng, mut doc: Doc) -> Doc {
    for number in 2..2 + rng.roll(3) as u128 {
        let other = owner_facts(rng, owner(number));
        doc.facts.owners.insert(rng.roll(doc.facts.owners.len() + 1), other);
    }
    doc.facts.tags = owner_facts(rng, owner(0)).tags;
    doc
}

/// Never fails, because the terms were just packed.
fn add(index: &mut TenantIndex, doc: Doc) {
    let added = index.upsert(doc);
    debug_assert!(added.is_ok(), "{added:?}");
}

fn change_hidden_document(rng: &mut Rng, index: &mut TenantIndex) {
    let id = 1000 + rng.roll(8) as u128;
    if rng.roll(3) == 0 {
        index.remove(DocId(Uuid::from_u128(id)));
    } else {
        let hidden = doc(rng, id, vec![owner(2)]);
        add(index, hidden);
    }
}

/// All bits of the results.
fn bits(hits: &[SearchHit]) -> Vec<(Uuid, Uuid, Uuid, u32, u32, Option<u32>)> {
    let of_hit = |hit: &SearchHit| {
        let similarity = hit.similarity.map(f32::to_bits);
        let (score, lexical) = (hit.score.to_bits(), hit.lexical.to_bits());
        (hit.doc_id.0, hit.version_id, hit.chunk_id, score, lexical, similarity)
    };
    hits.iter().map(of_hit).collect()
}

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub pairs: usize,
    /// The number of hits that were compared.
    pub hits: usize,
    /// The first pair with different results.
    pub broken_by: Option<usize>,
}

/// Tests `pairs` pairs from the seed; stops at the first difference.
pub fn try_pairs(seed: u64, pairs: usize) -> Outcome {
    const SEARCHES_PER_INDEX: usize = 10;
    let mut rng = Rng(seed);
    let mut outcome = Outcome { pairs: 0, hits: 0, broken_by: None };
    while outcome.pairs < pairs {
        let visible: Vec<Doc> = (0..rng.roll(11))
            .map(|id| {
                let shared = rng.roll(3) == 0;
                let owners = if shared { vec![owner(2), owner(1)] } else { vec![owner(1)] };
                doc(&mut rng, id as u128, owners)
            })
            .collect();
        let (one, other) = (index(&mut rng, &visible), index(&mut rng, &visible));
        for _ in 0..SEARCHES_PER_INDEX {
            let (first, second) = search_both(&mut rng, &one, &other);
            let weights = |(_, weights): &SearchResult| -> Vec<u32> {
                weights.iter().map(|weight| weight.to_bits()).collect()
            };
            let is_same = bits(&first.0) == bits(&second.0);
            if !is_same || weights(&first) != weights(&second) {
                return Outcome { broken_by: Some(outcome.pairs), ..outcome };
            }
            outcome.hits += first.0.len();
            outcome.pairs += 1;
        }
    }
    outcome
}

/// The hits, and the weights of the query's terms.
type SearchResult = (Vec<SearchHit>, Vec<f32>);

fn search_both(
    rng: &mut Rng,
    one: &TenantIndex,
    other: &TenantIndex,
) -> (SearchResult, SearchResult) {
    let terms = QueryTerms::of(&rng.text(6));
    let vector = rng.vector();
    let mode = [Mode::Hybrid, Mode::Lexical, Mode::Vector][rng.roll(3)];
    let limit = [1, 3, 100][rng.roll(3)];
    let query = Query { terms: &terms, vector: vector.as_deref(), mode, limit };
    let only_text = rng.roll(3) == 0;
    let tag = [None, Some(TAGS[0])][rng.roll(2)];
    let scope = SearchScope {
        visible: &|facts| facts.described_for(Some(owner(1))).is_some(),
        matching: &|facts| {
            let described = facts.described_for(Some(owner(1)));
            (!only_text || facts.kind == FileKind::Txt)
                && tag.is_none_or(|tag| {
                    described.is_some_and(|own| own.tags.iter().any(|t| t == tag))
                })
        },
    };
    (one.search_and_weigh(&query, scope), other.search_and_weigh(&query, scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_documents_change_no_bit_of_a_result() {
        let outcome = try_pairs(1, 10_000);
        assert_eq!(outcome.broken_by, None);
        assert!(outcome.hits > outcome.pairs, "only {} hits were compared", outcome.hits);
    }

    #[test]
    fn a_filter_does_not_change_the_scores_of_matching_documents() {
        let mut rng = Rng(2);
        let docs: Vec<Doc> = (0..30).map(|id| doc(&mut rng, id, vec![owner(1)])).collect();
        let index = index(&mut rng, &docs);
        let terms = QueryTerms::of("invoice total of Müller");
        let query = Query { terms: &terms, vector: None, mode: Mode::Lexical, limit: 1000 };
        let is_text = |facts: &DocFacts| facts.kind == FileKind::Txt;
        let all = index.search(&query, SearchScope { visible: &|_| true, matching: &|_| true });
        let some = index.search(&query, SearchScope { visible: &|_| true, matching: &is_text });
        let expected: Vec<SearchHit> =
            all.into_iter().filter(|hit| is_text(index.facts(hit.doc_id).unwrap())).collect();
        assert!(!expected.is_empty());
        assert_eq!(bits(&some), bits(&expected));
    }
}
