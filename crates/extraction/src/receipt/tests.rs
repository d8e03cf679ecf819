use pages::{Area, Confidence, Origin, Page, Reading, Size, TextSource, Word};

use crate::collector::Collector;
use crate::parsed::Parsed;
use crate::types::builtin;

fn size(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap())
}

/// A row for each text; `label | amount` places the amount at the right. `word<other>` has two OCR readings.
fn receipt(rows: &[&str]) -> Page {
    let mut words = Vec::new();
    for (row, text) in rows.iter().enumerate() {
        let top = 14.0 * size(row);
        for (column, part) in text.split(" | ").enumerate() {
            let mut left = 10.0 + 150.0 * size(column);
            for word in part.split(' ') {
                let (text, other) = match word.trim_end_matches('>').split_once('<') {
                    Some((text, other)) => (text, Some(other)),
                    None => (word, None),
                };
                let right = left + 5.0 * size(text.len());
                words.push(Word {
                    text: text.to_owned(),
                    area: Some(Area { left, top, right, bottom: top + 10.0 }),
                    other: other.map(|other| {
                        let text = other.to_owned();
                        Box::new(Reading {
                            text,
                            confidence: Confidence(50),
                            origin: Origin::Tesseract,
                        })
                    }),
                    ..Word::default()
                });
                left = right + 3.0;
            }
        }
    }
    let size = Some(Size { width: 250.0, height: 600.0 });
    Page { number: 1, size, text: TextSource::Recognised, words, ..Page::default() }
}

fn read(rows: &[&str]) -> Parsed {
    let of = builtin().iter().find(|of| of.name == "receipt").unwrap();
    Collector::of([&receipt(rows)]).finish(of).unwrap()
}

fn best<'a>(parsed: &'a Parsed, name: &str) -> Option<&'a str> {
    let field = parsed.fields.iter().find(|field| field.name == name)?;
    field.candidates.first().map(|candidate| candidate.value.as_str())
}

#[test]
fn a_receipt_gives_company_address_date_and_total() {
    let parsed = read(&[
        "BLUE CORNER TRADING",
        "(JM0012345-K)",
        "NO 5, JALAN MAWAR 2,",
        "81100 JOHOR BAHRU, JOHOR.",
        "TEL: 07-1234567",
        "Date: 05/03/2018",
        "Soap | 12.50",
        "SUB TOTAL | 12.50",
        "TOTAL RM | 12.50",
        "CASH | 20.00",
        "CHANGE | 7.50",
    ]);
    assert_eq!(best(&parsed, "company"), Some("BLUE CORNER TRADING"));
    assert_eq!(best(&parsed, "address"), Some("NO 5, JALAN MAWAR 2, 81100 JOHOR BAHRU, JOHOR."));
    assert_eq!(best(&parsed, "date"), Some("2018-03-05"));
    assert_eq!(best(&parsed, "total"), Some("12.50"));
    assert_eq!(best(&parsed, "currency"), Some("MYR"));
}

#[test]
fn the_rounded_total_is_the_total() {
    let parsed = read(&[
        "CORNER MART",
        "TOTAL AMT | 60.31",
        "ROUNDING ADJ | -0.01",
        "RM | 60.30",
        "CASH | 70.30",
        "CHANGE | 10.00",
    ]);
    assert_eq!(best(&parsed, "total"), Some("60.30"));
}

#[test]
fn the_other_reading_is_chosen_when_only_it_is_an_amount() {
    let parsed = read(&["CORNER MART", "Soap | 4.10", "TOTAL | 8G.40<86.40>", "Points | 3"]);
    assert_eq!(best(&parsed, "total"), Some("86.40"));
}

#[test]
fn cents_that_ocr_separated_belong_to_the_amount() {
    let parsed = read(&["CORNER MART", "TOTAL | 64. 15", "CASH | 100. 00", "CHANGE | 35. 85"]);
    assert_eq!(best(&parsed, "total"), Some("64.15"));
}

#[test]
fn notes_by_hand_and_codes_are_no_company() {
    let parsed = read(&[
        "john smith",
        "A03018",
        "GREEN LEAF CAFE",
        "12, MAIN STREET",
        "TEL 1234567",
        "TOTAL | 3.20",
    ]);
    assert_eq!(best(&parsed, "company"), Some("GREEN LEAF CAFE"));
    assert_eq!(best(&parsed, "address"), Some("12, MAIN STREET"));
}

#[test]
fn a_page_without_words_has_no_fields() {
    assert!(read(&[]).fields.iter().all(|field| field.candidates.is_empty()));
}
