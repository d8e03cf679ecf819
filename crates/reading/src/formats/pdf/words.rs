//! Characters become words.
//!
//! The library puts white space between words itself, from the gaps it sees; a word also ends where the
//! next character lies somewhere else on the page. Each call of the library costs: two for every
//! character (which one, and where), the font only once for a word.

use pdfium_render::prelude::{PdfPage, PdfPageTextChar};

use super::Place;
use crate::Limits;
use crate::model::{Area, Style, Word};

/// What the characters of a page were like.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Glyphs {
    pub(crate) count: usize,
    /// Those that say nothing: without a Unicode value, or one for private use.
    pub(crate) unreadable: usize,
    /// There were more words than the limit.
    pub(crate) cut_off: bool,
}

pub(crate) fn read(
    page: &PdfPage<'_>,
    place: &Place,
    limits: Limits,
    words: &mut Vec<Word>,
) -> Glyphs {
    let mut glyphs = Glyphs::default();
    let Ok(text) = page.text() else { return glyphs };
    let mut open = OpenWord::default();
    let mut high_surrogate = None;
    for from in text.chars().iter() {
        let value = from.unicode_value();
        let Some(char) = character(value, &mut high_surrogate, &from) else {
            continue;
        };
        if char.is_whitespace() {
            open.close(words);
            continue;
        }
        if words.len() >= limits.words as usize {
            glyphs.cut_off = true;
            return glyphs;
        }
        glyphs.count += 1;
        if says_nothing(char) {
            glyphs.unreadable += 1;
        }
        if char.is_control() || char == '\u{feff}' {
            continue;
        }
        let area = from.loose_bounds().ok().map(|rect| place.area(&rect)).filter(is_finite);
        if area.is_some_and(|area| open.is_apart_from(&area)) {
            open.close(words);
        }
        open.push(char, area, &from, place);
    }
    open.close(words);
    glyphs
}

/// The character of a value; None for half of one. A hyphen that the library took for the end of a line
/// has the value 0, as has what has no value.
fn character(
    value: u32,
    high_surrogate: &mut Option<u32>,
    from: &PdfPageTextChar<'_>,
) -> Option<char> {
    match (value, high_surrogate.take()) {
        (0xd800..=0xdbff, _) => {
            *high_surrogate = Some(value);
            None
        }
        (0xdc00..=0xdfff, Some(high)) => {
            char::from_u32(0x10000 + ((high - 0xd800) << 10) + (value - 0xdc00))
        }
        (0 | 2 | 0xfffe, _) if from.is_hyphen().unwrap_or(false) => Some('-'),
        (0, _) => Some('\u{fffd}'),
        // Spaces without a width separate nothing that can be seen; their neighbours' places do.
        (0x200b | 0x2060, _) => None,
        _ => Some(char::from_u32(value).unwrap_or('\u{fffd}')),
    }
}

fn says_nothing(char: char) -> bool {
    matches!(char, '\u{e000}'..='\u{f8ff}' | '\u{fffd}' | '\u{f0000}'..='\u{10ffff}')
        || char.is_control()
}

fn is_finite(area: &Area) -> bool {
    [area.left, area.top, area.right, area.bottom].into_iter().all(f32::is_finite)
}

/// The word whose characters are coming in.
#[derive(Debug, Default)]
struct OpenWord {
    text: String,
    area: Option<Area>,
    last: Option<Area>,
    style: Style,
    /// How far apart two characters of it may be.
    reach: f32,
}

impl OpenWord {
    fn is_apart_from(&self, next: &Area) -> bool {
        let Some(last) = self.last else { return false };
        let across = (next.left - last.right).max(last.left - next.right);
        let down = (next.top - last.bottom).max(last.top - next.bottom);
        across > self.reach || down > self.reach
    }

    fn push(&mut self, char: char, area: Option<Area>, from: &PdfPageTextChar<'_>, place: &Place) {
        if self.text.is_empty() {
            let thickness = area.map_or(0.0, |area| thickness(&area, place));
            let size = font_size(from, thickness);
            self.style = style(from, size);
            self.reach = (size * 0.5).max(1.0);
        }
        match char {
            '\u{fb00}' => self.text.push_str("ff"),
            '\u{fb01}' => self.text.push_str("fi"),
            '\u{fb02}' => self.text.push_str("fl"),
            '\u{fb03}' => self.text.push_str("ffi"),
            '\u{fb04}' => self.text.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => self.text.push_str("st"),
            other => self.text.push(other),
        }
        if let Some(area) = area {
            self.area = Some(self.area.map_or(area, |all| all.around(&area)));
            self.last = Some(area);
        }
    }

    fn close(&mut self, words: &mut Vec<Word>) {
        if self.text.contains('\u{ad}') {
            // Shown only where a line ends.
            let shown = self.text.ends_with('\u{ad}');
            self.text.retain(|char| char != '\u{ad}');
            if shown {
                self.text.push('-');
            }
        }
        if !self.text.is_empty() {
            words.push(Word {
                text: std::mem::take(&mut self.text),
                area: self.area,
                style: self.style,
                ..Word::default()
            });
        }
        self.area = None;
        self.last = None;
    }
}

/// A character's height if it stands upright in the file.
fn thickness(area: &Area, place: &Place) -> f32 {
    use crate::model::Rotation::{Half, None};
    match place.rotation {
        None | Half => area.height(),
        _ => area.width(),
    }
}

/// The size as it is seen. Files scale text by the font size, by a matrix or by both, and a few say
/// nonsense in one of them: the height of the character's box decides whether to believe it.
fn font_size(from: &PdfPageTextChar<'_>, thickness: f32) -> f32 {
    let scale = from.matrix().map_or(1.0, |matrix| matrix.c().hypot(matrix.d()));
    let said = (from.unscaled_font_size().value * scale).abs();
    let seen = thickness / 1.15;
    if said.is_finite() && (seen <= 0.1 || (said > seen * 0.4 && said < seen * 2.5)) {
        said
    } else {
        seen
    }
}

fn style(from: &PdfPageTextChar<'_>, size: f32) -> Style {
    let name = from.font_name();
    let has = |parts: &[&str]| {
        parts.iter().any(|part| {
            name.as_bytes().windows(part.len()).any(|at| at.eq_ignore_ascii_case(part.as_bytes()))
        })
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` stops at the ends")]
    let tenths = (size * 10.0).round() as u16;
    Style {
        bold: has(&["bold", "black", "heavy", "-demi"]),
        italic: has(&["italic", "oblique"]),
        size: tenths,
    }
}
