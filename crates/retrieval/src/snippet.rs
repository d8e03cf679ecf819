//! Selects the part of a chunk that best shows why it matches a query.

use std::ops::Range;

use crate::sentences::sentences;
use crate::terms::{Language, QueryTerms, tokens};

/// A part of a text with highlighted query words. Positions are in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Where the snippet begins in the text.
    pub start: usize,
    /// The matching words within the snippet, ascending and disjoint.
    pub highlights: Vec<Range<usize>>,
    /// Whether the text continues before and after the snippet.
    pub cut_before: bool,
    pub cut_after: bool,
}

/// A matching word: its bytes and the index of the query's term.
struct Match {
    place: Range<usize>,
    term: usize,
}

/// The best part of at most `longest` characters: the one with the most different terms of the query, weighted by `weights`
/// (equally without weights), which begins with a sentence where possible and ends at a word.
pub fn snippet(text: &str, terms: &QueryTerms, weights: &[f32], longest: usize) -> Snippet {
    let language = Language::of(text);
    let hits: Vec<Match> = tokens(text)
        .into_iter()
        .filter_map(|token| {
            let term = terms.position_of(token.term(language))?;
            Some(Match { place: token.place, term })
        })
        .collect();
    let starts: Vec<usize> = sentences(text).into_iter().map(|sentence| sentence.start).collect();
    let first_word = starts.first().copied().unwrap_or(0);
    let candidates = starts.iter().copied().chain(hits.iter().map(|hit| hit.place.start));
    let mut best: Option<(f32, usize)> = None;
    for start in candidates {
        let end = cut(text, start, longest);
        let score = score(&hits, weights, &(start..end));
        let begins_sentence = starts.binary_search(&start).is_ok();
        // Ties go to the start of a sentence, then to the earlier one.
        let score = score + if begins_sentence { 0.01 } else { 0.0 };
        if best.is_none_or(|(best, _)| score > best) {
            best = Some((score, start));
        }
    }
    let start = best.map_or(first_word, |(_, start)| start);
    let end = cut(text, start, longest);
    Snippet {
        text: text[start..end].to_owned(),
        start: text[..start].chars().count(),
        highlights: highlights(text, &hits, weights, &(start..end)),
        cut_before: !text[..start].trim().is_empty(),
        cut_after: !text[end..].trim().is_empty(),
    }
}

/// The end of at most `longest` characters from `start`: the end of a sentence when that keeps at least half of them, else
/// the end of a word, else anywhere.
fn cut(text: &str, start: usize, longest: usize) -> usize {
    let rest = &text[start..];
    let Some((room, _)) = rest.char_indices().nth(longest) else {
        return start + rest.trim_end().len();
    };
    let fits = |sentence: &Range<usize>| sentence.end <= room && sentence.end * 2 >= room;
    if let Some(sentence) = sentences(rest).into_iter().rfind(fits) {
        return start + sentence.end;
    }
    // White space right after the limit ends a word within it.
    let with_next = rest[room..].chars().next().map_or(room, |next| room + next.len_utf8());
    match rest[..with_next].rfind(char::is_whitespace) {
        Some(blank) if !rest[..blank].trim().is_empty() => start + rest[..blank].trim_end().len(),
        _ => start + room,
    }
}

fn score(hits: &[Match], weights: &[f32], within: &Range<usize>) -> f32 {
    let mut seen: Vec<usize> = hits
        .iter()
        .filter(|hit| within.start <= hit.place.start && hit.place.end <= within.end)
        .map(|hit| hit.term)
        .collect();
    seen.sort_unstable();
    seen.dedup();
    seen.into_iter().map(|term| weights.get(term).copied().unwrap_or(1.0)).sum()
}

/// Function words ("the", "of") are not highlighted.
fn highlights(
    text: &str,
    hits: &[Match],
    weights: &[f32],
    within: &Range<usize>,
) -> Vec<Range<usize>> {
    const MIN_SHARE: f32 = 0.25;
    let largest = weights.iter().copied().fold(0.0, f32::max);
    let is_significant =
        |hit: &&Match| weights.get(hit.term).is_none_or(|weight| *weight >= largest * MIN_SHARE);
    let mut places: Vec<&Range<usize>> = hits
        .iter()
        .filter(is_significant)
        .map(|hit| &hit.place)
        .filter(|place| within.start <= place.start && place.end <= within.end)
        .collect();
    places.sort_by_key(|place| (place.start, place.end));
    let in_characters = |byte: usize| text[within.start..byte].chars().count();
    let mut highlights: Vec<Range<usize>> = Vec::new();
    for place in places {
        let range = in_characters(place.start)..in_characters(place.end);
        match highlights.last_mut() {
            // A joined form overlaps its parts.
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => highlights.push(range),
        }
    }
    highlights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highlighted(found: &Snippet) -> Vec<String> {
        let part =
            |range: &Range<usize>| found.text.chars().skip(range.start).take(range.len()).collect();
        found.highlights.iter().map(part).collect()
    }

    #[test]
    fn it_shows_the_sentence_with_the_query_words() {
        let text = "Über die Größe wird geschwiegen. Die Rechnung INV-7 der Firma Müller ist offen. \
                    Mehr ist nicht zu sagen.";
        let found = snippet(text, &QueryTerms::of("Rechnungen Mueller INV-7"), &[], 60);
        assert_eq!(found.text, "Die Rechnung INV-7 der Firma Müller ist offen.");
        assert_eq!(highlighted(&found), ["Rechnung", "INV-7", "Müller"]);
        assert_eq!(found.start, 33);
        assert!(found.cut_before && found.cut_after);
    }

    #[test]
    fn function_words_are_not_highlighted() {
        let terms = QueryTerms::of("the lease of 2026");
        let text = "The end of the lease is in 2026.";
        let found = snippet(text, &terms, &[0.1, 3.0, 0.1, 2.5], 60);
        assert_eq!(highlighted(&found), ["lease", "2026"]);
    }

    #[test]
    fn it_is_never_too_long_and_ends_at_a_word() {
        let text = "einhundert zweihundert dreihundert vierhundert fünfhundert";
        for longest in 1..text.chars().count() + 3 {
            let found = snippet(text, &QueryTerms::of("nichts"), &[], longest);
            assert!(found.text.chars().count() <= longest);
            let cut_in_a_word = !text.split(' ').any(|word| found.text.ends_with(word));
            assert!(!cut_in_a_word || longest < 10, "{longest}: {}", found.text);
        }
    }

    #[test]
    fn an_empty_text_has_an_empty_snippet() {
        let found = snippet("  ", &QueryTerms::of("x"), &[], 10);
        assert_eq!((found.text.as_str(), found.cut_before, found.cut_after), ("", false, false));
    }
}
