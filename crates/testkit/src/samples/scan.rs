//! Scans: PDFs whose pages are pictures of text and nothing else.
//!
//! Letters are five by seven dots, drawn large in black and white, as a scanner at 150 dots per inch leaves
//! them: OCR reads most of them, and a page takes a few kilobytes.

use std::io::{self, Write};

/// Of a page, in pixels; whole bytes across.
const WIDTH: usize = 1_240;
const HEIGHT: usize = 1_754;
/// Pixels to a dot of a letter.
const DOT: usize = 4;
const MARGIN: usize = 120;
const LETTER: usize = 6 * DOT;
const LINE: usize = 16 * DOT;

/// Seven rows of five dots.
const LETTERS: &[(char, [u8; 7])] = &[
    ('A', [14, 17, 17, 31, 17, 17, 17]),
    ('B', [30, 17, 17, 30, 17, 17, 30]),
    ('C', [14, 17, 16, 16, 16, 17, 14]),
    ('D', [30, 17, 17, 17, 17, 17, 30]),
    ('E', [31, 16, 16, 30, 16, 16, 31]),
    ('F', [31, 16, 16, 30, 16, 16, 16]),
    ('G', [14, 17, 16, 23, 17, 17, 15]),
    ('H', [17, 17, 17, 31, 17, 17, 17]),
    ('I', [14, 4, 4, 4, 4, 4, 14]),
    ('J', [7, 2, 2, 2, 2, 18, 12]),
    ('K', [17, 18, 20, 24, 20, 18, 17]),
    ('L', [16, 16, 16, 16, 16, 16, 31]),
    ('M', [17, 27, 21, 21, 17, 17, 17]),
    ('N', [17, 25, 25, 21, 19, 19, 17]),
    ('O', [14, 17, 17, 17, 17, 17, 14]),
    ('P', [30, 17, 17, 30, 16, 16, 16]),
    ('Q', [14, 17, 17, 17, 21, 18, 13]),
    ('R', [30, 17, 17, 30, 20, 18, 17]),
    ('S', [15, 16, 16, 14, 1, 1, 30]),
    ('T', [31, 4, 4, 4, 4, 4, 4]),
    ('U', [17, 17, 17, 17, 17, 17, 14]),
    ('V', [17, 17, 17, 17, 17, 10, 4]),
    ('W', [17, 17, 17, 21, 21, 21, 10]),
    ('X', [17, 17, 10, 4, 10, 17, 17]),
    ('Y', [17, 17, 10, 4, 4, 4, 4]),
    ('Z', [31, 1, 2, 4, 8, 16, 31]),
    ('0', [14, 17, 19, 21, 25, 17, 14]),
    ('1', [4, 12, 4, 4, 4, 4, 14]),
    ('2', [14, 17, 1, 2, 4, 8, 31]),
    ('3', [31, 2, 4, 2, 1, 17, 14]),
    ('4', [2, 6, 10, 18, 31, 2, 2]),
    ('5', [31, 16, 30, 1, 1, 17, 14]),
    ('6', [6, 8, 16, 30, 17, 17, 14]),
    ('7', [31, 1, 2, 4, 4, 4, 4]),
    ('8', [14, 17, 17, 14, 17, 17, 14]),
    ('9', [14, 17, 17, 15, 1, 2, 12]),
];

/// Writes a scan page by page, so that one of thousands of pages is never held as a whole.
#[derive(Debug)]
pub struct ScanWriter<W> {
    to: W,
    at: u64,
    /// Where objects begin, by their numbers; 1 and 2 come last.
    places: Vec<u64>,
    pages: Vec<usize>,
    paper: Paper,
}

/// In points.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    width: u32,
    height: u32,
}

impl Paper {
    pub const A4: Self = Self { width: 595, height: 842 };
    /// For tests: a quarter of the pixels of A4 when it is drawn.
    pub const A6: Self = Self { width: 298, height: 421 };
}

impl<W: Write> ScanWriter<W> {
    pub fn new(to: W, paper: Paper) -> io::Result<Self> {
        let mut scan = Self { to, at: 0, places: vec![0; 2], pages: Vec::new(), paper };
        scan.write(b"%PDF-1.5\n")?;
        Ok(scan)
    }

    /// Adds a page with these lines. What is not a capital letter or a digit is left white.
    pub fn page(&mut self, lines: &[&str]) -> io::Result<()> {
        let picture = packed(&drawn(lines));
        let about = format!(
            "/Type /XObject /Subtype /Image /Width {WIDTH} /Height {HEIGHT} /ColorSpace /DeviceGray \
             /BitsPerComponent 1 /Filter /RunLengthDecode"
        );
        let picture = self.stream(&about, &picture)?;
        let Paper { width, height } = self.paper;
        let content = format!("q {width} 0 0 {height} 0 0 cm /P Do Q");
        let content = self.stream("", content.as_bytes())?;
        let resources = format!("/XObject << /P {picture} 0 R >>");
        self.end_page(content, &resources)
    }

    /// Adds a page whose text is text.
    pub fn text_page(&mut self, text: &str) -> io::Result<()> {
        let content = format!("BT /F1 18 Tf 36 360 Td ({text}) Tj ET");
        let content = self.stream("", content.as_bytes())?;
        let font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
        self.end_page(content, font)
    }

    fn end_page(&mut self, content: usize, resources: &str) -> io::Result<()> {
        let Paper { width, height } = self.paper;
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {content} 0 R \
             /Resources << {resources} >> >>"
        );
        let page = self.object(page.as_bytes())?;
        self.pages.push(page);
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<W> {
        let kids: Vec<String> = self.pages.iter().map(|page| format!("{page} 0 R")).collect();
        let tree = format!(
            "2 0 obj << /Type /Pages /Count {} /Kids [{}] >> endobj\n",
            kids.len(),
            kids.join(" ")
        );
        self.places[0] = self.at;
        self.write(b"1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n")?;
        self.places[1] = self.at;
        self.write(tree.as_bytes())?;
        let (table, size) = (self.at, self.places.len() + 1);
        self.write(format!("xref\n0 {size}\n0000000000 65535 f \n").as_bytes())?;
        for place in std::mem::take(&mut self.places) {
            self.write(format!("{place:010} 00000 n \n").as_bytes())?;
        }
        let trailer =
            format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n");
        self.write(trailer.as_bytes())?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn stream(&mut self, about: &str, content: &[u8]) -> io::Result<usize> {
        let head = format!("<< {about} /Length {} >> stream\n", content.len());
        self.object(&[head.as_bytes(), content, b"\nendstream"].concat())
    }

    /// The object's number.
    fn object(&mut self, content: &[u8]) -> io::Result<usize> {
        self.places.push(self.at);
        let number = self.places.len();
        self.write(format!("{number} 0 obj\n").as_bytes())?;
        self.write(content)?;
        self.write(b"\nendobj\n")?;
        Ok(number)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.to.write_all(bytes)
    }
}

/// A scan of pages with one line each.
pub fn scan_of(pages: &[&str]) -> Vec<u8> {
    let mut scan = ScanWriter::new(Vec::new(), Paper::A6).unwrap();
    for line in pages {
        scan.page(&[line]).unwrap();
    }
    scan.finish().unwrap()
}

/// A bit for each pixel, white where it is set.
fn drawn(lines: &[&str]) -> Vec<u8> {
    let mut bits = vec![0xff; WIDTH / 8 * HEIGHT];
    for (row, line) in lines.iter().enumerate() {
        for (column, letter) in line.chars().enumerate() {
            let (left, top) = (MARGIN + column * LETTER, MARGIN + row * LINE);
            if left + LETTER > WIDTH - MARGIN || top + LINE > HEIGHT - MARGIN {
                break;
            }
            let Some((_, dots)) = LETTERS.iter().find(|(known, _)| *known == letter) else {
                continue;
            };
            for (x, y) in (0..5 * DOT).flat_map(|x| (0..7 * DOT).map(move |y| (x, y))) {
                if dots[y / DOT] >> (4 - x / DOT) & 1 == 1 {
                    let at = (top + y) * WIDTH + left + x;
                    bits[at / 8] &= !(0x80 >> (at % 8));
                }
            }
        }
    }
    bits
}

/// As PDF's `RunLengthDecode` unpacks it: runs of one byte, and stretches as they are.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let same = rest.iter().take(128).take_while(|byte| **byte == first).count();
        if same > 1 {
            packed.extend([u8::try_from(257 - same).unwrap(), first]);
            rest = &rest[same..];
        } else {
            let pairs = rest.windows(2).take(127);
            let length = 1 + pairs.take_while(|pair| pair[0] != pair[1]).count();
            let length = length.min(rest.len()).min(128);
            packed.push(u8::try_from(length - 1).unwrap());
            packed.extend(&rest[..length]);
            rest = &rest[length..];
        }
    }
    packed.push(128);
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let (mut bytes, mut rest) = (Vec::new(), packed);
        loop {
            let (&length, after) = rest.split_first().unwrap();
            let length = usize::from(length);
            match length {
                128 => return bytes,
                0..128 => {
                    bytes.extend(&after[..=length]);
                    rest = &after[length + 1..];
                }
                _ => {
                    bytes.extend(vec![after[0]; 257 - length]);
                    rest = &after[1..];
                }
            }
        }
    }

    #[test]
    fn a_picture_is_packed_as_it_is_and_small() {
        let lines = ["THE QUICK BROWN FOX JUMPS", "OVER 13 LAZY DOGS"];
        let picture = drawn(&lines);
        let packed = packed(&picture);
        assert!(unpacked(&packed) == picture);
        assert!(packed.len() < 20_000, "{}", packed.len());
        for bytes in [&b""[..], b"a", b"ab", b"aab", b"abb", b"aaaa", b"abab"] {
            assert_eq!(unpacked(&super::packed(bytes)), bytes);
        }
    }
}
