//! The engines themselves, on a picture drawn here. They are installed by `scripts/ocr-models`, which `make test`
//! calls: a test that does not find them fails.

#![expect(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and its numbers are small"
)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use image::{GrayImage, Luma};
use pages::{Origin, Page, Preparation, Rotation, Size, TextSource, Word};
use reading::ocr::consensus::ACCEPTED;
use reading::ocr::pp::PpOcr;
use reading::ocr::{Effort, Sheet, find_upright, tesseract};

const PAGE: Size = Size { width: 500.0, height: 300.0 };

/// Five by seven pixels, one number for each row.
const GLYPHS: &[(char, [u8; 7])] = &[
    ('A', [14, 17, 17, 31, 17, 17, 17]),
    ('C', [14, 17, 16, 16, 16, 17, 14]),
    ('D', [30, 17, 17, 17, 17, 17, 30]),
    ('E', [31, 16, 16, 30, 16, 16, 31]),
    ('I', [14, 4, 4, 4, 4, 4, 14]),
    ('L', [16, 16, 16, 16, 16, 16, 31]),
    ('N', [17, 25, 25, 21, 19, 19, 17]),
    ('O', [14, 17, 17, 17, 17, 17, 14]),
    ('R', [30, 17, 17, 30, 20, 18, 17]),
    ('T', [31, 4, 4, 4, 4, 4, 4]),
    ('U', [17, 17, 17, 17, 17, 17, 14]),
    ('V', [17, 17, 17, 17, 17, 10, 4]),
    ('2', [14, 17, 1, 2, 4, 8, 31]),
    ('4', [2, 6, 10, 18, 31, 2, 2]),
    ('7', [31, 1, 2, 4, 4, 4, 4]),
];

const LINES: [&str; 4] =
    ["INVOICE 4724", "CONTRACT AND ORDER", "TOTAL 2474 EURO", "DATE 24 OCTOER"];

/// The lines in letters of 28 pixels.
fn picture() -> GrayImage {
    let mut picture = GrayImage::from_pixel(1_000, 600, Luma([245]));
    for (row, line) in LINES.iter().enumerate() {
        for (column, character) in line.chars().enumerate() {
            let Some((_, glyph)) = GLYPHS.iter().find(|(c, _)| *c == character) else { continue };
            let (left, top) = (80 + column as u32 * 26, 80 + row as u32 * 110);
            for (x, y) in (0..20_u32).flat_map(|x| (0..28_u32).map(move |y| (x, y))) {
                if glyph[(y / 4) as usize] >> (4 - x / 4) & 1 == 1 {
                    picture.put_pixel(left + x, top + y, Luma([20]));
                }
            }
        }
    }
    image::imageops::blur(&picture, 1.2)
}

fn engine() -> PpOcr {
    let home = || PathBuf::from(std::env::var_os("HOME").expect("HOME")).join(".cache");
    let cache = || std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    let tools = std::env::var_os("DOCKET_TOOLS")
        .map_or_else(|| cache().join("docket/tools"), PathBuf::from);
    PpOcr::load(&tools.join("ocr/pp-ocrv6-small"), 1).expect("run scripts/ocr-models")
}

fn run_tesseract(sheet: &Sheet) -> Vec<Word> {
    let mut child = Command::new(tesseract::PROGRAM)
        .args(tesseract::command_arguments("eng", None))
        .envs(tesseract::ENVIRONMENT.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("run scripts/ocr-models");
    let picture = tesseract::encode(sheet.for_tesseract());
    child.stdin.take().unwrap().write_all(&picture).unwrap();
    let answer = child.wait_with_output().unwrap();
    assert!(answer.status.success());
    tesseract::parse_tsv(&String::from_utf8(answer.stdout).unwrap(), 1_000)
}

fn text(words: &[Word]) -> String {
    // In letters of five by seven pixels the two are the same.
    words.iter().map(|word| word.text.replace('0', "O")).collect::<Vec<_>>().join(" ")
}

#[test]
fn both_engines_read_a_page_and_agree() {
    let sheet = Sheet::new(picture(), PAGE, Vec::new());
    let first = run_tesseract(&sheet);
    let engine = engine();
    for effort in [Effort::Everywhere, Effort::WhereNeeded] {
        let words = sheet.read(Some(&first), Some(&engine), effort).unwrap();
        assert_eq!(text(&words), LINES.join(" "), "{effort:?}");
        let number = words.iter().find(|word| word.text == "4724").unwrap();
        assert_eq!(number.origin, Origin::Agreed);
        assert!(number.confidence >= ACCEPTED);
        // Drawn at 80 + 8 × 26 pixels and two pixels to the point.
        let area = number.area.unwrap();
        assert!((area.left - 144.0).abs() < 6.0 && (area.top - 40.0).abs() < 6.0, "{area:?}");
    }
}

#[test]
fn the_second_engine_alone_reads_a_crooked_page_and_finds_its_words() {
    let crooked = Preparation { deskew: 4.0, ..Preparation::default() };
    let picture = reading::prepare::apply(&crooked, picture(), PAGE);
    let sheet = Sheet::new(picture, PAGE, Vec::new());
    let words = sheet.read(None, Some(&engine()), Effort::Everywhere).unwrap();
    assert_eq!(text(&words), LINES.join(" "));
    assert!(words.iter().all(|word| word.origin == Origin::PpOcr && word.confidence < ACCEPTED));
    let area_of = |text: &str| {
        words.iter().find(|word| word.text.replace('0', "O") == text).unwrap().area.unwrap()
    };
    assert!(area_of("4724").left > area_of("INVOICE").right - 4.0);
}

#[test]
fn a_page_that_lies_the_wrong_way_round_is_set_upright() {
    let engine = engine();
    let turned =
        |turn: fn(&GrayImage) -> GrayImage| find_upright(&engine, &turn(&picture())).unwrap();
    assert_eq!(turned(Clone::clone), Rotation::None);
    assert_eq!(turned(image::imageops::rotate180), Rotation::Half);
    assert_eq!(turned(image::imageops::rotate270), Rotation::Quarter);
    assert_eq!(turned(image::imageops::rotate90), Rotation::ThreeQuarters);
}

#[test]
fn a_blank_page_needs_no_engine_and_an_inked_one_without_an_engine_says_so() {
    let mut page = Page { text: TextSource::Wanted, ..Page::default() };
    let blank = Sheet::new(GrayImage::from_pixel(600, 800, Luma([250])), PAGE, Vec::new());
    assert!(blank.is_blank());
    blank.fill(&mut page, None);
    assert_eq!(page.text, TextSource::Blank);

    let sheet = Sheet::new(picture(), PAGE, Vec::new());
    sheet.fill(&mut page, None);
    assert_eq!(page.text, TextSource::Unavailable);
    let words = sheet.read(None, Some(&engine()), Effort::WhereNeeded).unwrap();
    sheet.fill(&mut page, Some(words));
    assert_eq!(page.text, TextSource::Recognised);
    assert!(page.quality.0 > 50 && !page.words.is_empty());
}

#[test]
fn models_that_are_not_there_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = PpOcr::load(folder.path(), 1).unwrap_err().to_string();
    assert!(error.contains("detection.onnx") && error.ends_with("is not installed"), "{error}");
}
