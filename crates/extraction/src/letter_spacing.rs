//! Joins letters that a file places one by one: `K u r s` and `1 2 3 , 4 5`.
//!
//! Some files space the letters of headings and columns, so that each letter becomes a word. A row with many words of one
//! or two letters is read again: letters are joined where the gap is like that within the run, and split where a number
//! follows letters.

use std::borrow::Cow;

use pages::{Area, Confidence, Page, Span, Word};

/// The fewest words of one or two letters that make a run.
const SHORTEST_RUN: usize = 4;

/// The page with letter-spaced runs joined; tables, key-values and blocks refer to the joined words.
pub fn join(page: &Page) -> Cow<'_, Page> {
    let runs: Vec<Vec<usize>> = page.lines.iter().flat_map(|line| runs(page, line.words)).collect();
    if runs.is_empty() {
        return Cow::Borrowed(page);
    }
    let mut starts = vec![true; page.words.len()];
    for run in &runs {
        for &word in run {
            starts[word] = false;
        }
    }
    let mut joined = Page { words: Vec::new(), ..page.clone() };
    // For each word the index of the word that it became a part of.
    let mut places = Vec::with_capacity(page.words.len() + 1);
    for (at, word) in page.words.iter().enumerate() {
        match joined.words.last_mut() {
            Some(last) if !starts[at] => append(last, word),
            _ => joined.words.push(word.clone()),
        }
        places.push(u32::try_from(joined.words.len() - 1).unwrap_or(u32::MAX));
    }
    let map = |span: &mut Span| {
        let Some(last) = span.to.checked_sub(1).filter(|last| *last >= span.from) else { return };
        let ends = (places.get(span.from as usize), places.get(last as usize));
        if let (Some(from), Some(to)) = ends {
            *span = Span { from: *from, to: to + 1 };
        }
    };
    joined.lines.iter_mut().for_each(|line| map(&mut line.words));
    joined
        .tables
        .iter_mut()
        .flat_map(|table| &mut table.cells)
        .for_each(|cell| map(&mut cell.words));
    for pair in &mut joined.key_values {
        map(&mut pair.key);
        map(&mut pair.value);
    }
    Cow::Owned(joined)
}

fn append(word: &mut Word, more: &Word) {
    word.text.push_str(&more.text);
    word.area = word.area.zip(more.area).map(|(all, area)| all.around(&area));
    word.confidence = Confidence(word.confidence.0.min(more.confidence.0));
    word.other = None;
}

/// The words of a line that continue the word before them.
fn runs(page: &Page, span: Span) -> Vec<Vec<usize>> {
    let words = span.of(&page.words);
    let first = span.from as usize;
    let mut runs = Vec::new();
    let mut from = 0;
    while from < words.len() {
        let length = words[from..].iter().take_while(|word| is_short(&word.text)).count();
        if length >= SHORTEST_RUN && has_single_letters(&words[from..from + length]) {
            let continued: Vec<usize> = (from + 1..from + length)
                .filter(|&at| continues(&words[at - 1], &words[at]))
                .map(|at| first + at)
                .collect();
            if !continued.is_empty() {
                runs.push(continued);
            }
        }
        from += length.max(1);
    }
    runs
}

fn is_short(text: &str) -> bool {
    let letters = text.chars().count();
    letters <= 2 || (letters == 3 && text.chars().any(|c| matches!(c, '.' | ',' | '-')))
}

/// At least half of the words are one letter: initials and list marks are fewer.
fn has_single_letters(words: &[Word]) -> bool {
    let single = words.iter().filter(|word| word.text.chars().count() == 1).count();
    single * 2 >= words.len() && single >= SHORTEST_RUN - 1
}

fn continues(left: &Word, right: &Word) -> bool {
    let (Some(first), Some(second)) = (left.text.chars().last(), right.text.chars().next()) else {
        return false;
    };
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    // `STK 4,000` and `per 24.12.2012` are letter-spaced as a whole; a code has letters and digits.
    let changes = first.is_lowercase() && second.is_ascii_digit()
        || first == ':'
        || (number(first) && second.is_lowercase());
    !changes && is_near(left.area, right.area)
}

fn is_near(left: Option<Area>, right: Option<Area>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return true };
    right.left - left.right <= left.height().max(right.height()) * 1.6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::page_of_rows;

    fn joined(row: &str) -> Vec<String> {
        let page = page_of_rows(&[row]);
        join(&page).words.iter().map(|word| word.text.clone()).collect()
    }

    #[test]
    fn letters_and_digits_are_joined() {
        assert_eq!(joined("B r u t t o : USD 1 2 3 , 4 5"), ["Brutto:", "USD", "123,45"]);
        assert_eq!(joined("z a h l b a r 1 8 . 0 6 . 2 0 1 5"), ["zahlbar", "18.06.2015"]);
        assert_eq!(joined("U S 8 7 2 5 9 0 1 0 4 0"), ["US8725901040"]);
    }

    #[test]
    fn ordinary_words_stay() {
        assert_eq!(joined("zu 5 % bis 7 %"), ["zu", "5", "%", "bis", "7", "%"]);
        assert_eq!(joined("am 1. 2. 2020 in Ulm"), ["am", "1.", "2.", "2020", "in", "Ulm"]);
    }

    #[test]
    fn lines_refer_to_the_joined_words() {
        let page = page_of_rows(&["K u r s 5,00", "Wert 6,00"]);
        let page = join(&page);
        assert_eq!(page.text_of(page.lines[0].words), "Kurs 5,00");
        assert_eq!(page.text_of(page.lines[1].words), "Wert 6,00");
    }
}
