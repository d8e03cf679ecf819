//! Whether what a language model wrote rests on what it was shown.
//!
//! A sentence is *supported* if, and only if, it cites a passage, every passage that it cites was
//! retrieved, and the cited text says what the sentence says, as far as that can be told without
//! understanding it: its numbers and names are there, most of its words are, and no negation came in
//! or went missing. This refuses some true sentences; it lets through hardly any that were made up.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::question::{is_empty_word, is_negation};
use super::{Embed, Passage};
use crate::cosine;
use crate::sentences::sentences;
use crate::terms::{Form, Language, Token, tokens};

/// A sentence of an answer and the chunks that it cites.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    pub sentence: &'a str,
    pub cites: &'a [Uuid],
}

/// Why a sentence is not supported.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    CitesNothing,
    /// A chunk that was not retrieved for this question.
    CitesUnknown(Uuid),
    /// A number or a name that no cited passage has.
    NotInPassage(String),
    /// The cited text denies what the sentence says, or the other way round.
    NegationDiffers,
    /// The share of the sentence's words that the cited passages have.
    TooFewWords(f32),
}

impl Fault {
    /// Its kind, without any words of the sentence: for logs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CitesNothing => "cites_nothing",
            Self::CitesUnknown(_) => "cites_unknown",
            Self::NotInPassage(_) => "not_in_passage",
            Self::NegationDiffers => "negation_differs",
            Self::TooFewWords(_) => "too_few_words",
        }
    }
}

/// At least this share of the words has to be in the cited passages…
const ENOUGH_WORDS: f32 = 0.6;
/// …or this, when a sentence of theirs means nearly the same.
const ENOUGH_WORDS_OF_LIKE_SENTENCE: f32 = 0.35;
const LIKE: f32 = 0.7;

/// `Ok` when the passages support the claim; else the first fault that was found.
pub fn verify(
    claim: Claim<'_>,
    passages: &[Passage<'_>],
    embed: Option<Embed<'_>>,
) -> Result<(), Fault> {
    if claim.cites.is_empty() {
        return Err(Fault::CitesNothing);
    }
    let find = |id: &Uuid| {
        let passage = passages.iter().find(|passage| passage.chunk_id == *id);
        passage.map(|passage| passage.text).ok_or(Fault::CitesUnknown(*id))
    };
    let cited = claim.cites.iter().map(find).collect::<Result<Vec<&str>, Fault>>()?;
    // The sentence is read in the language of what it cites: it is a paraphrase, or of no use.
    let language = Language::of(cited.first().copied().unwrap_or_default());
    let known: BTreeSet<u64> =
        cited.iter().flat_map(|text| tokens(text)).map(|token| token.term(language)).collect();
    let said: Vec<Token> = tokens(claim.sentence)
        .into_iter()
        .filter(|token| !token.joined && !is_empty_word(token))
        .collect();
    for token in &said {
        let written = &claim.sentence[token.place.clone()];
        // The first word may be one that is a name, too.
        let is_name = written.starts_with(char::is_uppercase);
        let must_be_there = is_name || !matches!(token.form, Form::Word(_));
        if must_be_there && !known.contains(&token.term(language)) {
            return Err(Fault::NotInPassage(written.to_owned()));
        }
    }
    let words: Vec<u64> = said.iter().map(|token| token.term(language)).collect();
    let share = share_of(&words, &known);
    let nearest = nearest_sentence(&words, &cited, language);
    if let Some(nearest) = nearest
        && is_negated(nearest) != is_negated(claim.sentence)
    {
        return Err(Fault::NegationDiffers);
    }
    let is_like = || {
        share >= ENOUGH_WORDS_OF_LIKE_SENTENCE
            && embed.is_some_and(|embed| says_nearly_the_same(claim.sentence, &cited, embed))
    };
    if share >= ENOUGH_WORDS || is_like() { Ok(()) } else { Err(Fault::TooFewWords(share)) }
}

/// None of nothing: "It does not." says something only together with what is before it.
#[expect(clippy::cast_precision_loss, reason = "words of a sentence")]
fn share_of(words: &[u64], known: &BTreeSet<u64>) -> f32 {
    let found = words.iter().filter(|word| known.contains(word)).count();
    found as f32 / words.len().max(1) as f32
}

/// The cited sentence that has the most of the words; `None` when none has any.
fn nearest_sentence<'a>(words: &[u64], cited: &[&'a str], language: Language) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for text in cited {
        for range in sentences(text) {
            let sentence = &text[range];
            let there: BTreeSet<u64> =
                tokens(sentence).iter().map(|token| token.term(language)).collect();
            let count = words.iter().filter(|word| there.contains(word)).count();
            if count > best.map_or(0, |(most, _)| most) {
                best = Some((count, sentence));
            }
        }
    }
    best.map(|(_, sentence)| sentence)
}

fn is_negated(sentence: &str) -> bool {
    let negation = |token: &Token| matches!(&token.form, Form::Word(word) if is_negation(word));
    tokens(sentence).iter().filter(|token| negation(token)).count() % 2 == 1
}

fn says_nearly_the_same(sentence: &str, cited: &[&str], embed: Embed<'_>) -> bool {
    let mut texts = vec![sentence];
    for text in cited {
        texts.extend(sentences(text).into_iter().map(|range| &text[range]));
    }
    let vectors = embed(&texts);
    let Some((said, others)) = vectors.split_first() else { return false };
    others.iter().any(|other| cosine(said, other) >= LIKE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The lease began on 1 March 2021 and runs for 5 years. The tenant, Anna \
                        Smith, may not sublet the flat. Rent is 1,234.50 EUR a month.";

    fn check(sentence: &str) -> Result<(), Fault> {
        let id = Uuid::from_u128(1);
        let passages = [Passage { chunk_id: id, text: TEXT, score: 1.0 }];
        verify(Claim { sentence, cites: &[id] }, &passages, None)
    }

    #[test]
    fn a_name_is_one_at_the_beginning_too_and_no_words_say_nothing() {
        assert_eq!(
            check("Peter may not sublet the flat."),
            Err(Fault::NotInPassage("Peter".into()))
        );
        assert_eq!(check("It does not."), Err(Fault::TooFewWords(0.0)));
    }

    #[test]
    fn what_the_passage_says_is_supported() {
        assert_eq!(check("The lease runs for 5 years, from March 2021."), Ok(()));
        assert_eq!(check("Anna Smith may not sublet the flat."), Ok(()));
        assert_eq!(check("The monthly rent is 1.234,5 EUR."), Ok(()));
    }

    #[test]
    fn what_it_does_not_say_is_not() {
        let not_there = |what: &str| Err(Fault::NotInPassage(what.to_owned()));
        assert_eq!(check("The lease runs for 6 years."), not_there("6"));
        assert_eq!(check("The tenant is Peter Smith."), not_there("Peter"));
        assert_eq!(check("Anna Smith may sublet the flat."), Err(Fault::NegationDiffers));
        let made_up = check("The pets and loud music are welcome in the building.");
        assert!(matches!(made_up, Err(Fault::TooFewWords(_))));
    }

    #[test]
    fn a_citation_has_to_name_a_passage_that_was_retrieved() {
        let stranger = Uuid::from_u128(2);
        let claim = |cites| Claim { sentence: "The lease runs for 5 years.", cites };
        assert_eq!(verify(claim(&[]), &[], None), Err(Fault::CitesNothing));
        assert_eq!(verify(claim(&[stranger]), &[], None), Err(Fault::CitesUnknown(stranger)));
    }

    #[test]
    fn a_like_sentence_lowers_what_the_words_have_to_show() {
        let id = Uuid::from_u128(1);
        let passages = [Passage { chunk_id: id, text: "Rent is due monthly.", score: 1.0 }];
        let claim = Claim { sentence: "payment of rent happens monthly", cites: &[id] };
        let all_alike = |texts: &[&str]| vec![vec![1.0]; texts.len()];
        assert!(verify(claim, &passages, None).is_err());
        assert_eq!(verify(claim, &passages, Some(&all_alike)), Ok(()));
    }
}
