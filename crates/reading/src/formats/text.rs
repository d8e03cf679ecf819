//! Plain text: decodes the characters; empty lines separate paragraphs, form feeds separate pages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use pages::BlockKind;

use crate::flow::{Flow, Text};
use crate::{ReadError, Sink, Source};

/// The longest paragraph, in bytes.
const MAX_PARAGRAPH: usize = 256 << 10;

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let text = decode(source.bytes, None);
    let mut flow = Flow::begin(source, sink, None, BTreeMap::new())?;
    paragraphs(&text, &mut flow)?;
    flow.finish()
}

/// The text, page by page and paragraph by paragraph.
pub(super) fn paragraphs(text: &str, flow: &mut Flow) -> Result<(), ReadError> {
    for (at, page) in text.split('\u{C}').enumerate() {
        if at > 0 {
            flow.break_page()?;
        }
        let mut paragraph = String::new();
        // Old Macs end lines by a carriage return alone.
        for line in page.lines().flat_map(|line| line.split('\r')) {
            if flow.is_full() {
                return Ok(());
            }
            let line = visible(line);
            if line.trim().is_empty() || paragraph.len() > MAX_PARAGRAPH {
                flow.block(BlockKind::Paragraph, &Text::plain(std::mem::take(&mut paragraph)))?;
            }
            paragraph.push_str(&line);
            paragraph.push('\n');
        }
        flow.block(BlockKind::Paragraph, &Text::plain(paragraph))?;
    }
    Ok(())
}

/// Removes control characters, including those that change the direction of text.
pub(super) fn visible(line: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        (c.is_control() && c != '\t')
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}' | '\u{200B}')
    };
    if line.contains(hidden) {
        return line.replace(hidden, "").into();
    }
    line.into()
}

/// Decodes characters by their byte order mark, else by the declared encoding (`said`), else by detection.
pub(super) fn decode<'a>(bytes: &'a [u8], said: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(mark..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let said = said.and_then(|name| Encoding::for_label(name.as_bytes()));
    let encoding = said.filter(|said| *said != UTF_8).unwrap_or_else(|| guessed(bytes));
    encoding.decode_without_bom_handling(bytes).0
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    if let Some(wide) = wide(bytes) {
        return wide;
    }
    // Text with few invalid bytes is still UTF-8.
    let broken = String::from_utf8_lossy(bytes).matches('\u{FFFD}').count();
    let high = bytes.iter().filter(|byte| **byte >= 0x80).count();
    if broken * 10 < high {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(..bytes.len().min(1 << 20)).unwrap_or(bytes), true);
    detector.guess(None, Utf8Detection::Allow)
}

/// UTF-16 without a byte order mark: every other byte of Western text is zero.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = bytes.get(..bytes.len().min(4096))?;
    let zeros =
        |from: usize| sample.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let most = sample.len() * 2 / 5;
    if sample.len() < 4 {
        return None;
    }
    if odd >= most && even < most / 8 + 1 {
        return Some(UTF_16LE);
    }
    (even >= most && odd < most / 8 + 1).then_some(UTF_16BE)
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;

    use super::*;

    #[test]
    fn encodings_are_told_apart() {
        let (german, _, _) = WINDOWS_1252.encode("Die Größe der Straße übersteigt jedes Maß.");
        assert_eq!(decode(&german, None), "Die Größe der Straße übersteigt jedes Maß.");
        let wide: Vec<u8> = "Grüße".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&wide, None), "Grüße");
        let marked: Vec<u8> = "\u{FEFF}Grüße".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&marked, None), "Grüße");
        assert_eq!(decode("Grüße".as_bytes(), Some("latin1")), "Grüße");
        assert_eq!(decode(b"Gr\xFC\xDFe", Some("iso-8859-1")), "Grüße");
    }

    #[test]
    fn one_broken_byte_leaves_the_rest_of_utf8_alone() {
        let mut bytes = "Größe, Straße, Maß, Füße, Süße, Öl, Äpfel, Übel".as_bytes().to_vec();
        bytes.push(0xFF);
        assert!(decode(&bytes, None).starts_with("Größe, Straße"));
    }

    #[test]
    fn what_turns_the_writing_round_is_taken_out() {
        assert_eq!(visible("safe\u{202E}txt.exe\0"), "safetxt.exe");
    }
}
