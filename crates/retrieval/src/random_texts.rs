//! Property tests with random texts of many scripts: every returned range is within its text, at character boundaries, and
//! nothing panics.

use std::ops::Range;

use uuid::Uuid;

use crate::answer::{Claim, Passage, answer, verify};
use crate::sentences::sentences;
use crate::snippet::snippet;
use crate::terms::{QueryTerms, tokens};

/// Pieces of texts, joined by random separators.
const PIECES: [&str; 75] = [
    "the",
    "lease",
    "of",
    "Anna",
    "Smith",
    "invoice",
    "INV/2023/03/0008",
    "total",
    "$",
    "279.84",
    "1.234,56",
    "€",
    "12.03.2024",
    "31",
    "May",
    "2031",
    "who",
    "when",
    "what is the",
    "how much",
    "Wer",
    "die",
    "Straße",
    "Müller",
    "GmbH",
    "Überweisung",
    "DE89",
    "3704",
    "0044",
    "0532",
    "0130",
    "00",
    "anna@example.com",
    "twenty-five",
    "10th",
    "1960s",
    "N.º",
    "Æsir",
    "naïve",
    "e\u{301}\u{328}\u{35c}",
    "\u{301}",
    "ﬁnal",
    "İstanbul",
    "ẞ",
    "ŉ",
    "租赁合同由王芳签署",
    "請求書",
    "発行",
    "ひらがな",
    "カタカナ",
    "。",
    "！",
    "العقد",
    "وقعت ليلى",
    "١٢٣٤",
    "שלום",
    "हिन्दी",
    "ไทยไม่มีช่องว่าง",
    "한국어",
    "👩‍👩‍👧‍👦",
    "🇦🇹",
    "👍🏽",
    "❤️",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{2028}",
    "’s",
    "'s",
    "\u{0}",
    "|",
    "- ",
    "…",
    "”",
];
const SEPARATORS: [&str; 14] =
    [" ", " ", " ", " ", " ", "", "", ". ", ", ", "\n", "\n\n", "? ", "\u{a0}", "\t"];

/// A random generator with a seed, so that a failing text can be repeated.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn text(&mut self, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.roll(most + 1) {
            match self.roll(40) {
                // Any character at all.
                0 => text.extend(char::from_u32(u32::try_from(self.roll(0x11_0000)).unwrap_or(0))),
                // A very long word.
                1 => text.push_str(&["x", "ü", "漢", "1"][self.roll(4)].repeat(self.roll(400))),
                _ => text.push_str(PIECES[self.roll(PIECES.len())]),
            }
            text.push_str(SEPARATORS[self.roll(SEPARATORS.len())]);
        }
        text
    }

    fn weights(&mut self, count: usize) -> Vec<f32> {
        (0..self.roll(count + 2)).map(|_| [0.0, 0.1, 1.0, 5.0][self.roll(4)]).collect()
    }

    /// Vectors of an embedder, which sometimes fails and returns too few.
    fn vectors(&mut self, texts: usize) -> Vec<Vec<f32>> {
        let count = if self.roll(8) == 0 { self.roll(texts + 1) } else { texts };
        (0..count).map(|_| vec![[0.0, 1.0, -1.0][self.roll(3)], 0.5]).collect()
    }
}

const SEEDS: u64 = 3_000;

fn is_in(text: &str, place: &Range<usize>) -> bool {
    text.get(place.clone()).is_some_and(|part| !part.is_empty())
}

#[test]
fn tokens_and_sentences_are_within_their_text() {
    for seed in 0..SEEDS {
        let text = Rng(seed).text(40);
        for token in tokens(&text) {
            assert!(is_in(&text, &token.place), "seed {seed}");
        }
        let mut end = 0;
        for sentence in sentences(&text) {
            assert!(is_in(&text, &sentence) && sentence.start >= end, "seed {seed}");
            end = sentence.end;
        }
    }
}

#[test]
fn a_snippet_is_a_part_of_its_text_and_contains_its_highlights() {
    for seed in 0..SEEDS {
        let mut rng = Rng(seed);
        let text = rng.text(40);
        let terms = QueryTerms::of(&rng.text(8));
        let weights = rng.weights(terms.len());
        let longest = [0, 1, 7, 60, 320][rng.roll(5)];
        let found = snippet(&text, &terms, &weights, longest);
        let length = found.text.chars().count();
        let there: String = text.chars().skip(found.start).take(length).collect();
        assert_eq!(found.text, there, "seed {seed}");
        assert!(length <= longest, "seed {seed}");
        let mut end = 0;
        for highlight in &found.highlights {
            let is_in_order = end <= highlight.start && highlight.start < highlight.end;
            assert!(is_in_order && highlight.end <= length, "seed {seed}");
            end = highlight.end;
        }
    }
}

#[test]
fn a_quote_and_its_span_are_within_their_passage() {
    let mut quoted = 0;
    for seed in 0..SEEDS {
        let mut rng = Rng(seed);
        let texts: Vec<String> = (0..rng.roll(7)).map(|_| rng.text(40)).collect();
        let passages: Vec<Passage<'_>> = (0_u128..)
            .zip(&texts)
            .map(|(number, text)| Passage {
                chunk_id: Uuid::from_u128(number),
                text,
                score: [0.0, 0.3, 0.9][rng.roll(3)],
            })
            .collect();
        let question = rng.text(8);
        let weights = rng.weights(QueryTerms::of(&question).len());
        let seed_of_vectors = rng.roll(1_000) as u64;
        let embed = |texts: &[&str]| Rng(seed_of_vectors).vectors(texts.len());
        let embed = (rng.roll(3) > 0).then_some(&embed as crate::answer::Embed<'_>);
        let Some(quote) = answer(&question, &weights, &passages, embed).quote else { continue };
        let text = passages.iter().find(|passage| passage.chunk_id == quote.chunk_id).unwrap().text;
        assert_eq!(text.get(quote.sentence.clone()), Some(quote.text.as_str()), "seed {seed}");
        if let Some(span) = quote.span {
            assert!(is_in(text, &span) && quote.sentence.start <= span.start, "seed {seed}");
        }
        quoted += 1;
    }
    assert!(quoted > SEEDS / 3, "only {quoted} answers have a quote");
}

#[test]
fn verifying_a_claim_never_panics() {
    for seed in 0..SEEDS {
        let mut rng = Rng(seed);
        let (text, sentence) = (rng.text(30), rng.text(12));
        let id = Uuid::nil();
        let passages = [Passage { chunk_id: id, text: &text, score: 0.5 }];
        let embed = |texts: &[&str]| Rng(seed).vectors(texts.len());
        let claim = Claim { sentence: &sentence, cites: &[id] };
        // The test is that it returns.
        let _ = verify(claim, &passages, Some(&embed));
    }
}

/// Tokens of ideographs overlap: each begins before the previous one ends.
#[test]
fn an_answer_in_a_script_without_spaces_has_a_span() {
    let text = "合同 lease 由王芳签署于北京";
    let passages = [Passage { chunk_id: Uuid::nil(), text, score: 0.9 }];
    let answer = answer("Who signed the lease?", &[1.0; 4], &passages, None);
    let span = answer.quote.and_then(|quote| quote.span);
    assert!(span.is_some_and(|span| is_in(text, &span)));
}
