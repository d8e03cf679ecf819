//! Decides what the second engine reads.
//!
//! Tesseract reads every page first, because it costs a fraction. Its words are *settled* when it is sure of them:
//! sure enough that, by measurement, a second reading would change fewer than two in a hundred. Numbers are never
//! settled: no context tells a wrong digit from a right one, and they are what documents are read for. The second
//! engine reads the *gaps*, which are all that is left of the lines when settled words are taken out.
//!
//! Lines are found by the second engine on the whole page, so that nothing Tesseract overlooked is lost; but no
//! closer than the print needs, whose height Tesseract's words tell. (Taking Tesseract's own lines where hardly
//! any ink lies outside of them was tried: it costs one word in a hundred.)

use pages::{Area, Word};

use super::pp::Quad;

/// The confidence from which on words are settled.
const SURE: u8 = 92;
/// Numbers with fewer digits are settled like words: a count, a day.
const SHORT: usize = 2;
/// A gap narrower than this many line heights holds nothing.
const NARROWEST_GAP: f32 = 0.5;
/// Unless Tesseract sees something in it, one narrower than this is a wide space.
const NARROWEST_EMPTY_GAP: f32 = 1.25;
/// Beside a doubtful word, from here on: it may be a part of the same word that fell apart.
const SURE_BESIDE_DOUBT: u8 = 95;
/// Closer than this to a doubtful word, in line heights, never.
const SPACE: f32 = 0.15;
/// Paper that a gap leaves to a settled word, in line heights.
const MARGIN: f32 = 0.05;
/// With less of a line left than this, asking for the rest costs little more, and words that both engines have
/// read are worth more.
const WORTH_CUTTING: f32 = 0.75;

/// Words that tell how large print is.
const READABLE: u8 = 60;
const WORDS_TO_TELL: usize = 12;

/// The plan for a page.
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
            None => plan.add_lone_word(word),
        }
    }
    for (line, words) in lines.iter().zip(of_line) {
        plan.add_line(line, &words);
    }
    plan
}

impl Plan {
    /// A word outside all lines: a digit alone in its column is easily overlooked from afar.
    fn add_lone_word(&mut self, word: &Word) {
        match word.area {
            Some(area) if is_sure(word) => self.settled.push((area, word.clone())),
            _ => self.rest.push(word.clone()),
        }
    }

    fn add_line(&mut self, line: &Quad, words: &[&Word]) {
        let stretches = Stretch::of(line, words);
        let gaps = gaps_between(line, &stretches);
        let left = gaps.iter().map(|(from, to)| to - from).sum::<f32>();
        if left > WORTH_CUTTING * line.width {
            self.doubtful.push(*line);
            self.rest.extend(words.iter().map(|word| (*word).clone()));
            return;
        }
        let place = line.area();
        for stretch in stretches {
            match (stretch.is_settled, stretch.word.area) {
                (true, Some(area)) => {
                    let place = Area { top: place.top, bottom: place.bottom, ..area };
                    self.settled.push((place, stretch.word.clone()));
                }
                _ => self.rest.push(stretch.word.clone()),
            }
        }
        self.doubtful.extend(gaps.iter().map(|&(from, to)| line.part(from, to)));
    }
}

/// From where to where a word reaches along its line.
struct Stretch<'a> {
    word: &'a Word,
    from: f32,
    to: f32,
    is_settled: bool,
}

impl<'a> Stretch<'a> {
    /// Those of a line, from left to right.
    fn of(line: &Quad, words: &[&'a Word]) -> Vec<Self> {
        let mut stretches = Vec::with_capacity(words.len());
        for &word in words {
            let Some(area) = word.area else { continue };
            let (middle, half) = (line.along_to(&area), area.width() / 2.0);
            let is_settled = is_sure(word);
            stretches.push(Self { word, from: middle - half, to: middle + half, is_settled });
        }
        stretches.sort_by(|a, b| a.from.total_cmp(&b.from));
        let doubts: Vec<bool> = (0..stretches.len())
            .map(|at| {
                let touches = |other: usize| {
                    let (first, second) = (&stretches[at.min(other)], &stretches[at.max(other)]);
                    let is_close = second.from - first.to < SPACE * line.height;
                    let is_unsure = stretches[at].word.confidence.0 < SURE_BESIDE_DOUBT;
                    !stretches[other].is_settled && (is_close || is_unsure)
                };
                at > 0 && touches(at - 1) || at + 1 < stretches.len() && touches(at + 1)
            })
            .collect();
        for (stretch, is_doubtful) in stretches.iter_mut().zip(doubts) {
            stretch.is_settled &= !is_doubtful;
        }
        stretches
    }
}

/// How high the smaller words on a page are, in pixels. None with too few words to tell.
pub fn print_height(words: &[Word]) -> Option<f32> {
    let is_known = |word: &&Word| {
        word.confidence.0 >= READABLE
            && word.text.chars().filter(|c| c.is_alphanumeric()).count() > SHORT
    };
    let areas = words.iter().filter(is_known).filter_map(|word| word.area);
    let mut heights: Vec<f32> = areas.map(|area| area.height()).collect();
    heights.sort_by(f32::total_cmp);
    (heights.len() >= WORDS_TO_TELL).then(|| heights[heights.len() / 4])
}

/// The line that covers most of a word, when it covers half of it.
pub(super) fn line_that_holds(word: &Area, lines: &[Quad]) -> Option<usize> {
    let share = |line: &Quad| word.within(&line.area()).extent() / word.extent().max(1.0);
    let shares = lines.iter().map(share).enumerate();
    shares.filter(|(_, share)| *share >= 0.5).max_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
}

/// Whether Tesseract's reading of a word is sufficient.
pub fn is_sure(word: &Word) -> bool {
    let digits = word.text.chars().filter(char::is_ascii_digit).count();
    let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
    let is_number = digits > 0 && digits + letters > SHORT;
    !is_number && digits + letters > 0 && word.confidence.0 >= SURE
}

/// What settled words leave of a line, where it is wide enough to hold something.
fn gaps_between(line: &Quad, stretches: &[Stretch<'_>]) -> Vec<(f32, f32)> {
    let margin = MARGIN * line.height;
    let mut gaps = Vec::new();
    let mut from = 0.0;
    let mut holds_something = false;
    for stretch in stretches {
        if stretch.is_settled {
            push_gap(&mut gaps, line, from, stretch.from - margin, holds_something);
            from = stretch.to + margin;
            holds_something = false;
        } else {
            holds_something = true;
        }
    }
    push_gap(&mut gaps, line, from, line.width, holds_something);
    gaps
}

fn push_gap(gaps: &mut Vec<(f32, f32)>, line: &Quad, from: f32, to: f32, holds_something: bool) {
    let narrowest = if holds_something { NARROWEST_GAP } else { NARROWEST_EMPTY_GAP };
    if to - from > narrowest * line.height {
        gaps.push((from, to));
    }
}
