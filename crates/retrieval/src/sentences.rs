//! Splits a text into sentences.

use std::ops::Range;

/// Abbreviations, folded, after which a full stop does not end a sentence.
const ABBREVIATIONS: [&str; 44] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "inc", "ltd", "co", "corp", "vs", "etc",
    "no", "nos", "vol", "fig", "sec", "art", "approx", "dept", "est", "jan", "feb", "aug", "sept",
    "sep", "oct", "nov", "dec", "nr", "bzw", "ca", "str", "tel", "abs", "ggf", "evtl", "inkl",
    "zzgl", "usw", "cf", "gen",
];

/// The sentences of a text, without surrounding white space. A blank line and a bullet end a sentence as well.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let ends = match letter {
            '.' | '!' | '?' | '…' => {
                // Closing quotation marks and brackets belong to the sentence.
                let rest = &text[end..];
                let after = rest.trim_start_matches(['"', '\'', '”', '’', ')', ']', '»']);
                let closed = end + rest.len() - after.len();
                ends_sentence(&text[start..at], letter, after).then_some(closed)
            }
            '。' | '！' | '？' => Some(end),
            '\n' if starts_block(&text[end..]) => Some(end),
            _ => None,
        };
        if let Some(end) = ends.filter(|end| *end > start) {
            push_trimmed(text, start..end, &mut sentences);
            start = end;
            while letters.peek().is_some_and(|(at, _)| *at < end) {
                letters.next();
            }
        }
    }
    push_trimmed(text, start..text.len(), &mut sentences);
    sentences
}

fn push_trimmed(text: &str, range: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    let end = start + part.trim().len();
    if start < end {
        sentences.push(start..end);
    }
}

fn ends_sentence(before: &str, stop: char, after: &str) -> bool {
    let Some(next) = after.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    let following = after.trim_start().chars().next();
    if following.is_some_and(char::is_lowercase) {
        return false;
    }
    if stop != '.' {
        return true;
    }
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let is_dotted =
        word.contains('.') && word.len() <= 6 && !word.contains(|c: char| c.is_ascii_digit());
    // `am 3. Mai` and `1. Purpose`.
    let is_ordinal =
        word.len() <= 2 && !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    !(is_initial
        || is_dotted
        || is_ordinal
        || ABBREVIATIONS.contains(&word.to_lowercase().as_str()))
}

/// Whether a blank line, a heading or a list item follows.
fn starts_block(after: &str) -> bool {
    let line = after.trim_start_matches([' ', '\t']);
    line.starts_with(['\n', '\r', '-', '*', '•', '#', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn abbreviations_initials_and_numbers_do_not_end_a_sentence() {
        let text = "Dr. J. Smith paid 1.5 million on the 3. May, i.e. late. \"Really?\" It was so.";
        let expected = [
            "Dr. J. Smith paid 1.5 million on the 3. May, i.e. late.",
            "\"Really?\"",
            "It was so.",
        ];
        assert_eq!(parts(text), expected);
    }

    #[test]
    fn blocks_end_a_sentence() {
        assert_eq!(
            parts("Terms\n\nPayment is due\nin 30 days\n- cash\n"),
            ["Terms", "Payment is due\nin 30 days", "- cash"]
        );
    }

    #[test]
    fn only_white_space_is_lost() {
        let text = " a. B! c? D… «E.» f。g ";
        let kept: String = parts(text).concat().split_whitespace().collect();
        assert_eq!(kept, text.split_whitespace().collect::<String>());
    }
}
