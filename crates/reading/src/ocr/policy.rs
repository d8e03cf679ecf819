//! Where the second engine is asked.
//!
//! Tesseract reads every page first, because it costs a fraction. Its words are *settled* when it is sure of them:
//! sure enough that, by measurement, a second reading would change fewer than two in a hundred. Numbers are never
//! settled: no context tells a wrong digit from a right one, and they are what documents are read for. The second
//! engine reads the *gaps*, which are all that is left of the lines when settled words are taken out.
//!
//! Lines are found by the second engine, so that nothing Tesseract overlooked is lost. Where all ink of the page
//! lies within Tesseract's words there is nothing to overlook, and its own lines do.

use image::GrayImage;

use super::pp::Quad;
use crate::model::{Area, Word};
use crate::prepare;

/// Words are settled from here on.
const SURE: u8 = 93;
/// Words of one or two letters, which Tesseract gives less, as well.
const SURE_OF_SHORT: u8 = 90;
/// Numbers with fewer digits are settled like words: a count, a day.
const SHORT: usize = 2;
/// A gap narrower than this many line heights is the space between words.
const NARROWEST_GAP: f32 = 0.75;
/// With less of a line left than this, asking for the rest costs little more, and words that both engines have
/// read are worth more.
const WORTH_CUTTING: f32 = 0.75;

/// Less ink than this outside of all words is dust and rules.
const OVERLOOKED: f32 = 0.05;
/// The second engine wants some paper around a line, in line heights.
const LINE_MARGIN: f32 = 0.15;
/// Words farther apart, in line heights, are in different columns.
const WIDEST_SPACE: f32 = 2.0;

/// What is to be done with a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Words of Tesseract that stand, each with the place of its line around it.
    pub settled: Vec<(Area, Word)>,
    /// Places for the second engine to read.
    pub doubtful: Vec<Quad>,
    /// The words of Tesseract in those places, and outside all lines.
    pub rest: Vec<Word>,
}

/// Divides the lines of a page into what is settled and what is not.
pub fn plan(lines: &[Quad], tesseract: &[Word]) -> Plan {
    let mut plan = Plan::default();
    let mut of_line: Vec<Vec<&Word>> = vec![Vec::new(); lines.len()];
    for word in tesseract {
        match word.area.and_then(|area| line_that_holds(&area, lines)) {
            Some(line) => of_line[line].push(word),
            None => plan.rest.push(word.clone()),
        }
    }
    for (line, words) in lines.iter().zip(of_line) {
        plan.add_line(line, &words);
    }
    plan
}

impl Plan {
    fn add_line(&mut self, line: &Quad, words: &[&Word]) {
        let settled = settled_stretches(line, words);
        let gaps = gaps_between(line, &settled);
        let left = gaps.iter().map(|(from, to)| to - from).sum::<f32>();
        if left > WORTH_CUTTING * line.width {
            self.doubtful.push(*line);
            self.rest.extend(words.iter().map(|word| (*word).clone()));
            return;
        }
        let place = line.area();
        for &word in words {
            let Some(area) = word.area else { continue };
            let middle = line.along_to(&area);
            let is_in_gap = gaps.iter().any(|(from, to)| (*from..*to).contains(&middle));
            if is_in_gap || !is_sure(word) {
                self.rest.push(word.clone());
            } else {
                let stretch = Area { top: place.top, bottom: place.bottom, ..area };
                self.settled.push((stretch, word.clone()));
            }
        }
        self.doubtful.extend(gaps.iter().map(|&(from, to)| line.part(from, to)));
    }
}

/// Whether hardly any ink lies outside the words.
pub fn sees_everything(image: &GrayImage, words: &[Word]) -> bool {
    let areas: Vec<Area> = words.iter().filter_map(|word| word.area).collect();
    prepare::share_of_writing_outside(image, &areas) < OVERLOOKED
}

/// Lines made of words that stand beside each other.
pub fn lines_of(words: &[Word]) -> Vec<Quad> {
    let mut lines: Vec<Area> = Vec::new();
    for area in words.iter().filter_map(|word| word.area) {
        match lines.last_mut() {
            // Words come line by line, from left to right.
            Some(line) if continues(line, &area) => *line = line.around(&area),
            _ => lines.push(area),
        }
    }
    lines.iter().map(|line| Quad::level(line).grown(LINE_MARGIN * line.height())).collect()
}

fn continues(line: &Area, word: &Area) -> bool {
    let shared = line.bottom.min(word.bottom) - line.top.max(word.top);
    let gap = word.left - line.right;
    shared > 0.5 * line.height().min(word.height())
        && gap > -0.5 * line.height()
        && gap < WIDEST_SPACE * line.height()
}

/// The line that covers most of a word, when it covers half of it.
pub(super) fn line_that_holds(word: &Area, lines: &[Quad]) -> Option<usize> {
    let share = |line: &Quad| word.within(&line.area()).extent() / word.extent().max(1.0);
    let shares = lines.iter().map(share).enumerate();
    shares.filter(|(_, share)| *share >= 0.5).max_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
}

/// Whether one reading of a word is enough.
pub fn is_sure(word: &Word) -> bool {
    let digits = word.text.chars().filter(char::is_ascii_digit).count();
    let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
    let needed = if digits + letters <= SHORT { SURE_OF_SHORT } else { SURE };
    let is_number = digits > 0 && digits + letters > SHORT;
    !is_number && digits + letters > 0 && word.confidence.0 >= needed
}

/// From where to where settled words reach along a line, from left to right.
fn settled_stretches(line: &Quad, words: &[&Word]) -> Vec<(f32, f32)> {
    let mut stretches: Vec<(f32, f32)> = words
        .iter()
        .filter(|word| is_sure(word))
        .filter_map(|word| word.area)
        .map(|area| (line.along_to(&area), area.width() / 2.0))
        .map(|(middle, half)| (middle - half, middle + half))
        .collect();
    stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
    stretches
}

/// What settled words leave of a line, where it is wide enough to hold something. A gap ends half a space before
/// the settled word, so that no letter is cut.
fn gaps_between(line: &Quad, settled: &[(f32, f32)]) -> Vec<(f32, f32)> {
    // A line that was found reaches beyond its letters by about so much.
    let margin = 0.2 * line.height;
    let mut gaps = Vec::new();
    let mut from = 0.0;
    let ends = [(line.width, line.width)];
    for &(start, end) in settled.iter().chain(&ends) {
        let is_last = start >= line.width;
        let to = if is_last { line.width } else { start - margin / 2.0 };
        if to - from > NARROWEST_GAP * line.height {
            gaps.push((from, to));
        }
        from = from.max(end + margin / 2.0);
    }
    gaps
}
