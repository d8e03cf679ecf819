//! Tries the law of [`super`]: what a caller may not see changes no bit of what the caller gets.
//!
//! Each *pair* is one search in two indexes of the same visible documents. The second has another
//! history: other hidden documents, added, changed and removed in between, and the visible ones in
//! another order.

use chrono::DateTime;
use domain::{Actor, DocId, FileKind, UserId};
use uuid::Uuid;

use super::{Doc, DocFacts, Found, IndexedChunk, Mode, OwnerFacts, Query, TenantIndex, Within};
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

/// A generator whose numbers follow from its seed: a pair that fails can be told by its number.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn text(&mut self, most: usize) -> String {
        let count = self.roll(most + 1);
        (0..count).map(|_| WORDS[self.roll(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }

    /// Few values, so that scores are often equal; sometimes none, or of another model.
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

fn owner_facts(dice: &mut Dice, actor: Actor) -> OwnerFacts {
    let tags = (0..dice.roll(3)).map(|_| TAGS[dice.roll(TAGS.len())].to_owned()).collect();
    OwnerFacts { actor, created_at: DateTime::UNIX_EPOCH, tags }
}

fn doc(dice: &mut Dice, id: u128, owners: Vec<Actor>) -> Doc {
    let chunks = (0..dice.roll(4)).map(|number| IndexedChunk {
        chunk_id: Uuid::from_u128(id * 16 + number as u128),
        terms: pack(&Terms::of(&dice.text(12))),
        vectors: dice.vector().into_iter().chain(dice.vector()).collect(),
    });
    let chunks = chunks.collect();
    let facts = DocFacts {
        doc_id: DocId(Uuid::from_u128(id)),
        version_id: Uuid::from_u128(id + (1 << 64)),
        owners: owners.into_iter().map(|actor| owner_facts(dice, actor)).collect(),
        kind: [FileKind::Pdf, FileKind::Txt][dice.roll(2)],
        created_at: DateTime::UNIX_EPOCH,
        batch_ids: Vec::new(),
        tags: Vec::new(),
    };
    Doc { facts, chunks }
}

/// The visible documents in any order, between other documents that come, change and go.
fn index(dice: &mut Dice, visible: &[Doc]) -> TenantIndex {
    let mut index = TenantIndex::new();
    let mut visible: Vec<&Doc> = visible.iter().collect();
    dice.shuffle(&mut visible);
    // Much noise makes an index sweep itself.
    let noise = [0, 6, 6, 12, 12, 12, 12, 12, 12, 200][dice.roll(10)];
    for doc_in_scope in visible {
        for _ in 0..dice.roll(noise + 1) {
            disturb(dice, &mut index);
        }
        if dice.roll(4) == 0 {
            // An earlier version of it, of which nothing may stay behind.
            let id = doc_in_scope.facts.doc_id.0.as_u128();
            let owners = doc_in_scope.facts.owners.iter().map(|owner| owner.actor).collect();
            let earlier = doc(dice, id, owners);
            add(&mut index, earlier);
        }
        add(&mut index, also_owned_by_others(dice, doc_in_scope.clone()));
    }
    for _ in 0..dice.roll(noise + 1) {
        disturb(dice, &mut index);
    }
    index
}

/// The same content in other hands: what they say of it is theirs.
fn also_owned_by_others(dice: &mut Dice, mut doc: Doc) -> Doc {
    for number in 2..2 + dice.roll(3) as u128 {
        let other = owner_facts(dice, owner(number));
        doc.facts.owners.insert(dice.roll(doc.facts.owners.len() + 1), other);
    }
    let said = owner_facts(dice, owner(0));
    doc.facts.tags = said.tags;
    doc
}

/// The terms were packed just now: they can be read.
fn add(index: &mut TenantIndex, doc: Doc) {
    let added = index.upsert(doc);
    debug_assert!(added.is_ok(), "{added:?}");
}

fn disturb(dice: &mut Dice, index: &mut TenantIndex) {
    let id = 1000 + dice.roll(8) as u128;
    if dice.roll(3) == 0 {
        index.remove(DocId(Uuid::from_u128(id)));
    } else {
        let hidden = doc(dice, id, vec![owner(2)]);
        add(index, hidden);
    }
}

/// Every bit of a result.
fn bits(found: &[Found]) -> Vec<(Uuid, Uuid, Uuid, u32, u32, Option<u32>)> {
    let of_hit = |hit: &Found| {
        let similarity = hit.similarity.map(f32::to_bits);
        let (score, lexical) = (hit.score.to_bits(), hit.lexical.to_bits());
        (hit.doc_id.0, hit.version_id, hit.chunk_id, score, lexical, similarity)
    };
    found.iter().map(of_hit).collect()
}

/// What came of trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    pub pairs: usize,
    /// Hits that were compared: many, or the law was hardly tried.
    pub hits: usize,
    /// The first pair whose results differ.
    pub broken_by: Option<usize>,
}

/// Tries `pairs` pairs that follow from the seed; stops at one that breaks the law.
pub fn try_pairs(seed: u64, pairs: usize) -> Tried {
    const SEARCHES_OF_AN_INDEX: usize = 10;
    let mut dice = Dice(seed);
    let mut tried = Tried { pairs: 0, hits: 0, broken_by: None };
    while tried.pairs < pairs {
        let visible: Vec<Doc> = (0..dice.roll(11))
            .map(|id| {
                let shared = dice.roll(3) == 0;
                let owners = if shared { vec![owner(2), owner(1)] } else { vec![owner(1)] };
                doc(&mut dice, id as u128, owners)
            })
            .collect();
        let (one, other) = (index(&mut dice, &visible), index(&mut dice, &visible));
        for _ in 0..SEARCHES_OF_AN_INDEX {
            let (found, found_too) = search_both(&mut dice, &one, &other);
            let weights = |(_, weights): &Searched| -> Vec<u32> {
                weights.iter().map(|weight| weight.to_bits()).collect()
            };
            let is_same = bits(&found.0) == bits(&found_too.0);
            if !is_same || weights(&found) != weights(&found_too) {
                return Tried { broken_by: Some(tried.pairs), ..tried };
            }
            tried.hits += found.0.len();
            tried.pairs += 1;
        }
    }
    tried
}

/// What was found, and how much each term says.
type Searched = (Vec<Found>, Vec<f32>);

fn search_both(dice: &mut Dice, one: &TenantIndex, other: &TenantIndex) -> (Searched, Searched) {
    let terms = QueryTerms::of(&dice.text(6));
    let vector = dice.vector();
    let mode = [Mode::Hybrid, Mode::Lexical, Mode::Vector][dice.roll(3)];
    let limit = [1, 3, 100][dice.roll(3)];
    let query = Query { terms: &terms, vector: vector.as_deref(), mode, limit };
    let only_text = dice.roll(3) == 0;
    let tag = [None, Some(TAGS[0])][dice.roll(2)];
    let within = Within {
        visible: &|facts| facts.described_for(Some(owner(1))).is_some(),
        wanted: &|facts| {
            let described = facts.described_for(Some(owner(1)));
            (!only_text || facts.kind == FileKind::Txt)
                && tag.is_none_or(|tag| {
                    described.is_some_and(|own| own.tags.iter().any(|t| t == tag))
                })
        },
    };
    (one.search_and_weigh(&query, within), other.search_and_weigh(&query, within))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_documents_change_no_bit_of_a_result() {
        let tried = try_pairs(1, 10_000);
        assert_eq!(tried.broken_by, None);
        assert!(tried.hits > tried.pairs, "only {} hits: hardly tried", tried.hits);
    }

    #[test]
    fn a_filter_leaves_the_scores_of_what_it_lets_through() {
        let mut dice = Dice(2);
        let docs: Vec<Doc> = (0..30).map(|id| doc(&mut dice, id, vec![owner(1)])).collect();
        let index = index(&mut dice, &docs);
        let terms = QueryTerms::of("invoice total of Müller");
        let query = Query { terms: &terms, vector: None, mode: Mode::Lexical, limit: 1000 };
        let is_text = |facts: &DocFacts| facts.kind == FileKind::Txt;
        let all = index.search(&query, Within { visible: &|_| true, wanted: &|_| true });
        let some = index.search(&query, Within { visible: &|_| true, wanted: &is_text });
        let expected: Vec<Found> =
            all.into_iter().filter(|hit| is_text(index.facts(hit.doc_id).unwrap())).collect();
        assert!(!expected.is_empty());
        assert_eq!(bits(&some), bits(&expected));
    }
}
