use pages::{Page, Tail};
use serde_json::json;

use super::*;
use crate::candidates::page_of_rows;
use crate::reconcile::reconcile;
use crate::types::builtin;

fn parse_pages(pages: Vec<Page>, request: &ParseRequest) -> Result<Parsed, ExtractError> {
    let count = u32::try_from(pages.len()).unwrap();
    let parts = pages
        .into_iter()
        .map(Part::Page)
        .chain([Part::Tail(Tail { pages: count, remarks: vec![] })]);
    parse(parts.map(Ok), request)
}

fn request(wanted: Option<&str>) -> ParseRequest {
    ParseRequest {
        types: builtin().to_vec(),
        wanted: wanted.map(str::to_owned),
        memory: Vec::new(),
    }
}

fn contract_note() -> &'static DocumentType {
    builtin().iter().find(|known| known.name == "contract_note").unwrap()
}

fn purchase() -> Page {
    page_of_rows(&[
        "Musterbank AG",
        "Wertpapierabrechnung Kauf",
        "Stück 50 Beispiel SE",
        "ISIN DE0005190003 WKN 519000",
        "Handelstag 12.03.2021",
        "Kurs EUR 20,00",
        "Kurswert EUR 1.000,00",
        "Provision EUR 9,90",
        "Börsengebühr EUR 2,10",
        "Ausmachender Betrag EUR 1.012,00",
        "Valuta 16.03.2021",
    ])
}

#[test]
fn finds_the_trade_of_a_contract_note() {
    let parsed = parse_pages(vec![purchase()], &request(None)).unwrap();
    let result = reconcile(contract_note(), &parsed);
    let trade = &result.trades[0];
    let value = |name: &str| trade[name].value.clone().unwrap_or_default();
    assert_eq!(value("isin"), "DE0005190003");
    assert_eq!(value("side"), "buy");
    assert_eq!(value("trade_date"), "2021-03-12");
    assert_eq!(value("quantity"), "50");
    assert_eq!(value("net_amount"), "1012.00");
    assert_eq!(value("gross_amount"), "1000.00");
    assert_eq!(value("fees"), "12.00");
    assert_eq!(value("currency"), "EUR");
    assert!(trade["isin"].page == Some(1) && trade["isin"].area.is_some());
    assert!(result.checks.iter().any(|c| c.name == "net_of_buy" && c.passed == Some(true)));
}

#[test]
fn an_unknown_type_is_an_error() {
    let error = parse_pages(vec![], &request(Some("recipe"))).unwrap_err();
    assert!(matches!(error, ExtractError::UnknownType(name) if name == "recipe"));
}

#[test]
fn a_document_without_words_has_no_type() {
    let parsed = parse_pages(vec![Page::default()], &request(None)).unwrap();
    assert_eq!(parsed, Parsed::default());
}

#[test]
fn labelled_values_are_extracted_when_no_type_is_recognised() {
    let page = page_of_rows(&["Sehr geehrte Damen und Herren,", "der Termin ist am 05.05.2021."]);
    let parsed = parse_pages(vec![page.clone()], &request(None)).unwrap();
    assert_eq!(parsed.document_type, "generic");
    assert!(
        parsed.fields.iter().any(|f| f.name == "date" && f.candidates[0].value == "2021-05-05")
    );
    assert!(parsed.warnings.iter().any(|warning| warning.contains("No document type")));
    // Who chooses the type knows.
    let parsed = parse_pages(vec![page.clone()], &request(Some("generic"))).unwrap();
    assert!(parsed.warnings.is_empty());
    let without = ParseRequest { types: vec![contract_note().clone()], ..request(None) };
    assert_eq!(parse_pages(vec![page], &without).unwrap(), Parsed::default());
}

#[test]
fn a_wanted_type_is_used_without_evidence() {
    let parsed = parse_pages(vec![Page::default()], &request(Some("contract_note"))).unwrap();
    assert_eq!(parsed.document_type, "contract_note");
    let result = reconcile(contract_note(), &parsed);
    assert_eq!(result.trades.len(), 1);
    assert!(result.trades[0].values().all(|field| field.value.is_none() || field.confidence < 0.6));
}

#[test]
fn fields_of_a_tenants_type_are_found_by_their_labels() {
    let own: DocumentType = serde_json::from_value(json!({
        "name": "delivery", "title": "Delivery", "schema": { "type": "object" },
        "fields": [
            { "name": "delivered", "kind": "date", "labels": { "de": ["Geliefert am"] } },
            { "name": "driver", "kind": "text", "labels": { "de": ["Fahrer"] } },
            { "name": "weight", "kind": "number", "labels": { "de": ["Gewicht"] } },
        ],
    }))
    .unwrap();
    let page = page_of_rows(&[
        "Lieferschein vom 01.02.2021",
        "Geliefert am 03.02.2021",
        "Fahrer Erika Muster",
        "Gewicht 12,5",
    ]);
    let wanted =
        ParseRequest { types: vec![own.clone()], wanted: Some("delivery".into()), memory: vec![] };
    let parsed = parse_pages(vec![page], &wanted).unwrap();
    let result = reconcile(&own, &parsed);
    assert_eq!(result.fields["delivered"].value.as_deref(), Some("2021-02-03"));
    assert_eq!(result.fields["driver"].value.as_deref(), Some("Erika Muster"));
    assert_eq!(result.fields["weight"].value.as_deref(), Some("12.5"));
}

#[test]
fn a_long_document_keeps_a_bounded_number_of_values() {
    let rows: Vec<String> = (0..50).map(|at| format!("Betrag EUR {at},50 am 12.03.2021")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let page = page_of_rows(&rows);
    let mut scan = Scan::new();
    for _ in 0..300 {
        scan.add(&page);
    }
    scan.finish();
    assert!(scan.truncated);
    assert!(scan.mentions.len() <= 6_600);
    assert!(scan.rows.len() <= 8_600);
    assert_eq!(scan.pages, 300);
}
