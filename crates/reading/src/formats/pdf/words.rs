//! Groups characters into words.
//!
//! pdfium inserts white space where it sees gaps. It is wrong when a font states wrong widths, so its spaces count only
//! where there is a real gap; a word also ends where the next character is elsewhere on the page. Calls of pdfium are
//! slow: two per character (value and position), and one per word for the font.

use pages::{Area, Style, Word};
use pdfium_render::prelude::{PdfPage, PdfPageTextChar};

use super::Place;
use crate::Limits;

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
        let Some(char) = character(from.unicode_value(), &mut high_surrogate, &from) else {
            continue;
        };
        if char.is_whitespace() || char.is_control() {
            if from.is_generated().unwrap_or(false) {
                open.maybe_ends = true;
            } else {
                open.close(words);
                glyphs.count += usize::from(char.is_control());
                glyphs.unreadable += usize::from(char.is_control());
            }
            continue;
        }
        if words.len() >= limits.words as usize {
            glyphs.cut_off = true;
            return glyphs;
        }
        glyphs.count += 1;
        glyphs.unreadable += usize::from(says_nothing(char));
        let area = from.loose_bounds().ok().map(|rect| place.area(&rect)).filter(is_finite);
        if open.ends_before(area.as_ref()) {
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
        (0x200b | 0x2060 | 0xfeff, _) => None,
        _ => Some(char::from_u32(value).unwrap_or('\u{fffd}')),
    }
}

fn says_nothing(char: char) -> bool {
    matches!(char, '\u{e000}'..='\u{f8ff}' | '\u{fffd}' | '\u{f0000}'..='\u{10ffff}')
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
    size: f32,
    font: Font,
    /// The library put white space after the last character.
    maybe_ends: bool,
}

impl OpenWord {
    fn ends_before(&self, next: Option<&Area>) -> bool {
        let (Some(last), Some(next)) = (self.last, next) else { return self.maybe_ends };
        let across = (next.left - last.right).max(last.left - next.right);
        let down = (next.top - last.bottom).max(last.top - next.bottom);
        let reach = if self.maybe_ends { 0.10 } else { 0.5 } * self.size.max(2.0);
        across > reach || down > reach
    }

    fn push(&mut self, char: char, area: Option<Area>, from: &PdfPageTextChar<'_>, place: &Place) {
        if self.text.is_empty() {
            let thickness = area.map_or(0.0, |area| thickness(&area, place));
            self.size = font_size(from, thickness);
            self.style = self.font.style(from, self.size);
        }
        self.maybe_ends = false;
        let same_glyph = area.is_some() && area == self.last;
        let reversed = same_glyph
            .then(|| self.text.chars().next_back())
            .flatten()
            .filter(|last| is_reversed(*last, char));
        if reversed.is_some() {
            self.text.pop();
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
        self.text.extend(reversed);
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
        self.maybe_ends = false;
    }
}

/// The library turns right-to-left text around character by character, also those of one glyph: a mark
/// then comes before its letter, and an alef before the lam that it is joined to.
fn is_reversed(first: char, second: char) -> bool {
    let mark = matches!(first, '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{670}');
    let letter = matches!(second, '\u{5d0}'..='\u{5ea}' | '\u{620}'..='\u{64a}');
    let alef = matches!(first, '\u{622}' | '\u{623}' | '\u{625}' | '\u{627}');
    mark && letter || alef && second == '\u{644}'
}

/// A character's height if it stands upright in the file.
fn thickness(area: &Area, place: &Place) -> f32 {
    use pages::Rotation::{Half, None};
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
    let believable = said * 0.45 < thickness && thickness < said * 1.7;
    if said.is_finite() && (thickness <= 0.1 || believable) { said } else { thickness / 1.15 }
}

/// The last font by name, and what the name says: neighbouring words mostly share it.
#[derive(Debug, Default)]
struct Font {
    name: String,
    bold: bool,
    italic: bool,
}

impl Font {
    fn style(&mut self, from: &PdfPageTextChar<'_>, size: f32) -> Style {
        let name = from.font_name();
        if name != self.name {
            let lower = name.to_ascii_lowercase();
            let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
            self.bold = has(&["bold", "black", "heavy", "-demi"]);
            self.italic = has(&["italic", "oblique"]);
            self.name = name;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` stops at the ends"
        )]
        let tenths = (size * 10.0).round() as u16;
        Style { bold: self.bold, italic: self.italic, size: tenths }
    }
}
