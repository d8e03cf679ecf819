//! Verifies that the passages support what a language model wrote.
//!
//! A sentence is *supported* if, and only if, it cites a passage, every cited passage was retrieved, and the cited text
//! contains the content of the sentence as far as a lexical check can tell: all its numbers and names, most of its words, and
//! the same negation. This rejects some true sentences, and accepts hardly any invented ones.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::question::{is_function_word, is_negation};
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
    /// A number or a name that no cited passage contains.
    NotInPassage(String),
    /// Either the sentence or the cited text is negated, but not both.
    NegationDiffers,
    /// The share of the sentence's words that the cited passages contain.
    TooFewWords(f32),
}

impl Fault {
    /// Its kind for logs, without any text of the sentence.
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

/// The share of the words that must be in the cited passages…
const MIN_SHARE: f32 = 0.6;
/// …or this share, when one of their sentences has a similar vector.
const MIN_SHARE_OF_SIMILAR_SENTENCE: f32 = 0.35;
const SIMILAR: f32 = 0.7;

/// `Ok` when the passages support the claim; otherwise the first fault.
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
    // A supported sentence is a paraphrase, so it is tokenised in the language of the cited text.
    let language = Language::of(cited.first().copied().unwrap_or_default());
    let known: BTreeSet<u64> =
        cited.iter().flat_map(|text| tokens(text)).map(|token| token.term(language)).collect();
    let claimed: Vec<Token> = tokens(claim.sentence)
        .into_iter()
        .filter(|token| !token.joined && !is_function_word(token))
        .collect();
    for token in &claimed {
        let written = &claim.sentence[token.place.clone()];
        // The first word counts as a name as well.
        let is_name = written.starts_with(char::is_uppercase);
        let is_required = is_name || !matches!(token.form, Form::Word(_));
        if is_required && !known.contains(&token.term(language)) {
            return Err(Fault::NotInPassage(written.to_owned()));
        }
    }
    let words: Vec<u64> = claimed.iter().map(|token| token.term(language)).collect();
    let share = share_of(&words, &known);
    let nearest = nearest_sentence(&words, &cited, language);
    if let Some(nearest) = nearest
        && is_negated(nearest) != is_negated(claim.sentence)
    {
        return Err(Fault::NegationDiffers);
    }
    let is_similar = || {
        share >= MIN_SHARE_OF_SIMILAR_SENTENCE
            && embed.is_some_and(|embed| has_similar_sentence(claim.sentence, &cited, embed))
    };
    if share >= MIN_SHARE || is_similar() { Ok(()) } else { Err(Fault::TooFewWords(share)) }
}

/// 0 for a sentence without content words, such as "It does not."
#[expect(clippy::cast_precision_loss, reason = "words of a sentence")]
fn share_of(words: &[u64], known: &BTreeSet<u64>) -> f32 {
    let found = words.iter().filter(|word| known.contains(word)).count();
    found as f32 / words.len().max(1) as f32
}

/// The cited sentence with the most of the words; `None` when none has any.
fn nearest_sentence<'a>(words: &[u64], cited: &[&'a str], language: Language) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for text in cited {
        for range in sentences(text) {
            let sentence = &text[range];
            let present: BTreeSet<u64> =
                tokens(sentence).iter().map(|token| token.term(language)).collect();
            let count = words.iter().filter(|word| present.contains(word)).count();
            if count > best.map_or(0, |(best, _)| best) {
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

fn has_similar_sentence(sentence: &str, cited: &[&str], embed: Embed<'_>) -> bool {
    let mut texts = vec![sentence];
    for text in cited {
        texts.extend(sentences(text).into_iter().map(|range| &text[range]));
    }
    let vectors = embed(&texts);
    let Some((claimed, others)) = vectors.split_first() else { return false };
    others.iter().any(|other| cosine(claimed, other) >= SIMILAR)
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
    fn a_leading_name_is_checked_and_a_sentence_without_content_is_refused() {
        assert_eq!(
            check("Peter may not sublet the flat."),
            Err(Fault::NotInPassage("Peter".into()))
        );
        assert_eq!(check("It does not."), Err(Fault::TooFewWords(0.0)));
    }

    #[test]
    fn a_paraphrase_of_the_passage_is_supported() {
        assert_eq!(check("The lease runs for 5 years, from March 2021."), Ok(()));
        assert_eq!(check("Anna Smith may not sublet the flat."), Ok(()));
        assert_eq!(check("The monthly rent is 1.234,5 EUR."), Ok(()));
    }

    #[test]
    fn other_numbers_names_negations_and_words_are_not_supported() {
        let not_in_passage = |what: &str| Err(Fault::NotInPassage(what.to_owned()));
        assert_eq!(check("The lease runs for 6 years."), not_in_passage("6"));
        assert_eq!(check("The tenant is Peter Smith."), not_in_passage("Peter"));
        assert_eq!(check("Anna Smith may sublet the flat."), Err(Fault::NegationDiffers));
        let made_up = check("The pets and loud music are welcome in the building.");
        assert!(matches!(made_up, Err(Fault::TooFewWords(_))));
    }

    #[test]
    fn a_citation_must_name_a_retrieved_passage() {
        let unknown = Uuid::from_u128(2);
        let claim = |cites| Claim { sentence: "The lease runs for 5 years.", cites };
        assert_eq!(verify(claim(&[]), &[], None), Err(Fault::CitesNothing));
        assert_eq!(verify(claim(&[unknown]), &[], None), Err(Fault::CitesUnknown(unknown)));
    }

    #[test]
    fn a_similar_sentence_lowers_the_required_share_of_words() {
        let id = Uuid::from_u128(1);
        let passages = [Passage { chunk_id: id, text: "Rent is due monthly.", score: 1.0 }];
        let claim = Claim { sentence: "payment of rent happens monthly", cites: &[id] };
        let identical = |texts: &[&str]| vec![vec![1.0]; texts.len()];
        assert!(verify(claim, &passages, None).is_err());
        assert_eq!(verify(claim, &passages, Some(&identical)), Ok(()));
    }
}
