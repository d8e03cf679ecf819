//! Aligns the words of two engines.
//!
//! Engines divide the same characters differently into words, so characters are aligned first, without spaces,
//! by the fewest edits. A *piece* then reaches from one place where both have a gap between words to the next.

use pages::Word;

use crate::ocr::pp::ReadWord;

/// Words of both engines for the same stretch of a line; one side may have none.
#[derive(Debug)]
pub(super) struct Piece<'a, 'b> {
    pub(super) pp: &'a [ReadWord],
    pub(super) tesseract: &'b [&'b Word],
}

/// Longer lines are not aligned: no page has them, and the work grows with the square.
const LONGEST_LINE: usize = 1_000;

pub(super) fn align<'a, 'b>(pp: &'a [ReadWord], tesseract: &'b [&'b Word]) -> Vec<Piece<'a, 'b>> {
    let (left, left_gaps) = characters(pp.iter().map(|word| word.text.as_str()));
    let (right, right_gaps) = characters(tesseract.iter().map(|word| word.text.as_str()));
    if left.len() > LONGEST_LINE || right.len() > LONGEST_LINE {
        return vec![Piece { pp, tesseract: &[] }];
    }
    let mut pieces = Vec::new();
    let (mut from_left, mut from_right) = (0, 0);
    for (at_left, at_right) in path(&left, &right) {
        // A gap after so many words lies at so many characters; two words never end at the same place.
        let words_left = left_gaps.binary_search(&at_left).map(|index| index + 1);
        let words_right = right_gaps.binary_search(&at_right).map(|index| index + 1);
        let (Ok(to_left), Ok(to_right)) = (words_left, words_right) else { continue };
        if to_left > from_left && to_right > from_right {
            pieces.push(Piece {
                pp: &pp[from_left..to_left],
                tesseract: &tesseract[from_right..to_right],
            });
            (from_left, from_right) = (to_left, to_right);
        }
    }
    if from_left < pp.len() || from_right < tesseract.len() {
        pieces.push(Piece { pp: &pp[from_left..], tesseract: &tesseract[from_right..] });
    }
    pieces
}

/// All characters in a row, and after how many of them a word ends.
fn characters<'a>(words: impl Iterator<Item = &'a str>) -> (Vec<char>, Vec<usize>) {
    let mut all = Vec::new();
    let mut ends = Vec::new();
    for word in words {
        all.extend(word.chars().filter(|character| !character.is_whitespace()));
        ends.push(all.len());
    }
    (all, ends)
}

/// The places that the alignment with the fewest edits goes through, from the beginning to the end.
fn path(left: &[char], right: &[char]) -> Vec<(usize, usize)> {
    let width = right.len() + 1;
    let mut edits = vec![0_u32; (left.len() + 1) * width];
    for row in 0..=left.len() {
        for column in 0..=right.len() {
            edits[row * width + column] = match (row, column) {
                (0, other) | (other, 0) => u32::try_from(other).unwrap_or(u32::MAX),
                _ => {
                    let changed = u32::from(left[row - 1] != right[column - 1]);
                    let diagonal = edits[(row - 1) * width + column - 1] + changed;
                    let above = edits[(row - 1) * width + column] + 1;
                    diagonal.min(above).min(edits[row * width + column - 1] + 1)
                }
            };
        }
    }
    let mut places = vec![(left.len(), right.len())];
    let (mut row, mut column) = (left.len(), right.len());
    while row > 0 || column > 0 {
        let here = edits[row * width + column];
        let fits =
            |row: usize, column: usize, cost: u32| edits[row * width + column] + cost == here;
        let same = row > 0 && column > 0 && left[row - 1] == right[column - 1];
        if row > 0 && column > 0 && fits(row - 1, column - 1, u32::from(!same)) {
            (row, column) = (row - 1, column - 1);
        } else if row > 0 && fits(row - 1, column, 1) {
            row -= 1;
        } else {
            column -= 1;
        }
        places.push((row, column));
    }
    places.reverse();
    places
}
