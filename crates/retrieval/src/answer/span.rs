//! Finds the few words of a sentence that are likely the answer.

use std::ops::Range;

use super::passage_tokens::PassageTokens;
use super::question::Question;

/// The maximum length of a span in tokens.
const MAX_TOKENS: usize = 8;

/// Words that are likely the answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    /// Their bytes, within the text of the passage.
    pub(super) bytes: Range<usize>,
    /// How near the words of the question are, from 0 (none in the sentence) to 1 (all adjacent).
    pub(super) nearness: f32,
}

/// The best span of a sentence. When the expected kind of answer can be recognised, the span contains it. `None` when there
/// is no such span, or when the question contains all content words of the sentence.
pub(super) fn span(
    question: &Question,
    reading: &PassageTokens<'_>,
    sentence: usize,
) -> Option<Span> {
    let within = reading.tokens_in(&reading.sentences[sentence]);
    let mut best: Option<(f32, f32, Range<usize>)> = None;
    let mut start = within.start;
    while start < within.end {
        if !reading.is_new(start) {
            start += 1;
            continue;
        }
        let end = run(reading, start, within.end);
        let fits = (start..end).any(|token| reading.fits(token, question.asked));
        if fits || !question.asked.is_recognisable() {
            let near = nearness(question, reading, &(start..end), &within);
            let names = (start..end).any(|token| reading.is_capitalised(token));
            let score = near + if names { NAME_BONUS } else { 0.0 };
            if best.as_ref().is_none_or(|(best, ..)| score > *best) {
                best = Some((score, near, start..end));
            }
        }
        start = end;
    }
    let (_, nearness, tokens) = best?;
    Some(Span { bytes: bytes_of(reading, tokens)?, nearness })
}

/// The bonus for a span with a name.
const NAME_BONUS: f32 = 0.05;

/// The bytes from the first to the last token. Tokens may overlap, so the last one need not end last.
fn bytes_of(reading: &PassageTokens<'_>, tokens: Range<usize>) -> Option<Range<usize>> {
    let places = || reading.tokens[tokens.clone()].iter().map(|token| &token.place);
    let start = places().map(|place| place.start).min()?;
    let end = places().map(|place| place.end).max()?;
    Some(start..end)
}

/// The end of the run of new words from `start`; function words may be between names.
fn run(reading: &PassageTokens<'_>, start: usize, limit: usize) -> usize {
    let mut end = start + 1;
    let mut next = end;
    while next < limit && next < start + MAX_TOKENS {
        let gap = reading.gap_before(next);
        if gap.contains([',', ';', ':', '(', ')', '.', '"', '“', '”', '—', '–', '|']) {
            break;
        }
        if reading.is_new(next) {
            end = next + 1;
        } else if next > end || !is_link(reading, next) {
            break;
        }
        next += 1;
    }
    end
}

fn is_link(reading: &PassageTokens<'_>, token: usize) -> bool {
    matches!(reading.written(token), "of" | "the" | "von" | "de" | "and")
}

/// The share of the question's weight in the sentence, decreasing with the distance from the span.
fn nearness(
    question: &Question,
    reading: &PassageTokens<'_>,
    tokens: &Range<usize>,
    within: &Range<usize>,
) -> f32 {
    let total: f32 = question.contents.iter().map(|content| content.weight).sum();
    let nearest = |term: usize| {
        let places = within.clone().filter(|token| reading.matched[*token] == Some(term));
        let distances = places.map(|token| {
            if token < tokens.start {
                tokens.start - token
            } else {
                (token + 1).saturating_sub(tokens.end)
            }
        });
        distances.min()
    };
    let near: f32 = question
        .contents
        .iter()
        .filter_map(|content| {
            let distance = nearest(content.term)?.max(1);
            #[expect(clippy::cast_precision_loss, reason = "a distance within a sentence")]
            let share = content.weight / (1.0 + DISTANCE_DECAY * (distance - 1) as f32);
            Some(share)
        })
        .sum();
    if total > 0.0 { near / total } else { 0.0 }
}

/// How fast the weight of a word decreases with its distance from the span.
const DISTANCE_DECAY: f32 = 0.3;
