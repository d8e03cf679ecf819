use pages::{Attachment, Head, Page};

use super::*;
use crate::candidates::{find, page_of_rows};

const CII: &str = include_str!("../../../e-invoice/tests/invoices/cii.xml");

const PAGE: [&str; 14] = [
    "Leuchten Nord GmbH   Am Kai 7   24103 Kiel",
    "Café Müller & Söhne",
    "Ringstraße 3",
    "8010 Graz",
    "Rechnungsnummer:  F-2031/77",
    "Rechnungsdatum:  14.03.2031",
    "Zahlbar bis:  28. März 2031",
    "Pos  Artikel       Menge   Preis    Betrag",
    "1    Lampe, groß   20      19,95    399,00",
    "2    Kabel         401     250,00   1.002,50",
    "Nettobetrag                   1.401,50",
    "19 % USt                        266,29",
    "Rechnungsbetrag EUR           1.667,79",
    "USt-IdNr.  DE 811222333",
];

fn head(kind: FileKind) -> Head {
    Head { kind, title: None, properties: [].into(), pages: None }
}

fn attached(xml: &str) -> Attachment {
    Attachment { name: "factur-x.xml".to_owned(), media_type: None, bytes: xml.into() }
}

fn parsed(kind: FileKind, files: &[&str], pages: &[Page]) -> Parsed {
    let mut collector = Collector::default();
    collector.head(&head(kind));
    for xml in files {
        collector.attachment(&attached(xml));
    }
    for page in pages {
        let view = View::new(page);
        collector.page(&view, &find(&view));
    }
    collector.finish()
}

fn candidate<'p>(parsed: &'p Parsed, name: &str) -> &'p Candidate {
    &parsed.fields.iter().find(|field| field.name == name).unwrap().candidates[0]
}

fn check<'p>(parsed: &'p Parsed, name: &str) -> &'p Check {
    parsed.checks.iter().find(|check| check.name == format!("e_invoice.{name}")).unwrap()
}

#[test]
fn the_values_of_the_xml_have_their_places_on_the_page() {
    let page = page_of_rows(&PAGE);
    let parsed = parsed(FileKind::Pdf, &[CII], &[page]);
    assert_eq!(parsed.document_type, "invoice");
    for (name, value, raw) in [
        ("invoice_number", "F-2031/77", "F-2031/77"),
        ("issue_date", "2031-03-14", "14.03.2031"),
        ("due_date", "2031-03-28", "28. März 2031"),
        ("grand_total", "1667.79", "1.667,79"),
        ("seller.name", "Leuchten Nord GmbH", "Leuchten Nord GmbH"),
        ("seller.vat_id", "DE811222333", "DE 811222333"),
        ("buyer.street", "Ringstraße 3", "Ringstraße 3"),
    ] {
        let found = candidate(&parsed, name);
        assert_eq!((found.value.as_str(), found.raw.as_str()), (value, raw), "{name}");
        assert_eq!((found.page, found.source), (Some(1), FieldSource::EInvoice));
        assert!(found.area.is_some(), "{name}");
    }
    assert_eq!(candidate(&parsed, "grand_total").currency.as_deref(), Some("EUR"));
    // The page does not show it, so only the XML has it.
    let country = candidate(&parsed, "seller.country");
    assert_eq!((country.value.as_str(), country.page), ("DE", None));
    let total = &parsed.lines[1][3];
    assert_eq!((total.name.as_str(), total.candidates[0].raw.as_str()), ("line_total", "1.002,50"));
    assert!(total.candidates[0].area.is_some());
    assert_eq!(parsed.warnings, Vec::<String>::new());
    for name in
        ["invoice_number", "issue_date", "due_date", "grand_total", "tax_total", "tax_breakdown"]
    {
        assert_eq!(check(&parsed, name).passed, Some(true), "{name}");
    }
    let detail = &check(&parsed, "grand_total").detail;
    assert_eq!(detail, "1667.79 in the electronic invoice = 1.667,79 on page 1");
}

#[test]
fn a_page_with_another_total_contradicts_the_xml() {
    // The amount of the XML is on the page, but not as the total.
    let rows = PAGE.map(|row| match row {
        "Rechnungsbetrag EUR           1.667,79" => "Rechnungsbetrag EUR           1.967,79",
        "19 % USt                        266,29" => "Zwischensumme   1.667,79",
        row => row,
    });
    let parsed = parsed(FileKind::Pdf, &[CII], &[page_of_rows(&rows)]);
    let total = check(&parsed, "grand_total");
    assert_eq!(total.passed, Some(false));
    assert_eq!(total.detail, "1667.79 in the electronic invoice, 1.967,79 on page 1");
    let warning = "The electronic invoice and the page differ: grand total is 1667.79 in the XML and 1.967,79 on page 1.";
    assert!(parsed.warnings.iter().any(|found| found == warning), "{:?}", parsed.warnings);
    assert_eq!(check(&parsed, "tax_total").passed, None, "a page need not show it");
    assert_eq!(candidate(&parsed, "grand_total").value, "1667.79", "the XML stays what it says");
}

#[test]
fn a_page_without_the_number_contradicts_the_xml_and_a_picture_does_not() {
    let rows =
        PAGE.map(|row| if row.starts_with("Rechnungsnummer") { "Rechnungsnummer: 5" } else { row });
    let other = parsed(FileKind::Pdf, &[CII], &[page_of_rows(&rows)]);
    assert_eq!(check(&other, "invoice_number").passed, Some(false));
    let blank = parsed(FileKind::Pdf, &[CII], &[Page { number: 1, ..Page::default() }]);
    assert!(blank.checks.iter().all(|check| check.passed != Some(false)), "{:?}", blank.checks);
    assert!(blank.warnings.is_empty());
}

#[test]
fn pages_that_were_made_of_the_xml_are_not_compared_with_it() {
    let parsed = parsed(FileKind::Xml, &[CII], &[page_of_rows(&["Invoice F-2031/77"])]);
    let names: Vec<&str> = parsed.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["e_invoice.tax_breakdown"]);
    assert_eq!(candidate(&parsed, "invoice_number").page, Some(1));
}

#[test]
fn other_attachments_and_damaged_ones_are_no_invoice() {
    let page = page_of_rows(&PAGE);
    let nothing = parsed(FileKind::Pdf, &["plain words"], std::slice::from_ref(&page));
    assert_eq!(nothing, Parsed::default());
    let cut = &CII[..CII.len() / 2];
    let damaged = parsed(FileKind::Pdf, &[cut], std::slice::from_ref(&page));
    assert_eq!(damaged.document_type, "");
    assert!(
        damaged.warnings[0].starts_with("An electronic invoice in the document cannot be read: ")
    );
    let second = CII.replace("F-2031/77", "F-2031/78");
    let two = parsed(FileKind::Pdf, &[CII, &second], &[page]);
    assert_eq!(candidate(&two, "invoice_number").value, "F-2031/77");
    assert!(two.warnings[0].contains("several electronic invoices"), "{:?}", two.warnings);
}

#[test]
fn taxes_that_do_not_add_up_fail_their_check() {
    let parsed = parsed(
        FileKind::Xml,
        &[&CII.replace("<ram:CalculatedAmount>266.29", "<ram:CalculatedAmount>200.00")],
        &[],
    );
    let taxes = check(&parsed, "tax_breakdown");
    assert_eq!((taxes.passed, taxes.detail.as_str()), (Some(false), "200.00 ≠ 266.29"));
}

#[test]
fn reconciling_keeps_the_checks_and_names_them_at_their_fields() {
    let rows = PAGE
        .map(|row| row.replace("Rechnungsbetrag EUR           1.667,79", "Rechnungsbetrag 9,00"));
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let parsed = parsed(FileKind::Pdf, &[CII], &[page_of_rows(&rows)]);
    let invoice = crate::types::builtin().iter().find(|known| known.name == DOCUMENT_TYPE).unwrap();
    let extraction = crate::reconcile::reconcile(invoice, &parsed);
    let total = &extraction.fields["grand_total"];
    assert_eq!(
        (total.value.as_deref(), total.source),
        (Some("1667.79"), Some(FieldSource::EInvoice))
    );
    assert!(total.checks.iter().any(|name| name == "e_invoice.grand_total"), "{:?}", total.checks);
    let failed = extraction.checks.iter().filter(|check| check.passed == Some(false));
    assert!(failed.map(|check| check.name.as_str()).any(|name| name == "e_invoice.grand_total"));
    assert_eq!(extraction.lines.len(), 2);
    assert_eq!(extraction.fields["seller.vat_id"].raw.as_deref(), Some("DE 811222333"));
}
