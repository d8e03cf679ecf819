//! Two engines read the same picture; this makes one text of it.
//!
//! The second engine's lines are the frame, because it misses little and invents less. The words that Tesseract
//! found in the place of a line are set against it character by character. Where both say the same, the word is
//! *agreed*. Where they differ, the second engine is kept and the other reading goes along, unless Tesseract is
//! sure and the second engine is not. What Tesseract alone has seen is mostly dirt, so it needs to look like
//! writing to be kept.
//!
//! A word is *accepted* when its confidence is at least [`ACCEPTED`]: nobody needs to look at it again.

mod alignment;

use self::alignment::{Piece, align};
use super::policy::{Plan, line_that_holds};
use super::pp::{Quad, ReadLine, ReadWord};
use super::reading_order;
use crate::model::{Area, Confidence, Origin, Reading, Word};

/// Words at or above it are right in at least 98 of 100 cases; `bench-reading scans` measures it.
pub const ACCEPTED: Confidence = Confidence(90);

/// Below [`ACCEPTED`], however sure one engine is: the other one contradicts or sees nothing.
const MOST_FOR_ONE_ENGINE: u8 = 89;
/// Tesseract alone must be as sure as this.
const SURE_ALONE: u8 = 85;

/// One text of what the engines read. In rows from top to bottom, each from left to right; areas as they came.
///
/// With one engine its text stands alone. With none there is no text.
pub fn join(tesseract: Option<&[Word]>, pp: Option<&[ReadLine]>) -> Vec<Word> {
    match (tesseract, pp) {
        (None, None) => Vec::new(),
        (Some(words), None) => words.iter().filter_map(by_tesseract_only).collect(),
        (tesseract, Some(lines)) => reading_order(join_lines(tesseract.unwrap_or_default(), lines)),
    }
}

/// The same when the second engine was only asked where Tesseract was not sure.
pub fn join_by_plan(plan: &Plan, pp: &[ReadLine]) -> Vec<Word> {
    let mut stretches = join_lines(&plan.rest, pp);
    for (place, word) in &plan.settled {
        stretches.push((*place, vec![settled(word)]));
    }
    reading_order(stretches)
}

/// Joined stretches of text, each with its place.
fn join_lines(tesseract: &[Word], lines: &[ReadLine]) -> Vec<(Area, Vec<Word>)> {
    let quads: Vec<Quad> = lines.iter().map(|line| line.quad).collect();
    let mut of_line: Vec<Vec<&Word>> = vec![Vec::new(); lines.len()];
    let mut outside = Vec::new();
    for word in tesseract {
        match word.area.and_then(|area| line_that_holds(&area, &quads)) {
            Some(line) => of_line[line].push(word),
            None => outside.push(word),
        }
    }
    let mut stretches: Vec<(Area, Vec<Word>)> = Vec::with_capacity(lines.len());
    for (line, mut words) in lines.iter().zip(of_line) {
        words.sort_by(|a, b| left_of(a).total_cmp(&left_of(b)));
        if is_writing(line, &words) {
            stretches.push((line.quad.area(), join_line(line, &words)));
        }
    }
    for word in outside {
        if let (Some(kept), Some(area)) = (supported(word), word.area) {
            stretches.push((area, vec![kept]));
        }
    }
    stretches
}

/// Below this a line that Tesseract does not see is a drawing, a stamp, the grain of the paper.
const LEAST_FOR_A_LINE: u8 = 50;

fn is_writing(line: &ReadLine, tesseract: &[&Word]) -> bool {
    line.confidence.0 >= LEAST_FOR_A_LINE
        || tesseract.iter().any(|word| word.confidence.0 >= LEAST_FOR_A_LINE)
}

/// As sure as the agreement of both, by measurement.
fn settled(word: &Word) -> Word {
    Word { confidence: word.confidence.max(ACCEPTED), ..word.clone() }
}

fn left_of(word: &Word) -> f32 {
    word.area.map_or(0.0, |area| area.left)
}

/// One line, piece by piece.
fn join_line(line: &ReadLine, tesseract: &[&Word]) -> Vec<Word> {
    if tesseract.is_empty() {
        return line.words.iter().map(by_pp_only).collect();
    }
    let mut words = Vec::new();
    for Piece { pp, tesseract } in align(&line.words, tesseract) {
        let said = |words: &mut dyn Iterator<Item = &str>| words.collect::<String>();
        let (by_pp, by_tesseract) = (
            said(&mut pp.iter().map(|word| word.text.as_str())),
            said(&mut tesseract.iter().map(|word| word.text.as_str())),
        );
        if by_pp == by_tesseract {
            words.extend(agreed(pp, tesseract));
        } else {
            words.extend(disputed(pp, tesseract));
        }
    }
    words
}

/// Both say the same; they may still divide it differently.
fn agreed(pp: &[ReadWord], tesseract: &[&Word]) -> Vec<Word> {
    let surest = tesseract.iter().map(|word| word.confidence).min().unwrap_or(Confidence::NONE);
    let least = pp.iter().map(|word| word.confidence).min().unwrap_or(Confidence::NONE);
    let confidence = agreement(least, surest);
    let agreed = |text: &str, area: Option<Area>| Word {
        text: text.to_owned(),
        area,
        confidence,
        origin: Origin::Agreed,
        ..Word::default()
    };
    if tesseract.len() >= pp.len() {
        return tesseract.iter().map(|word| agreed(&word.text, word.area)).collect();
    }
    pp.iter().map(|word| agreed(&word.text, Some(word.area))).collect()
}

fn agreement(pp: Confidence, tesseract: Confidence) -> Confidence {
    Confidence(90 + pp.0.max(tesseract.0) / 10)
}

fn disputed(pp: &[ReadWord], tesseract: &[&Word]) -> Vec<Word> {
    let text = tesseract.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let confidence = tesseract.iter().map(|word| word.confidence).min().unwrap_or(Confidence::NONE);
    let mut words: Vec<Word> = pp.iter().map(by_pp_only).collect();
    if let (Some(first), false) = (words.first_mut(), text.is_empty()) {
        let other = Reading { text, confidence, origin: Origin::Tesseract };
        first.other = Some(Box::new(other));
    }
    words
}

fn by_pp_only(word: &ReadWord) -> Word {
    Word {
        text: word.text.clone(),
        area: Some(word.area),
        confidence: Confidence(word.confidence.0.min(MOST_FOR_ONE_ENGINE)),
        origin: Origin::PpOcr,
        ..Word::default()
    }
}

fn by_tesseract_only(word: &Word) -> Option<Word> {
    let confidence = Confidence(word.confidence.0.min(MOST_FOR_ONE_ENGINE));
    Some(Word { confidence, ..word.clone() })
}

/// A word of Tesseract where the second engine sees none.
fn supported(word: &Word) -> Option<Word> {
    let letters = word.text.chars().filter(|c| c.is_alphanumeric()).count();
    let is_like_writing = letters >= 2 && letters * 3 >= word.text.chars().count() * 2;
    (is_like_writing && word.confidence.0 >= SURE_ALONE)
        .then(|| Word { confidence: Confidence(word.confidence.0 / 2), ..word.clone() })
}
