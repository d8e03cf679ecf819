//! Key-values: a label and what it names.
//!
//! ```text
//! Invoice no.: 4711          a colon within a line
//! Due date        1 May      a gap, then a value
//! Name: │ Rohstoff AG        two cells of a table, the first with a colon
//! Date │ Amount              a table of one row: its headings
//! Delivery address:          a colon at the end, the value on the next line
//! Date:      Reference:      a row of labels, their values in the row below
//! 1 May      AB-12
//! ```
//!
//! Text that ends in a colon is a label, and a label is never a value.

use std::collections::HashSet;
use std::ops::Range;

use pages::{Area, Cell, KeyValue, Line, Page, Span, Table, Word};

/// The longest label: a sentence is not a label.
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
        if pairs.len() == before {
            from_row_of_labels(page, &page.lines[index..], &mut pairs);
        }
        if pairs.len() == before
            && let Some(next) = page.lines.get(index + 1)
        {
            from_two_lines(page, line.words, next.words, &mut pairs);
        }
    }
    drop_contradictions(page, &mut pairs);
    pairs.sort_by_key(|pair| (pair.key.from, pair.value.from));
    page.key_values = pairs;
}

/// The value of one pair must not be the label of another. A colon decides; without one, a label that has a value itself
/// is not a value.
fn drop_contradictions(page: &Page, pairs: &mut Vec<KeyValue>) {
    let has_colon = |pair: &KeyValue| ends_in_colon(pair.key.of(&page.words));
    let place = |words: Span| (words.from, words.to);
    let sure = pairs.iter().filter(|pair| has_colon(pair));
    let sure: HashSet<_> = sure.map(|pair| place(pair.value)).collect();
    pairs.retain(|pair| has_colon(pair) || !sure.contains(&place(pair.key)));
    let keys: HashSet<_> = pairs.iter().map(|pair| place(pair.key)).collect();
    pairs.retain(|pair| !keys.contains(&place(pair.value)));
}

fn overlap(a: Span, b: Span) -> bool {
    a.from < b.to && b.from < a.to
}

fn from_table(page: &Page, table: &Table, pairs: &mut Vec<KeyValue>) {
    let rows: Vec<&[Cell]> = table.cells.chunk_by(|a, b| a.row == b.row).collect();
    for (at, row) in rows.iter().enumerate() {
        for pair in row.windows(2) {
            let [key, value] = pair else { continue };
            if is_label_cell(page, key)
                && let Some(value) = value_of(page, value.words)
            {
                pairs.push(KeyValue { key: key.words, value });
            }
        }
        let below = rows.get(at + 1).filter(|below| below[0].row == row[0].row + 1);
        if let Some(below) = below
            && row.len() > 1
            && row.iter().all(|cell| is_label_cell(page, cell))
        {
            by_columns(page, row, below, pairs);
        }
    }
    if let [headings, values] = rows[..]
        && table.rows == 2
        && table.header_rows == 1
        && !headings.iter().all(|cell| is_label_cell(page, cell))
    {
        by_columns(page, headings, values, pairs);
    }
}

/// Headings, and the text directly below each.
fn by_columns(page: &Page, headings: &[Cell], values: &[Cell], pairs: &mut Vec<KeyValue>) {
    for heading in headings {
        let value = values.iter().find(|value| value.column == heading.column);
        if let Some(value) = value
            && heading.words.of(&page.words).len() <= LONGEST_KEY
            && let Some(value) = value_of(page, value.words)
        {
            pairs.push(KeyValue { key: heading.words, value });
        }
    }
}

fn is_label_cell(page: &Page, cell: &Cell) -> bool {
    let words = cell.words.of(&page.words);
    ends_in_colon(words) && words.len() <= LONGEST_KEY
}

/// The value in a cell beside or below a label, without a label at its end, which belongs to the next value. `None` when
/// nothing else is left.
fn value_of(page: &Page, cell: Span) -> Option<Span> {
    let words = cell.of(&page.words);
    if !ends_in_colon(words) {
        return (!words.is_empty()).then_some(cell);
    }
    let ends = |a: &Word, b: &Word| is_wide(a, b) || is_below(a, b);
    let mut parts = parts_where(words, ends);
    while parts.last().is_some_and(|part| ends_in_colon(&words[part.clone()])) {
        let label = parts.pop()?;
        if let (true, Some(number)) = (parts.is_empty(), number_before(&words[label])) {
            parts.push(0..number);
        }
    }
    parts.last().map(|last| span_within(cell, &(0..last.end)))
}

/// The parts of a line, separated by wide gaps or colons.
fn from_line(page: &Page, line: Span, pairs: &mut Vec<KeyValue>) {
    let words = line.of(&page.words);
    let parts = parts_of(words);
    let span = |part: &Range<usize>| span_within(line, part);
    let mut at = 0;
    while let (Some(key), Some(value)) = (parts.get(at), parts.get(at + 1)) {
        let (key_words, value_words) = (&words[key.clone()], &words[value.clone()]);
        let by_colon = ends_in_colon(key_words) && !ends_in_colon(value_words);
        let by_gap = parts.len() == 2
            && is_label(key_words)
            && has_digit(value_words)
            && !ends_in_colon(value_words);
        if key_words.len() <= LONGEST_KEY && (by_colon || by_gap) {
            pairs.push(KeyValue { key: span(key), value: span(value) });
            at += 2;
        } else {
            at += 1;
        }
    }
}

/// Text up to a wide gap or a colon. A number directly after a label is its value, and the text up to the next colon is
/// the next label.
fn parts_of(words: &[Word]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for part in parts_where(words, is_wide) {
        let is_behind_label = parts.last().is_some_and(|last| ends_in_colon(&words[last.clone()]));
        match number_before(&words[part.clone()]).filter(|_| is_behind_label) {
            Some(number) => {
                parts.extend([part.start..part.start + number, part.start + number..part.end]);
            }
            None => parts.push(part),
        }
    }
    parts
}

fn parts_where(words: &[Word], ends: impl Fn(&Word, &Word) -> bool) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for at in 1..=words.len() {
        // A colon may be a word of its own, after its label.
        let is_end = at == words.len()
            || has_colon(&words[at - 1])
            || ends(&words[at - 1], &words[at]) && words[at].text != ":";
        if is_end {
            parts.push(begin..at);
            begin = at;
        }
    }
    parts
}

/// The number of words at the beginning that form a number before a label: two in `19,00 % Discount:`.
fn number_before(words: &[Word]) -> Option<usize> {
    let (last, before) = words.split_last()?;
    let label = if last.text == ":" { before.split_last()?.1 } else { before };
    let is_number = |word: &Word| has_digit(std::slice::from_ref(word));
    if !ends_in_colon(words) || !is_number(words.first()?) {
        return None;
    }
    let digits = label.iter().rposition(is_number)? + 1;
    let signs = label[digits..].iter().take_while(|word| is_sign(word)).count();
    Some(digits + signs)
}

/// A percent or currency sign.
fn is_sign(word: &Word) -> bool {
    !word.text.chars().any(char::is_alphanumeric)
}

fn span_within(words: Span, part: &Range<usize>) -> Span {
    let from = words.range().start;
    Span::new(from + part.start..from + part.end)
}

/// A row of labels only: each belongs to the text below it in the next row.
fn from_row_of_labels(page: &Page, lines: &[Line], pairs: &mut Vec<KeyValue>) {
    let (row, rest) = row_of(page, lines);
    let labels = placed_parts(page, row);
    let is_label = |part: Span| {
        let words = part.of(&page.words);
        ends_in_colon(words) && words.len() <= LONGEST_KEY
    };
    let (Some((_, first)), true) = (labels.first(), labels.len() > 1) else { return };
    if !labels.iter().all(|(label, _)| is_label(*label)) {
        return;
    }
    let values = placed_parts(page, row_of(page, rest).0);
    let is_close = |area: &Area| {
        area.top >= first.bottom - first.height() / 2.0 && area.top - first.bottom < first.height()
    };
    if values.iter().any(|(value, area)| ends_in_colon(value.of(&page.words)) || !is_close(area)) {
        return;
    }
    for (at, (label, area)) in labels.iter().enumerate() {
        let slack = area.height();
        let end = labels.get(at + 1).map_or(f32::INFINITY, |(_, next)| next.left - slack);
        let is_under =
            |(_, value): &&(Span, Area)| value.left >= area.left - slack && value.left < end;
        if let Some((value, _)) = values.iter().find(is_under) {
            pairs.push(KeyValue { key: *label, value: *value });
        }
    }
}

/// The first lines that are side by side, and the lines after them.
fn row_of<'p>(page: &Page, lines: &'p [Line]) -> (&'p [Line], &'p [Line]) {
    let top = |line: &Line| line.words.of(&page.words).first().and_then(|word| word.area);
    let is_beside = |line: &&Line| match (lines.first().and_then(top), top(line)) {
        (Some(first), Some(area)) => (area.top - first.top).abs() < first.height() / 2.0,
        _ => false,
    };
    lines.split_at(lines.iter().take_while(is_beside).count())
}

/// The parts of lines that are side by side, from left to right, with the position of their first words.
fn placed_parts(page: &Page, row: &[Line]) -> Vec<(Span, Area)> {
    let mut placed = Vec::new();
    for line in row {
        let words = line.words.of(&page.words);
        for part in parts_of(words) {
            if let Some(area) = words[part.start].area {
                placed.push((span_within(line.words, &part), area));
            }
        }
    }
    placed.sort_by(|(_, a), (_, b)| a.left.total_cmp(&b.left));
    placed
}

/// A label alone on its line belongs to the text directly below it.
fn from_two_lines(page: &Page, line: Span, next: Span, pairs: &mut Vec<KeyValue>) {
    let (key, value) = (line.of(&page.words), next.of(&page.words));
    let (Some(first), Some(below)) = (key.first(), value.first()) else { return };
    let (Some(upper), Some(lower)) = (first.area, below.area) else { return };
    let close = lower.top >= upper.top && lower.top - upper.bottom < upper.height();
    let aligned = (lower.left - upper.left).abs() < upper.height();
    if ends_in_colon(key)
        && key.len() <= LONGEST_KEY
        && parts_of(key).len() == 1
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

/// Whether a word begins a line.
fn is_below(upper: &Word, lower: &Word) -> bool {
    match (upper.area, lower.area) {
        (Some(upper), Some(lower)) => lower.top > upper.bottom - upper.height() / 4.0,
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
