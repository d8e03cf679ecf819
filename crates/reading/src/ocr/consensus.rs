//! Combines the words of two engines that read the same picture.
//!
//! The lines of the second engine are the reference, because it misses and invents little. The words of Tesseract in the
//! area of a line are aligned with it character by character. Where both engines read the same, the word is *agreed*.
//! Where they differ, the reading of the second engine is used and the other one is stored beside it, unless Tesseract is
//! certain and the second engine is not. Words that only Tesseract reads are mostly dirt, so they must look like text to
//! be kept.
//!
//! A word is *accepted* when its confidence is at least [`ACCEPTED`]: no person needs to check it.

mod alignment;
mod dispute;

use pages::{Area, Confidence, Origin, Reading, Word};

use self::alignment::{Piece, align};
use self::dispute::tesseract_wins;
use super::policy::{Plan, is_sure, line_that_holds};
use super::pp::{Quad, ReadLine, ReadWord};
use super::reading_order;

/// Words at or above it are right in at least 98 of 100 cases; `bench-reading scans` measures it.
pub const ACCEPTED: Confidence = Confidence(90);

/// Below [`ACCEPTED`], however sure one engine is: the other one contradicts or sees nothing.
const MOST_FOR_ONE_ENGINE: u8 = 89;
/// Tesseract must be as sure as this of what the second engine does not see.
const SURE_ALONE: u8 = 85;
/// And of what the second engine is not asked about, to be accepted.
const ENOUGH_ALONE: u8 = 95;
/// Below this an engine is guessing.
const GUESSING: u8 = 60;
const LEAST_FOR_A_LINE: u8 = 50;
const LEAST_FOR_A_CHARACTER: u8 = 80;
const LEAST_FOR_AN_IDEOGRAPH: u8 = 97;

/// One text of what the engines read. In rows from top to bottom, each from left to right; areas as they came.
///
/// With one engine its text stands alone. With none there is no text.
pub fn join(tesseract: Option<&[Word]>, pp: Option<&[ReadLine]>) -> Vec<Word> {
    match (tesseract, pp) {
        (None, None) => Vec::new(),
        (Some(words), None) => words.iter().map(read_once).collect(),
        (tesseract, Some(lines)) => reading_order(join_lines(tesseract.unwrap_or_default(), lines)),
    }
}

/// The same when the second engine was only asked where Tesseract was not sure.
pub fn join_by_plan(plan: &Plan, pp: &[ReadLine]) -> Vec<Word> {
    let mut stretches = join_lines(&plan.rest, pp);
    for (place, word) in &plan.settled {
        stretches.push((*place, vec![read_once(word)]));
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

/// Whether a line is worth keeping. What Tesseract does not see and the second engine is not sure of is a drawing,
/// a stamp, the grain of the paper; one or two characters are easily seen in such things, and a network that
/// knows thousands of Chinese characters sees those first.
fn is_writing(line: &ReadLine, tesseract: &[&Word]) -> bool {
    if tesseract.iter().any(|word| word.confidence.0 >= LEAST_FOR_A_LINE) {
        return true;
    }
    let characters = line.text.chars().filter(|c| !c.is_whitespace()).count();
    let needed = match characters {
        ..=2 if line.text.chars().any(is_ideograph) => LEAST_FOR_AN_IDEOGRAPH,
        ..=2 => LEAST_FOR_A_CHARACTER,
        _ => LEAST_FOR_A_LINE,
    };
    line.confidence.0 >= needed
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// One reading by Tesseract that is enough, or that has to be: as sure as the agreement of both where, by
/// measurement, it is right as often.
fn read_once(word: &Word) -> Word {
    let is_enough = is_sure(word) && word.confidence.0 >= ENOUGH_ALONE;
    let confidence = if is_enough {
        word.confidence.max(ACCEPTED)
    } else {
        Confidence(word.confidence.0.min(MOST_FOR_ONE_ENGINE))
    };
    Word { confidence, ..word.clone() }
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

/// Two that are both guessing may guess alike.
fn agreement(pp: Confidence, tesseract: Confidence) -> Confidence {
    let surer = pp.max(tesseract).0;
    if surer < GUESSING { Confidence(surer) } else { Confidence(ACCEPTED.0 + surer / 10) }
}

fn disputed(pp: &[ReadWord], tesseract: &[&Word]) -> Vec<Word> {
    if let ([second], [first]) = (pp, tesseract)
        && tesseract_wins(second, first)
    {
        let other = by_pp_only(second);
        return vec![Word { other: reading(other), ..by_tesseract(first) }];
    }
    let mut words: Vec<Word> = pp.iter().map(by_pp_only).collect();
    if let Some(first) = words.first_mut() {
        let text = tesseract.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let confidence = tesseract.iter().map(|word| word.confidence).min().unwrap_or_default();
        let other = Word { text, confidence, origin: Origin::Tesseract, ..Word::default() };
        first.other = reading(other);
    }
    words
}

fn reading(word: Word) -> Option<Box<Reading>> {
    let Word { text, confidence, origin, .. } = word;
    (!text.is_empty()).then(|| Box::new(Reading { text, confidence, origin }))
}

fn by_tesseract(word: &Word) -> Word {
    let confidence = Confidence(word.confidence.0.min(MOST_FOR_ONE_ENGINE));
    Word { confidence, ..word.clone() }
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

/// A word of Tesseract where the second engine sees none.
fn supported(word: &Word) -> Option<Word> {
    let letters = word.text.chars().filter(|c| c.is_alphanumeric()).count();
    let is_like_writing = letters >= 2 && letters * 3 >= word.text.chars().count() * 2;
    (is_like_writing && word.confidence.0 >= SURE_ALONE)
        .then(|| Word { confidence: Confidence(word.confidence.0 / 2), ..word.clone() })
}
