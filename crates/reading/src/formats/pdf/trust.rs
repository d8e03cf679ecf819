//! Decides whether the text layer of a page is used, or whether the page needs OCR.
//!
//! A text layer is rejected when many characters have no Unicode value, when it is noise, or when it is only a stamp on a
//! scan. Invisible text (from an earlier OCR of a scan) is used when it looks like language.

use pages::{Area, Confidence, Origin, Page, TextSource, Word};

use super::drawings::Drawings;
use super::words::Glyphs;

/// From this share on, pictures cover the page.
const FULL_PAGE: f32 = 0.6;
/// Smaller pictures are logos or lines.
const WORTH_READING: f32 = 0.03;

pub(crate) fn judge(page: &Page, glyphs: &Glyphs, drawn: &Drawings) -> (TextSource, Confidence) {
    let unreadable = share(glyphs.unreadable, glyphs.count);
    if unreadable > 0.3 {
        return (TextSource::Wanted, Confidence::NONE);
    }
    if page.words.is_empty() {
        // Text drawn as outlines consists of hundreds of curves.
        let something = drawn.pictures >= WORTH_READING || drawn.curves >= 200;
        let text = if something { TextSource::Wanted } else { TextSource::Blank };
        return (text, Confidence::CERTAIN);
    }
    let scan = drawn.pictures >= FULL_PAGE;
    if scan && is_only_a_stamp(page) {
        return (TextSource::Wanted, Confidence(50));
    }
    if !looks_like_language(&page.words) {
        return (TextSource::Wanted, Confidence(20));
    }
    if scan && drawn.hidden_texts > 0 {
        return (TextSource::Layer, Confidence(80));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let quality = (100.0 * (1.0 - unreadable)).round() as u8;
    (TextSource::Layer, Confidence(quality))
}

fn is_only_a_stamp(page: &Page) -> bool {
    if page.words.iter().any(|word| word.origin == Origin::Form) {
        return false;
    }
    let written: f32 =
        page.words.iter().filter_map(|word| word.area).map(|area| area.extent()).sum();
    let whole = page.size.map_or(0.0, |size| {
        Area { right: size.width, bottom: size.height, ..Area::default() }.extent()
    });
    page.words.len() < 15 || written < whole * 0.01
}

/// Words that are pronounced: text whose fonts map to wrong letters has long words without a vowel.
/// Says no only to Latin text with enough of it to judge.
fn looks_like_language(words: &[Word]) -> bool {
    let long_latin = words.iter().map(|word| word.text.trim_matches(|c: char| !c.is_alphabetic()));
    let (mut seen, mut vowelless) = (0, 0);
    for text in long_latin {
        let lower = text.bytes().all(|byte| byte.is_ascii_lowercase());
        if text.len() >= 4 && lower {
            seen += 1;
            vowelless += usize::from(!text.bytes().any(|byte| b"aeiouy".contains(&byte)));
        }
    }
    seen < 20 || share(vowelless, seen) < 0.4
}

#[expect(clippy::cast_precision_loss, reason = "a page has not that many characters")]
fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}
