//! The passage of a chunk that shows best why it was found.

use std::ops::Range;

use crate::sentences::sentences;
use crate::terms::{Language, QueryTerms, tokens};

/// A piece of a text with the words that were looked for. Places are counted in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    /// Where the snippet begins in the text.
    pub start: usize,
    /// The words that match, within the snippet; ascending, apart from each other.
    pub highlights: Vec<Range<usize>>,
    /// Whether the text goes on before and after.
    pub cut_before: bool,
    pub cut_after: bool,
}

/// A word that matches: its bytes and which term of the query it is.
struct Hit {
    place: Range<usize>,
    term: usize,
}

/// The best piece of at most `longest` characters: the one with the most different terms of the query,
/// weighed by `weights` (all alike where there are none), beginning with a sentence where one begins
/// near enough, and cut at words.
pub fn snippet(text: &str, terms: &QueryTerms, weights: &[f32], longest: usize) -> Snippet {
    let language = Language::of(text);
    let hits: Vec<Hit> = tokens(text)
        .into_iter()
        .filter_map(|token| {
            let term = terms.position_of(token.term(language))?;
            Some(Hit { place: token.place, term })
        })
        .collect();
    let starts: Vec<usize> = sentences(text).into_iter().map(|sentence| sentence.start).collect();
    let first_word = starts.first().copied().unwrap_or(0);
    let candidates = starts.iter().copied().chain(hits.iter().map(|hit| hit.place.start));
    let mut best: Option<(f32, usize)> = None;
    for start in candidates {
        let end = cut(text, start, longest);
        let worth = worth(&hits, weights, &(start..end));
        let begins_sentence = starts.binary_search(&start).is_ok();
        // A tie goes to a whole sentence, and to the earlier one.
        let worth = worth + if begins_sentence { 0.01 } else { 0.0 };
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, start));
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

/// The end of at most `longest` characters from `start`: of a sentence when that leaves at least half
/// of them, else of a word, and inside a word only when there is no other way.
fn cut(text: &str, start: usize, longest: usize) -> usize {
    let rest = &text[start..];
    let Some((room, _)) = rest.char_indices().nth(longest) else {
        return start + rest.trim_end().len();
    };
    let fits = |sentence: &Range<usize>| sentence.end <= room && sentence.end * 2 >= room;
    if let Some(sentence) = sentences(rest).into_iter().rfind(fits) {
        return start + sentence.end;
    }
    // A blank right behind the room ends a word within it.
    let with_next = rest[room..].chars().next().map_or(room, |next| room + next.len_utf8());
    match rest[..with_next].rfind(char::is_whitespace) {
        Some(blank) if !rest[..blank].trim().is_empty() => start + rest[..blank].trim_end().len(),
        _ => start + room,
    }
}

fn worth(hits: &[Hit], weights: &[f32], within: &Range<usize>) -> f32 {
    let mut seen: Vec<usize> = hits
        .iter()
        .filter(|hit| within.start <= hit.place.start && hit.place.end <= within.end)
        .map(|hit| hit.term)
        .collect();
    seen.sort_unstable();
    seen.dedup();
    seen.into_iter().map(|term| weights.get(term).copied().unwrap_or(1.0)).sum()
}

/// Words that say next to nothing ("the", "of") are not marked: they would drown the others.
fn highlights(
    text: &str,
    hits: &[Hit],
    weights: &[f32],
    within: &Range<usize>,
) -> Vec<Range<usize>> {
    const SAYS_SOMETHING: f32 = 0.25;
    let most = weights.iter().copied().fold(0.0, f32::max);
    let says_something =
        |hit: &&Hit| weights.get(hit.term).is_none_or(|weight| *weight >= most * SAYS_SOMETHING);
    let mut places: Vec<&Range<usize>> = hits
        .iter()
        .filter(says_something)
        .map(|hit| &hit.place)
        .filter(|place| within.start <= place.start && place.end <= within.end)
        .collect();
    places.sort_by_key(|place| (place.start, place.end));
    let in_characters = |byte: usize| text[within.start..byte].chars().count();
    let mut highlights: Vec<Range<usize>> = Vec::new();
    for place in places {
        let range = in_characters(place.start)..in_characters(place.end);
        match highlights.last_mut() {
            // A joined form lies over its parts.
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
    fn it_shows_the_sentence_with_the_words() {
        let text = "Über die Größe wird geschwiegen. Die Rechnung INV-7 der Firma Müller ist offen. \
                    Mehr ist nicht zu sagen.";
        let found = snippet(text, &QueryTerms::of("Rechnungen Mueller INV-7"), &[], 60);
        assert_eq!(found.text, "Die Rechnung INV-7 der Firma Müller ist offen.");
        assert_eq!(highlighted(&found), ["Rechnung", "INV-7", "Müller"]);
        assert_eq!(found.start, 33);
        assert!(found.cut_before && found.cut_after);
    }

    #[test]
    fn words_that_say_nothing_are_not_marked() {
        let terms = QueryTerms::of("the lease of 2026");
        let text = "The end of the lease is in 2026.";
        let found = snippet(text, &terms, &[0.1, 3.0, 0.1, 2.5], 60);
        assert_eq!(highlighted(&found), ["lease", "2026"]);
    }

    #[test]
    fn it_is_never_longer_than_asked_and_cut_between_words() {
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
