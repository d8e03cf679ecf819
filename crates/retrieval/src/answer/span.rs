//! The few words of a sentence that are likely the answer itself.

use std::ops::Range;

use super::question::Question;
use super::reading::Reading;

/// A span has at most this many tokens.
const LONGEST: usize = 8;

/// The bytes of the span, within the text of the passage. `None` when no word of the sentence is new.
pub(super) fn span(
    question: &Question,
    reading: &Reading<'_>,
    sentence: usize,
) -> Option<Range<usize>> {
    let within = reading.tokens_in(&reading.sentences[sentence]);
    let mut best: Option<(f32, Range<usize>)> = None;
    let mut start = within.start;
    while start < within.end {
        if !reading.is_new(start) {
            start += 1;
            continue;
        }
        let end = run(reading, start, within.end);
        let score = score(question, reading, start..end, &within);
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, start..end));
        }
        start = end;
    }
    let (_, tokens) = best?;
    Some(reading.tokens[tokens.start].place.start..reading.tokens[tokens.end - 1].place.end)
}

/// New words from `start` on that nothing separates; small words may stand between names.
fn run(reading: &Reading<'_>, start: usize, limit: usize) -> usize {
    let mut end = start + 1;
    let mut next = end;
    while next < limit && next < start + LONGEST {
        let gap =
            &reading.text[reading.tokens[next - 1].place.end..reading.tokens[next].place.start];
        if gap.contains([',', ';', ':', '(', ')', '.', '"', '“', '”', '—', '–']) {
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

fn is_link(reading: &Reading<'_>, token: usize) -> bool {
    matches!(
        &reading.text[reading.tokens[token].place.clone()],
        "of" | "the" | "von" | "de" | "and"
    )
}

/// The right kind of thing, close to the words of the question.
fn score(
    question: &Question,
    reading: &Reading<'_>,
    tokens: Range<usize>,
    within: &Range<usize>,
) -> f32 {
    let fitting = tokens.clone().filter(|token| reading.fits(*token, question.asked)).count();
    let near = within
        .clone()
        .filter_map(|token| {
            let term = reading.matched[token]?;
            let content = question.contents.iter().find(|content| content.term == term)?;
            let distance = if token < tokens.start {
                tokens.start - token
            } else {
                token.saturating_sub(tokens.end) + 1
            };
            #[expect(clippy::cast_precision_loss, reason = "a distance within a sentence")]
            let share = content.weight / (1.0 + distance as f32);
            Some(share)
        })
        .sum::<f32>();
    let names = tokens.filter(|token| reading.is_capitalised(*token)).count();
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let (fitting, names) = (fitting.min(1) as f32, names.min(1) as f32);
    near + 3.0 * fitting + 0.5 * names
}
