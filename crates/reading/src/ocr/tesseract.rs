//! The first engine: Tesseract 5, as a program of its own.
//!
//! A sandboxed child starts no programs, so this is only the two ends: what the program is given, and what its
//! answer means. Whoever runs it writes [`encode`]d bytes to its standard input and hands back its standard
//! output.

use image::GrayImage;

use crate::model::{Area, Confidence, Origin, Word};

pub const PROGRAM: &str = "tesseract";
/// Its threads cost more than they bring; pages are read side by side instead.
pub const ENVIRONMENT: &[(&str, &str)] = &[("OMP_THREAD_LIMIT", "1")];

/// How it is to look at a page: find the columns by itself, and mind that the picture may be of any
/// resolution.
pub const OPTIONS: &[&str] = &["--psm", "3"];

/// The level of a TSV row that is a word.
const WORD: &str = "5";

/// How the program is called: picture on standard input, TSV on standard output.
///
/// `languages` as Tesseract names them, joined by `+`; `dpi` as the page was rendered, where that is known.
pub fn command_arguments(languages: &str, dpi: Option<u32>) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["stdin", "stdout", "-l", languages, "--psm", "3"].map(str::to_owned).to_vec();
    if let Some(dpi) = dpi {
        arguments.extend(["--dpi".to_owned(), dpi.clamp(70, 2_400).to_string()]);
    }
    arguments.push("tsv".to_owned());
    arguments
}

/// The picture as the program reads it: PGM, which costs nothing to make.
pub fn encode(image: &GrayImage) -> Vec<u8> {
    let mut bytes = format!("P5\n{} {}\n255\n", image.width(), image.height()).into_bytes();
    bytes.extend_from_slice(image.as_raw());
    bytes
}

/// The words of the program's answer, areas in pixels, at most `most` of them. What is not a word is skipped:
/// the answer comes from outside.
pub fn parse_tsv(tsv: &str, most: usize) -> Vec<Word> {
    tsv.lines().filter_map(word_of).take(most).collect()
}

fn word_of(row: &str) -> Option<Word> {
    let columns: Vec<&str> = row.splitn(12, '\t').collect();
    let [level, .., left, top, width, height, confidence, text] = columns[..] else { return None };
    let text = text.trim();
    if level != WORD || text.is_empty() {
        return None;
    }
    let number = |column: &str| column.parse::<f32>().ok().filter(|value| value.is_finite());
    let (left, top) = (number(left)?, number(top)?);
    let (width, height) = (number(width)?, number(height)?);
    let confidence = number(confidence)?;
    if confidence < 0.0 {
        return None;
    }
    Some(Word {
        text: text.to_owned(),
        area: Some(Area { left, top, right: left + width, bottom: top + height }),
        confidence: Confidence(confidence.min(100.0) as u8),
        origin: Origin::Tesseract,
        ..Word::default()
    })
}
