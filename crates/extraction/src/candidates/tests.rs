use pages::{Area, Confidence, Line, Origin, Page, Reading, Word};

use super::*;

/// A page with these rows; letters are five points wide, rows twelve points apart.
pub(crate) fn page(rows: &[&str]) -> Page {
    let mut page = Page { number: 1, ..Page::default() };
    let mut top = 0.0_f32;
    for row in rows {
        let from = page.words.len();
        let mut left = 0.0_f32;
        for part in row.split(' ') {
            let width = 5.0 * f32::from(u8::try_from(part.chars().count()).unwrap());
            if !part.is_empty() {
                let area = Area { left, top, right: left + width, bottom: top + 10.0 };
                page.words.push(Word { text: part.into(), area: Some(area), ..Word::default() });
            }
            left += width + 5.0;
        }
        let words = Span::new(from..page.words.len());
        let area = Some(Area { left: 0.0, top, right: left, bottom: top + 10.0 });
        page.lines.push(Line { words, area });
        top += 12.0;
    }
    page
}

fn find_in(row: &str) -> Vec<Found> {
    let page = page(&[row]);
    find(&View::new(&page))
}

fn values(kind: FieldKind, row: &str) -> Vec<String> {
    find_in(row).iter().filter(|f| f.kind == kind).map(Found::normalised).collect()
}

/// The amounts of a row with their currencies.
fn money(row: &str) -> Vec<String> {
    let found = find_in(row).into_iter().filter(|found| found.kind == FieldKind::Money);
    found.map(|f| format!("{} {}", f.normalised(), f.currency.unwrap_or_default())).collect()
}

#[test]
fn finds_numeric_dates() {
    for row in [
        "am 06.07.2021 in",
        "6.7.2021",
        "2021-07-06",
        "2021/07/06",
        "06.07.21",
        "Datum:06.07.2021,",
        "06.07.2021/10:15",
        "2021-07-06T10:15:00",
        "06-Jul-2021",
        "06JUL2021",
        "20210706",
        "6. 7. 2021",
        "06 / 07 / 2021",
    ] {
        assert_eq!(values(FieldKind::Date, row), ["2021-07-06"], "{row}");
    }
}

#[test]
fn finds_written_dates_in_every_language() {
    for row in [
        "6. März 2021",
        "6. Maerz 2021",
        "6 March 2021",
        "March 6th, 2021",
        "Mar 6, 2021",
        "6 mars 2021",
        "6 marzo 2021",
        "6 de marzo de 2021",
        "6 de março de 2021",
        "6 maart 2021",
        "6 marca 2021",
        "6 Mrz. 21",
    ] {
        assert_eq!(values(FieldKind::Date, row), ["2021-03-06"], "{row}");
    }
    assert_eq!(values(FieldKind::Date, "1er août 2019"), ["2019-08-01"]);
    assert_eq!(values(FieldKind::Date, "12 października 2019"), ["2019-10-12"]);
}

#[test]
fn what_only_looks_like_a_date_is_none() {
    for row in [
        "31.02.2021",
        "1.2.3",
        "192.168.10.20",
        "123.45.2021",
        "12345678",
        "Mai 2021",
        "99/99/2021",
    ] {
        assert_eq!(values(FieldKind::Date, row), [""; 0], "{row}");
    }
}

#[test]
fn other_dates_decide_whether_the_day_is_first() {
    let resolved = |row: &str, language: Option<&str>| {
        let mut found = find_in(row);
        let mut conventions = Conventions::default();
        conventions.observe(language, &found);
        let open = conventions.resolve(&mut found[0]);
        (found[0].normalised(), open)
    };
    assert_eq!(resolved("03/04/2021 12/25/2020", None), ("2021-03-04".into(), false));
    assert_eq!(resolved("03/04/2021 25/12/2020", None), ("2021-04-03".into(), false));
    assert_eq!(resolved("03/04/2021", Some("fr")), ("2021-04-03".into(), false));
    assert_eq!(resolved("03/04/2021", Some("en")), ("2021-04-03".into(), true));
    assert_eq!(resolved("03/04/2021", None), ("2021-04-03".into(), true));
}

#[test]
fn finds_amounts_with_their_currency() {
    assert_eq!(money("Kurswert EUR 1.234,56"), ["1234.56 EUR"]);
    assert_eq!(money("Total 1,234.56 USD"), ["1234.56 USD"]);
    assert_eq!(money("CHF 12'345.60"), ["12345.60 CHF"]);
    assert_eq!(money("12’345.60 Fr."), ["12345.60 CHF"]);
    assert_eq!(money("€114,00"), ["114.00 EUR"]);
    assert_eq!(money("114,00€"), ["114.00 EUR"]);
    assert_eq!(money("RM 9.00"), ["9.00 MYR"]);
    assert_eq!(money("EUR 100,--"), ["100 EUR"]);
}

#[test]
fn each_amount_of_a_row_has_its_own_currency() {
    assert_eq!(money("Brutto 220,00 CAD 137,53 EUR"), ["220.00 CAD", "137.53 EUR"]);
    assert_eq!(money("Brutto CAD 220,00 EUR 137,53"), ["220.00 CAD", "137.53 EUR"]);
}

#[test]
fn finds_the_sign_of_an_amount() {
    for row in [
        "EUR -9,21",
        "EUR 9,21-",
        "EUR 9,21 -",
        "- 9,21 EUR",
        "-9,21 EUR",
        "- EUR 9,21",
        "EUR −9,21",
        "9,21 EUR S",
        "9,21 EUR Soll",
        "9,21 EUR -",
    ] {
        assert_eq!(money(row), ["-9.21 EUR"], "{row}");
    }
    for row in ["9,21 EUR H", "EUR 9,21 Haben", "EUR +9,21", "EUR 9,21+"] {
        assert_eq!(money(row), ["9.21 EUR"], "{row}");
    }
    assert_eq!(money("- 33,00 CAD - 20,63 EUR"), ["-33.00 CAD", "-20.63 EUR"]);
    assert_eq!(find_in("9,21S")[0].entry, Some(Entry::Debit));
}

#[test]
fn joins_groups_of_digits_and_keeps_the_parts() {
    assert_eq!(money("Net 3 132,67 EUR"), ["3132.67 EUR", "132.67 EUR"]);
    assert_eq!(money("1 234 567.80 CHF"), ["1234567.80 CHF", "567.80 CHF"]);
    // Words of different columns are not joined.
    assert!(!money("7            447,52 EUR").contains(&"7447.52 EUR".to_owned()));
}

#[test]
fn finds_quantities_percentages_and_numbers() {
    assert_eq!(values(FieldKind::Quantity, "STK 57 Aktie"), ["57"]);
    assert_eq!(values(FieldKind::Quantity, "2,1524 Anteile"), ["2.1524"]);
    assert_eq!(values(FieldKind::Quantity, "12 shares"), ["12"]);
    assert_eq!(values(FieldKind::Percent, "15,00 % und 5,5%"), ["15.00", "5.5"]);
    assert_eq!(values(FieldKind::Number, "Kurs 1,5996000000"), ["1.5996000000"]);
}

#[test]
fn other_numbers_decide_what_a_separator_means() {
    let resolved = |row: &str| {
        let mut found = find_in(row);
        let mut conventions = Conventions::default();
        conventions.observe(None, &found);
        let open = conventions.resolve(&mut found[0]);
        (found[0].normalised(), open)
    };
    assert_eq!(resolved("1.000 5,50"), ("1000".into(), false));
    assert_eq!(resolved("1.000 5.50"), ("1.000".into(), false));
    assert_eq!(resolved("1.000"), ("1000".into(), true));
    assert_eq!(resolved("0,125 5.50"), ("0.125".into(), false));
}

#[test]
fn what_only_looks_like_a_number_is_none() {
    for row in ["1.2.3", "12,34,5", "12.3456,7,8", "A12", "12:30", "1..2"] {
        assert_eq!(values(FieldKind::Number, row), [""; 0], "{row}");
    }
}

#[test]
fn finds_isins_by_their_checksum() {
    for row in ["ISIN DE0005190003", "(US0378331005)", "ISIN:DE0005190003", "DE 000519000 3"] {
        assert_eq!(values(FieldKind::Isin, row).len(), 1, "{row}");
    }
    assert_eq!(values(FieldKind::Isin, "Dividend DE0005190003ex 2024"), ["DE0005190003"]);
    assert_eq!(values(FieldKind::Isin, "DE0005190004"), [""; 0]);
    // A checksum alone is right by chance one time in ten.
    assert_eq!(values(FieldKind::Isin, "DATA01062023"), [""; 0]);
}

#[test]
fn finds_security_numbers() {
    assert_eq!(values(FieldKind::Wkn, "WKN 519000"), ["519000"]);
    assert_eq!(values(FieldKind::Wkn, "A0V9L9"), ["A0V9L9"]);
    assert_eq!(values(FieldKind::Wkn, "Valoren-Nr.: 249745"), ["249745"]);
    assert_eq!(values(FieldKind::Wkn, "Konto 519000"), [""; 0]);
}

#[test]
fn finds_ibans_by_their_checksum_and_bics_by_their_label() {
    let iban = ["DE89370400440532013000"];
    assert_eq!(values(FieldKind::Iban, "IBAN DE89 3704 0044 0532 0130 00 bei"), iban);
    assert_eq!(values(FieldKind::Iban, "IBAN:DE89370400440532013000"), iban);
    assert_eq!(values(FieldKind::Iban, "DE88 3704 0044 0532 0130 00"), [""; 0]);
    assert_eq!(values(FieldKind::Bic, "BIC: COBADEFFXXX"), ["COBADEFFXXX"]);
    assert_eq!(values(FieldKind::Bic, "COBADEFFXXX"), [""; 0]);
}

#[test]
fn finds_vat_ids() {
    assert_eq!(values(FieldKind::VatId, "USt-IdNr.: DE 114 103 475"), ["DE114103475"]);
    assert_eq!(values(FieldKind::VatId, "USt-Id: DE114103475,"), ["DE114103475"]);
    assert_eq!(values(FieldKind::VatId, "ATU12345678"), ["ATU12345678"]);
    assert_eq!(values(FieldKind::VatId, "CHE-109.346.830 MWST"), ["CHE109346830"]);
    assert_eq!(values(FieldKind::VatId, "DE1234"), [""; 0]);
}

#[test]
fn finds_identifiers_beside_and_below_their_label() {
    assert_eq!(values(FieldKind::Id, "Rechnungs-Nr.: 2021/0815"), ["2021/0815"]);
    assert_eq!(values(FieldKind::Id, "Order ID 5276831204"), ["5276831204"]);
    assert_eq!(values(FieldKind::Id, "Nr.:4711"), ["4711"]);
    assert_eq!(values(FieldKind::Id, "Betrag 4711"), [""; 0]);
    let below = page(&["Rechnungsnummer Datum", "R-4711 06.07.2021"]);
    let found = find(&View::new(&below));
    assert!(found.iter().any(|f| f.kind == FieldKind::Id && f.normalised() == "R-4711"));
}

#[test]
fn both_readings_of_an_uncertain_word_are_candidates() {
    let mut page = page(&["Total EUR 813,38"]);
    page.words[2].other = Some(Box::new(Reading {
        text: "818,38".into(),
        confidence: Confidence(40),
        origin: Origin::Tesseract,
    }));
    let found = find(&View::new(&page));
    let readings: Vec<_> = found.iter().map(|f| (f.normalised(), f.source)).collect();
    assert_eq!(
        readings,
        [
            ("813.38".to_owned(), FieldSource::Page),
            ("818.38".to_owned(), FieldSource::OcrAlternative)
        ]
    );
    assert_eq!(found[1].currency.as_deref(), Some("EUR"));
}

#[test]
fn a_candidate_knows_its_place() {
    let found = find_in("Kurswert EUR 12,50");
    assert_eq!(found[0].words, Span { from: 2, to: 3 });
    assert_eq!(found[0].raw, "12,50");
    assert_eq!(found[0].area.map(|area| area.left), Some(65.0));
}

#[test]
fn a_page_without_words_or_with_damaged_lines_has_no_candidates() {
    assert!(find(&View::new(&Page::default())).is_empty());
    let mut damaged = page(&["EUR 12,50"]);
    damaged.lines.push(Line { words: Span { from: 1, to: 99 }, area: None });
    damaged.lines.push(Line { words: Span { from: 0, to: 2 }, area: None });
    assert_eq!(find(&View::new(&damaged)).len(), 1);
}

#[test]
fn finds_an_isin_that_is_spaced_unevenly() {
    assert_eq!(values(FieldKind::Isin, "STK 13 N L0 00 0 3 88 6 1 9"), ["NL0000388619"]);
    assert!(values(FieldKind::Isin, "N L0 00 0 3 88 6 1 8").is_empty(), "wrong check digit");
}
