//! The first engine: Tesseract 5, as an external program.
//!
//! A sandboxed child must not start programs, so this module only encodes the input and parses the output. The parent
//! runs the program with [`encode`]d bytes on its standard input and returns its standard output.

use image::GrayImage;

use pages::{Area, Confidence, Origin, Word};

pub const PROGRAM: &str = "tesseract";
/// One thread per process: pages are read in parallel instead.
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

/// A picture that was [`encode`]d, and nothing else.
pub fn decode(bytes: &[u8]) -> Option<GrayImage> {
    let mut lines = bytes.splitn(4, |byte| *byte == b'\n');
    let (magic, size, depth, pixels) = (lines.next()?, lines.next()?, lines.next()?, lines.next()?);
    let (width, height) = str::from_utf8(size).ok()?.split_once(' ')?;
    if (magic, depth) != (b"P5".as_slice(), b"255".as_slice()) {
        return None;
    }
    GrayImage::from_raw(width.parse().ok()?, height.parse().ok()?, pixels.to_vec())
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

#[cfg(test)]
mod tests {
    use image::Luma;

    use super::*;

    #[test]
    fn a_picture_comes_back_as_it_was() {
        // Pixels that look like the end of a line are pixels.
        let picture = GrayImage::from_fn(7, 3, |x, y| Luma([u8::try_from(x + y + 6).unwrap()]));
        let encoded = encode(&picture);
        assert_eq!(decode(&encoded), Some(picture));
        assert_eq!(decode(&encoded[..encoded.len() - 1]), None);
        assert_eq!(decode(b"P6\n1 1\n255\nx"), None);
    }
}
