//! Splits a text that is too long: at the ends of sentences, else between words, else between characters.

use super::size::Ruler;

/// Splits the text into parts of about the same size, none larger than `most`.
pub(super) fn cut<'t>(text: &'t str, most: usize, ruler: Ruler) -> Vec<&'t str> {
    let mut segments = Vec::new();
    for sentence in sentences(text) {
        let size = ruler.size(sentence);
        if size <= most {
            segments.push((sentence, size));
        } else {
            words(sentence).for_each(|word| push_word(word, most, ruler, &mut segments));
        }
    }
    join(text, &segments, most)
}

fn push_word<'t>(word: &'t str, most: usize, ruler: Ruler, segments: &mut Vec<(&'t str, usize)>) {
    let size = ruler.size(word);
    if size <= most || word.chars().nth(1).is_none() {
        segments.push((word, size));
        return;
    }
    let middle = word.floor_char_boundary(word.len() / 2).max(first_boundary(word));
    let (left, right) = word.split_at(middle);
    push_word(left, most, ruler, segments);
    push_word(right, most, ruler, segments);
}

fn first_boundary(word: &str) -> usize {
    word.chars().next().map_or(0, char::len_utf8)
}

/// Joins neighbours up to an equal share of the total size.
fn join<'t>(text: &'t str, segments: &[(&'t str, usize)], most: usize) -> Vec<&'t str> {
    let total: usize = segments.iter().map(|(_, size)| size).sum();
    let share = total.div_ceil(total.div_ceil(most).max(1));
    let mut parts = Vec::new();
    let (mut start, mut end, mut size) = (0, 0, 0);
    for (segment, more) in segments {
        // A part may exceed its share, but not the maximum.
        let full = size >= share || size + more > most;
        if full && end > start {
            parts.push(&text[start..end]);
            (start, size) = (end, 0);
        }
        end += segment.len();
        size += more;
    }
    parts.push(&text[start..]);
    parts
}

/// The sentences of the text, each with the space after it.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let starts = crate::sentences::sentences(text).into_iter().skip(1).map(|range| range.start);
    let mut start = 0;
    starts.chain([text.len()]).filter_map(move |end| {
        let sentence = &text[start..end];
        start = end;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// The words of the text, each with the space after it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let space =
            rest[word..].find(|next: char| !next.is_whitespace()).unwrap_or(rest.len() - word);
        let (word, after) = rest.split_at(word + space);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences_of(text: &str) -> Vec<&str> {
        sentences(text).collect()
    }

    #[test]
    fn sentences_keep_the_space_around_them() {
        assert_eq!(
            sentences_of(" He left. (She did not.)  \"Why?\"\n\nNo. 5 is empty… "),
            [" He left. ", "(She did not.)  ", "\"Why?\"\n\n", "No. 5 is empty… "]
        );
        assert_eq!(sentences_of("一。二。"), ["一。", "二。"]);
        assert_eq!(sentences_of(" "), [" "]);
        assert_eq!(sentences_of(""), Vec::<&str>::new());
    }

    #[test]
    fn parts_are_complete_and_about_equal() {
        let text = "One two three four. ".repeat(30);
        let count = |text: &str| text.split_whitespace().count();
        let parts = cut(&text, 50, Ruler::new(&count));
        assert_eq!(parts.concat(), text);
        let sizes: Vec<usize> = parts.iter().map(|part| count(part)).collect();
        assert_eq!(sizes, [40, 40, 40]);
    }

    #[test]
    fn a_very_long_word_is_split_between_characters() {
        let text = "ä".repeat(100_000);
        let parts = cut(&text, 500, Ruler::new(&|_| 1));
        assert_eq!(parts.concat(), text);
        assert!(parts.iter().all(|part| part.chars().count() <= 4000));
        assert!(parts.len() <= 40, "{}", parts.len());
    }
}
