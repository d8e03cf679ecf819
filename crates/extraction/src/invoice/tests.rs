use pages::{Area, Page, Size, Word};

use crate::collector::Collector;
use crate::parsed::{Parsed, ParsedField};
use crate::types::{DocumentType, builtin};

/// A page whose words are 5 points wide for each character and 10 points high. Texts are placed with their first word at
/// the given place.
fn page(number: u32, texts: &[(f32, f32, &str)]) -> Page {
    let mut words = Vec::new();
    for (left, top, text) in texts {
        let mut left = *left;
        for word in text.split(' ') {
            let right = left + 5.0 * f32::from(u16::try_from(word.chars().count()).unwrap());
            let area = Area { left, top: *top, right, bottom: top + 10.0 };
            words.push(Word { text: word.to_owned(), area: Some(area), ..Word::default() });
            left = right + 3.0;
        }
    }
    let size = Some(Size { width: 595.0, height: 842.0 });
    Page { number, size, words, language: Some("de".into()), ..Page::default() }
}

fn invoice() -> &'static DocumentType {
    builtin().iter().find(|of| of.name == "invoice").unwrap()
}

fn parse(pages: &[Page], document_type: &DocumentType) -> Parsed {
    Collector::of(pages).finish(document_type).unwrap()
}

fn best<'a>(fields: &'a [ParsedField], name: &str) -> Option<&'a str> {
    let field = fields.iter().find(|field| field.name == name)?;
    field.candidates.first().map(|candidate| candidate.value.as_str())
}

fn lines(parsed: &Parsed) -> Vec<[Option<&str>; 4]> {
    let names = ["name", "quantity", "unit_price", "line_total"];
    parsed.lines.iter().map(|line| names.map(|name| best(line, name))).collect()
}

/// A letter with a sender's line above the window, a table and totals.
fn letter() -> Page {
    page(
        1,
        &[
            (60.0, 120.0, "Muster Werkzeuge GmbH · Feldweg 7 · 50667 Köln"),
            (60.0, 140.0, "Anna Beispiel"),
            (60.0, 152.0, "Lindenallee 3"),
            (60.0, 164.0, "10115 Berlin"),
            (60.0, 250.0, "Rechnung Nr. 2024-117 vom 03.05.2024"),
            (60.0, 265.0, "Lieferdatum 01.05.2024"),
            (60.0, 300.0, "Menge"),
            (120.0, 300.0, "Bezeichnung"),
            (350.0, 300.0, "Einzelpreis"),
            (450.0, 300.0, "Gesamt"),
            (60.0, 320.0, "2,00"),
            (120.0, 320.0, "Bohrmaschine"),
            (350.0, 320.0, "100,00 €"),
            (450.0, 320.0, "200,00 €"),
            (60.0, 340.0, "10"),
            (120.0, 340.0, "Schrauben"),
            (350.0, 340.0, "0,50 €"),
            (450.0, 340.0, "5,00 €"),
            (350.0, 380.0, "Nettobetrag"),
            (450.0, 380.0, "205,00 €"),
            (350.0, 395.0, "zzgl. 19% MwSt"),
            (450.0, 395.0, "38,95 €"),
            (350.0, 410.0, "Rechnungsbetrag"),
            (450.0, 410.0, "243,95 €"),
            (60.0, 450.0, "Zahlbar bis 17.05.2024"),
            (60.0, 800.0, "USt-IdNr. DE123456789"),
        ],
    )
}

#[test]
fn a_letter_gives_number_dates_parties_and_totals() {
    let parsed = parse(&[letter()], invoice());
    for (name, expected) in [
        ("invoice_number", "2024-117"),
        ("issue_date", "2024-05-03"),
        ("due_date", "2024-05-17"),
        ("seller.name", "Muster Werkzeuge GmbH"),
        ("seller.street", "Feldweg 7"),
        ("seller.city", "Köln"),
        ("seller.vat_id", "DE123456789"),
        ("buyer.name", "Anna Beispiel"),
        ("buyer.street", "Lindenallee 3"),
        ("buyer.postcode", "10115"),
        ("currency", "EUR"),
        ("line_total", "205.00"),
        ("tax_basis_total", "205.00"),
        ("tax_total", "38.95"),
        ("grand_total", "243.95"),
        ("due_payable", "243.95"),
    ] {
        assert_eq!(best(&parsed.fields, name), Some(expected), "{name}");
    }
    assert_eq!(best(&parsed.fields, "buyer.vat_id"), None);
}

#[test]
fn every_candidate_has_its_place_on_the_page() {
    let parsed = parse(&[letter()], invoice());
    let number =
        &parsed.fields.iter().find(|field| field.name == "invoice_number").unwrap().candidates[0];
    assert_eq!((number.page, number.raw.as_str()), (Some(1), "2024-117"));
    assert!((number.area.unwrap().top - 250.0).abs() < 0.1);
}

#[test]
fn lines_are_read_by_the_header_of_their_table() {
    let parsed = parse(&[letter()], invoice());
    assert_eq!(
        lines(&parsed),
        [
            [Some("Bohrmaschine"), Some("2.00"), Some("100.00"), Some("200.00")],
            [Some("Schrauben"), Some("10"), Some("0.50"), Some("5.00")],
        ]
    );
}

#[test]
fn a_name_continues_where_the_row_above_is_full() {
    let mut texts: Vec<(f32, f32, &str)> = vec![
        (60.0, 100.0, "Qty"),
        (100.0, 100.0, "Description"),
        (250.0, 100.0, "Unit price"),
        (350.0, 100.0, "Amount"),
    ];
    let rows = [
        (60.0, 120.0, "1"),
        (100.0, 120.0, "Repair of a large garden"),
        (250.0, 120.0, "80.00"),
        (350.0, 120.0, "80.00"),
        (100.0, 131.0, "machine"),
        (100.0, 160.0, "Remark that is no name"),
        (60.0, 180.0, "3"),
        (100.0, 180.0, "Oil"),
        (250.0, 180.0, "5.00"),
        (350.0, 180.0, "15.00"),
        (250.0, 220.0, "Total"),
        (350.0, 220.0, "95.00"),
    ];
    texts.extend(rows);
    let parsed = parse(&[page(1, &texts)], invoice());
    let names: Vec<_> = lines(&parsed).iter().map(|line| line[0]).collect();
    assert_eq!(names, [Some("Repair of a large garden machine"), Some("Oil")]);
}

#[test]
fn headings_decide_who_is_the_seller() {
    let texts = [
        (60.0, 100.0, "Bill to"),
        (60.0, 112.0, "Blue Ltd"),
        (60.0, 124.0, "12 Main Street"),
        (60.0, 136.0, "London SW1A 1AA"),
        (320.0, 100.0, "Supplier"),
        (320.0, 112.0, "Green Ltd"),
        (320.0, 124.0, "9 High Street"),
        (320.0, 136.0, "Leeds LS1 4AP"),
        (320.0, 160.0, "Ship to"),
        (320.0, 172.0, "Red Ltd"),
        (320.0, 184.0, "1 Low Road"),
        (320.0, 196.0, "York YO1 7HH"),
    ];
    let parsed = parse(&[page(1, &texts)], invoice());
    assert_eq!(best(&parsed.fields, "seller.name"), Some("Green Ltd"));
    assert_eq!(best(&parsed.fields, "seller.postcode"), Some("LS1 4AP"));
    assert_eq!(best(&parsed.fields, "buyer.name"), Some("Blue Ltd"));
    assert_eq!(best(&parsed.fields, "buyer.city"), Some("London"));
}

#[test]
fn arithmetic_decides_between_totals_with_the_same_label() {
    let texts = [
        (60.0, 100.0, "Net total"),
        (300.0, 100.0, "100.00"),
        (60.0, 115.0, "VAT"),
        (300.0, 115.0, "20.00"),
        (60.0, 130.0, "VAT"),
        (300.0, 130.0, "23.40"),
        (60.0, 145.0, "Total"),
        (300.0, 145.0, "120.00"),
    ];
    let parsed = parse(&[page(1, &texts)], invoice());
    assert_eq!(best(&parsed.fields, "tax_total"), Some("20.00"));
}

#[test]
fn an_empty_page_has_no_fields() {
    let parsed = parse(&[Page { number: 1, ..Page::default() }], invoice());
    assert!(parsed.fields.iter().all(|field| field.candidates.is_empty()));
    assert!(parsed.lines.is_empty());
}

#[test]
fn the_work_on_a_page_full_of_amounts_is_bounded() {
    let mut texts: Vec<(f32, f32, &str)> =
        vec![(60.0, 10.0, "Menge Bezeichnung"), (300.0, 10.0, "Preis"), (400.0, 10.0, "Gesamt")];
    for row in 0..4_000_u16 {
        let top = 30.0 + 12.0 * f32::from(row);
        texts.push((60.0, top, "1 Total 12345 Ort"));
        texts.push((300.0, top, "9,99"));
        texts.push((400.0, top, "9,99"));
    }
    let parsed = parse(&[page(1, &texts)], invoice());
    assert!(parsed.lines.len() <= 2_000);
    assert!(parsed.fields.iter().all(|field| field.candidates.len() <= 6));
}

/// A page with a table of line items: header and rows at these places.
fn table(header: &[(f32, &str)], rows: &[(f32, &[(f32, &str)])]) -> Page {
    let mut texts: Vec<(f32, f32, &str)> =
        header.iter().map(|(left, text)| (*left, 100.0, *text)).collect();
    for (top, cells) in rows {
        texts.extend(cells.iter().map(|(left, text)| (*left, *top, *text)));
    }
    page(1, &texts)
}

const COLUMNS: [(f32, &str); 4] =
    [(60.0, "Menge"), (120.0, "Bezeichnung"), (350.0, "Einzelpreis"), (450.0, "Gesamt")];

#[test]
fn a_description_below_a_name_is_no_part_of_it_when_the_name_had_room() {
    let header = [
        (60.0, "Art-Nr"),
        (120.0, "Menge"),
        (250.0, "Nettopreis"),
        (400.0, "Nettowert"),
        (60.0, "Artikelbezeichnung"),
    ];
    let mut texts: Vec<(f32, f32, &str)> = header
        .iter()
        .zip([100.0, 100.0, 100.0, 100.0, 111.0])
        .map(|((left, text), top)| (*left, top, *text))
        .collect();
    texts.extend([
        (60.0, 130.0, "GZ250"),
        (120.0, 130.0, "10,00"),
        (250.0, 130.0, "2,00"),
        (400.0, 130.0, "20,00"),
        (60.0, 141.0, "Zucker 250g"),
        (60.0, 152.0, "Artikel wie vereinbart mit Rabatt"),
    ]);
    let parsed = parse(&[page(1, &texts)], invoice());
    assert_eq!(lines(&parsed)[0][0], Some("Zucker 250g"));
}

#[test]
fn a_header_of_name_and_description_separates_both_at_the_dash() {
    let rows: [(f32, &[(f32, &str)]); 1] =
        [(120.0, &[(60.0, "2"), (100.0, "Repair - on site"), (300.0, "40.00"), (400.0, "80.00")])];
    let header =
        |name| [(60.0, "Qty"), (100.0, name), (300.0, "Unit price"), (400.0, "Line total")];
    let both = parse(&[table(&header("Item & description"), &rows)], invoice());
    assert_eq!(lines(&both)[0][0], Some("Repair"));
    let one = parse(&[table(&header("Description"), &rows)], invoice());
    assert_eq!(lines(&one)[0][0], Some("Repair - on site"));
}

#[test]
fn missing_amounts_follow_from_the_others() {
    let rows: [(f32, &[(f32, &str)]); 3] = [
        (120.0, &[(60.0, "4"), (120.0, "Holz"), (450.0, "10,00")]),
        (140.0, &[(120.0, "Leim"), (350.0, "2,50"), (450.0, "7,50")]),
        (160.0, &[(60.0, "3"), (120.0, "Nägel"), (450.0, "10,00")]),
    ];
    let parsed = parse(&[table(&COLUMNS, &rows)], invoice());
    assert_eq!(
        lines(&parsed),
        [
            [Some("Holz"), Some("4"), Some("2.5"), Some("10.00")],
            [Some("Leim"), Some("3"), Some("2.50"), Some("7.50")],
            [Some("Nägel"), Some("3"), None, Some("10.00")],
        ],
        "a third of ten is no price"
    );
    let price = &parsed.lines[0][2].candidates[0];
    assert_eq!((price.source, price.page), (domain::FieldSource::Derived, None));
}

#[test]
fn a_price_below_the_row_counts_when_it_explains_the_total() {
    let rows: [(f32, &[(f32, &str)]); 3] = [
        (120.0, &[(60.0, "10"), (120.0, "Stahl"), (450.0, "850,00")]),
        (131.0, &[(120.0, "Abschlag"), (350.0, "-150,00")]),
        (142.0, &[(120.0, "Bruttopreis :100,00")]),
    ];
    let parsed = parse(&[table(&COLUMNS, &rows)], invoice());
    assert_eq!(lines(&parsed), [[Some("Stahl"), Some("10"), Some("100.00"), Some("850.00")]]);
    // Without it, the reduction forbids to divide.
    let parsed = parse(&[table(&COLUMNS, &rows[..2])], invoice());
    assert_eq!(lines(&parsed)[0][2], None);
}

#[test]
fn a_column_of_numbers_that_multiply_to_the_totals_has_the_quantities() {
    let header = [(60.0, "#"), (120.0, "Produkt"), (350.0, "Einzelpreis"), (450.0, "Summe")];
    let quantities: [(f32, &[(f32, &str)]); 2] = [
        (120.0, &[(60.0, "1,00"), (120.0, "Stunde"), (350.0, "160,00"), (450.0, "160,00")]),
        (140.0, &[(60.0, "400,00"), (120.0, "Ballon"), (350.0, "0,79"), (450.0, "316,00")]),
    ];
    let parsed = parse(&[table(&header, &quantities)], invoice());
    assert_eq!(lines(&parsed)[1][1], Some("400.00"));
    let positions: [(f32, &[(f32, &str)]); 2] = [
        (120.0, &[(60.0, "1"), (120.0, "Stunde"), (350.0, "80,00"), (450.0, "160,00")]),
        (140.0, &[(60.0, "2"), (120.0, "Ballon"), (350.0, "0,79"), (450.0, "316,00")]),
    ];
    let parsed = parse(&[table(&header, &positions)], invoice());
    let found: Vec<_> = lines(&parsed).iter().map(|line| line[1].map(str::to_owned)).collect();
    assert_eq!(found, [Some("2".to_owned()), Some("400".to_owned())], "by division");
}

#[test]
fn a_unit_may_touch_its_quantity() {
    let rows: [(f32, &[(f32, &str)]); 2] = [
        (120.0, &[(60.0, "10Stk."), (120.0, "Rohr"), (350.0, "2,00"), (450.0, "20,00")]),
        (140.0, &[(60.0, "3,5h"), (120.0, "Montage"), (350.0, "60,00"), (450.0, "210,00")]),
    ];
    let parsed = parse(&[table(&COLUMNS, &rows)], invoice());
    let quantities: Vec<_> = lines(&parsed).iter().map(|line| line[1]).collect();
    assert_eq!(quantities, [Some("10"), Some("3.5")]);
    assert_eq!(parsed.lines[0][1].candidates[0].raw, "10Stk.");
}

#[test]
fn sums_that_a_page_carries_over_are_no_lines() {
    let header = [(60.0, "Leistung"), (450.0, "Betrag")];
    let first = table(
        &header,
        &[
            (120.0, &[(60.0, "Beratung"), (450.0, "100,00")]),
            (780.0, &[(60.0, "Übertrag"), (450.0, "100,00")]),
        ],
    );
    let second = page(
        2,
        &[
            (60.0, 60.0, "Übertrag"),
            (450.0, 60.0, "100,00"),
            (60.0, 80.0, "Schulung"),
            (450.0, 80.0, "50,00"),
            (60.0, 120.0, "Gesamtbetrag"),
            (450.0, 120.0, "150,00"),
        ],
    );
    let parsed = parse(&[first, second], invoice());
    let found: Vec<_> = lines(&parsed).iter().map(|line| (line[0], line[3])).collect();
    assert_eq!(found, [(Some("Beratung"), Some("100.00")), (Some("Schulung"), Some("50.00"))]);
}

#[test]
fn remarks_with_numbers_in_the_columns_are_no_lines() {
    let rows: [(f32, &[(f32, &str)]); 2] = [
        (120.0, &[(60.0, "27,5"), (120.0, "Montage"), (350.0, "10,50"), (450.0, "288,75")]),
        (140.0, &[(60.0, "4,50"), (120.0, "Abschlag"), (350.0, "15,00"), (450.0, "1")]),
    ];
    let parsed = parse(&[table(&COLUMNS, &rows)], invoice());
    assert_eq!(parsed.lines.len(), 1);
}
