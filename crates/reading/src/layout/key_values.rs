//! Key-values: a label and what it names.
//!
//! ```text
//! Invoice no.: 4711          a colon within a line
//! Due date        1 May      a gap, then a value
//! Name: │ Rohstoff AG        two cells of a table, the first with a colon
//! Date │ Amount              a table of one row: its headings
//! Delivery address:          a colon at the end, the value on the next line
//! ```

use crate::model::{Cell, KeyValue, Page, Span, Table, Word};

/// A label is no sentence.
const LONGEST_KEY: usize = 6;
const MAX_PAIRS: usize = 5_000;

pub(crate) fn find(page: &mut Page) {
    let mut pairs = Vec::new();
    for table in &page.tables {
        from_table(page, table, &mut pairs);
    }
    let in_pairs = |words: Span, pairs: &[KeyValue]| {
        pairs.iter().any(|pair| overlap(pair.key, words) || overlap(pair.value, words))
    };
    for (index, line) in page.lines.iter().enumerate() {
        if pairs.len() >= MAX_PAIRS {
            break;
        }
        let before = pairs.len();
        let words = line.words.of(&page.words);
        let gap = || words.windows(2).any(|pair| matches!(pair, [a, b] if is_wide(a, b)));
        if !words.iter().any(has_colon) && !gap() || in_pairs(line.words, &pairs) {
            continue;
        }
        from_line(page, line.words, &mut pairs);
        if pairs.len() == before
            && let Some(next) = page.lines.get(index + 1)
        {
            from_two_lines(page, line.words, next.words, &mut pairs);
        }
    }
    pairs.sort_by_key(|pair| (pair.key.from, pair.value.from));
    page.key_values = pairs;
}

fn overlap(a: Span, b: Span) -> bool {
    a.from < b.to && b.from < a.to
}

fn from_table(page: &Page, table: &Table, pairs: &mut Vec<KeyValue>) {
    for row in table.cells.chunk_by(|a, b| a.row == b.row) {
        for pair in row.windows(2) {
            let [key, value] = pair else { continue };
            let words = key.words.of(&page.words);
            if ends_in_colon(words)
                && words.len() <= LONGEST_KEY
                && value.words.from < value.words.to
            {
                pairs.push(KeyValue { key: key.words, value: value.words });
            }
        }
    }
    if table.rows == 2 && table.header_rows == 1 {
        let (headings, values): (Vec<&Cell>, Vec<&Cell>) =
            table.cells.iter().partition(|cell| cell.row == 0);
        for heading in headings {
            let value = values.iter().find(|value| value.column == heading.column);
            if let Some(value) = value
                && heading.words.of(&page.words).len() <= LONGEST_KEY
            {
                pairs.push(KeyValue { key: heading.words, value: value.words });
            }
        }
    }
}

/// Parts of a line that a wide gap ends, or a colon.
fn from_line(page: &Page, line: Span, pairs: &mut Vec<KeyValue>) {
    let words = line.of(&page.words);
    let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
    let mut begin = 0;
    for at in 1..=words.len() {
        // A colon may stand by itself, behind its label.
        let ends = at == words.len()
            || has_colon(&words[at - 1])
            || is_wide(&words[at - 1], &words[at]) && words[at].text != ":";
        if ends {
            parts.push(begin..at);
            begin = at;
        }
    }
    let span = |part: &std::ops::Range<usize>| {
        let from = line.range().start;
        Span::new(from + part.start..from + part.end)
    };
    let mut at = 0;
    while let (Some(key), Some(value)) = (parts.get(at), parts.get(at + 1)) {
        let (key_words, value_words) = (&words[key.clone()], &words[value.clone()]);
        let by_colon = ends_in_colon(key_words) && !ends_in_colon(value_words);
        let by_gap = parts.len() == 2 && is_label(key_words) && has_digit(value_words);
        if key_words.len() <= LONGEST_KEY && (by_colon || by_gap) {
            pairs.push(KeyValue { key: span(key), value: span(value) });
            at += 2;
        } else {
            at += 1;
        }
    }
}

/// A label alone on its line names what begins right below it.
fn from_two_lines(page: &Page, line: Span, next: Span, pairs: &mut Vec<KeyValue>) {
    let (key, value) = (line.of(&page.words), next.of(&page.words));
    let (Some(first), Some(below)) = (key.first(), value.first()) else { return };
    let (Some(upper), Some(lower)) = (first.area, below.area) else { return };
    let close = lower.top >= upper.top && lower.top - upper.bottom < upper.height();
    let aligned = (lower.left - upper.left).abs() < upper.height();
    if ends_in_colon(key)
        && key.len() <= LONGEST_KEY
        && close
        && aligned
        && !value.iter().any(has_colon)
    {
        pairs.push(KeyValue { key: line, value: next });
    }
}

fn ends_in_colon(words: &[Word]) -> bool {
    words.last().is_some_and(has_colon)
}

fn has_colon(word: &Word) -> bool {
    word.text.ends_with([':', '：']) && word.text.chars().any(|c| c.is_alphanumeric() || c == '.')
        || word.text == ":"
}

fn is_wide(left: &Word, right: &Word) -> bool {
    match (left.area, right.area) {
        (Some(left), Some(right)) => {
            right.left - left.right > 1.2 * left.height().min(right.height())
        }
        _ => false,
    }
}

/// A few words without digits that begin with a letter.
fn is_label(words: &[Word]) -> bool {
    words.first().is_some_and(|word| word.text.starts_with(char::is_alphabetic))
        && !has_digit(words)
}

fn has_digit(words: &[Word]) -> bool {
    words.iter().any(|word| word.text.chars().any(char::is_numeric))
}
