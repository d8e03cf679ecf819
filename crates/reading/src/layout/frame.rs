//! The text direction of a page.
//!
//! Pages with a wide table are often rotated without a rotation flag in the file. The *frame* is the page rotated so that
//! most of its text is horizontal. Layout analysis uses the frame; the words keep their positions on the page.

use pages::{Area, Page, Rotation, Size, Word};

use super::Placed;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The rotation of the page.
    turn: Rotation,
    size: Size,
}

impl Frame {
    pub(crate) fn of(page: &Page) -> Self {
        let size = page.size.unwrap_or_else(|| extent(&page.words));
        let (mut across, mut along) = (0, 0);
        for word in &page.words {
            match word.area {
                Some(area) if is_upright(word, &area) => across += word.text.len(),
                Some(area) if is_sideways(word, &area) => along += word.text.len(),
                _ => {}
            }
        }
        let turn = if along > across { direction(&page.words) } else { Rotation::None };
        Self { turn, size }
    }

    pub(crate) fn place(&self, words: &[Word]) -> Vec<Placed> {
        let placed = |(index, word): (usize, &Word)| {
            let area = self.seen(&word.area?);
            if !(area.width().is_finite() && area.height().is_finite()) {
                return None;
            }
            let size = match word.style.size {
                0 => area.height() * 0.85,
                tenths => f32::from(tenths) / 10.0,
            };
            let rtl = word.text.chars().find(|char| char.is_alphabetic()).is_some_and(is_rtl);
            Some(Placed { word: index, area, size: size.clamp(1.0, 500.0), rtl })
        };
        words.iter().enumerate().filter_map(placed).collect()
    }

    /// An area of the page in the frame.
    pub(crate) fn seen(&self, area: &Area) -> Area {
        let Size { width, height } = self.size;
        let Area { left, top, right, bottom } = *area;
        match self.turn {
            Rotation::None => *area,
            Rotation::Quarter => {
                Area { left: height - bottom, top: left, right: height - top, bottom: right }
            }
            Rotation::Half => Area {
                left: width - right,
                top: height - bottom,
                right: width - left,
                bottom: height - top,
            },
            Rotation::ThreeQuarters => {
                Area { left: top, top: width - right, right: bottom, bottom: width - left }
            }
        }
    }
}

/// Hebrew, Arabic and their neighbours, and their presentation forms.
fn is_rtl(char: char) -> bool {
    matches!(char, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

fn extent(words: &[Word]) -> Size {
    let mut size = Size { width: 1.0, height: 1.0 };
    for area in words.iter().filter_map(|word| word.area) {
        size.width = size.width.max(area.right);
        size.height = size.height.max(area.bottom);
    }
    size
}

fn is_upright(word: &Word, area: &Area) -> bool {
    word.text.chars().nth(2).is_some() && area.width() > area.height()
}

pub(crate) fn is_sideways(word: &Word, area: &Area) -> bool {
    word.text.chars().nth(2).is_some() && area.height() > area.width() * 1.8
}

/// Vertical text is stored in reading order, so the position of the next word shows the direction.
fn direction(words: &[Word]) -> Rotation {
    let (mut up, mut down) = (0, 0);
    for pair in words.windows(2) {
        let [one, next] = pair else { continue };
        let (Some(a), Some(b)) = (one.area, next.area) else { continue };
        if is_sideways(one, &a) && a.left < b.right && b.left < a.right {
            if b.top >= a.bottom {
                down += 1;
            } else if b.bottom <= a.top {
                up += 1;
            }
        }
    }
    if up >= down { Rotation::Quarter } else { Rotation::ThreeQuarters }
}
