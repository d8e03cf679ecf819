use domain::{Extraction, FieldSource};

use super::*;
use crate::parsed::Candidate;
use crate::types::builtin;

fn contract_note() -> &'static DocumentType {
    builtin().iter().find(|known| known.name == "contract_note").unwrap()
}

fn candidate(value: &str, score: f32) -> Candidate {
    Candidate {
        value: value.to_owned(),
        raw: value.to_owned(),
        page: Some(1),
        area: None,
        source: FieldSource::Page,
        score,
        currency: Some("EUR".to_owned()),
    }
}

fn field(name: &str, candidates: &[(&str, f32)]) -> ParsedField {
    ParsedField::new(
        name,
        candidates.iter().map(|(value, score)| candidate(value, *score)).collect(),
    )
}

fn parts(name: &str, candidates: &[(&str, f32)]) -> ParsedField {
    ParsedField { additive: true, ..field(name, candidates) }
}

fn reconciled(fields: Vec<ParsedField>) -> Extraction {
    let parsed =
        Parsed { document_type: "contract_note".into(), trades: vec![fields], ..Parsed::default() };
    reconcile(contract_note(), &parsed)
}

fn value(extraction: &Extraction, name: &str) -> String {
    extraction.trades[0][name].value.clone().unwrap_or_default()
}

#[test]
fn the_sum_decides_between_amounts() {
    let result = reconciled(vec![
        field("side", &[("sell", 4.0)]),
        field("net_amount", &[("950.00", 0.5), ("988.10", 0.3)]),
        field("gross_amount", &[("1000.00", 2.0)]),
        parts("fees", &[("9.90", 2.0), ("7.00", -1.0)]),
        parts("taxes", &[("2.00", 1.5)]),
    ]);
    assert_eq!(value(&result, "net_amount"), "988.10");
    assert_eq!(value(&result, "fees"), "9.90");
    assert_eq!(value(&result, "taxes"), "2.00");
    let check = result.checks.iter().find(|check| check.name == "net_of_sell").unwrap();
    assert_eq!(check.passed, Some(true));
    assert_eq!(check.detail, "1000.00 − 9.90 − 2.00 = 988.10");
    assert!(result.trades[0]["net_amount"].checks.contains(&"net_of_sell".to_owned()));
    assert!(result.trades[0]["net_amount"].confidence > 0.8);
}

#[test]
fn several_fees_are_added() {
    let result = reconciled(vec![
        field("side", &[("buy", 4.0)]),
        field("net_amount", &[("1012.00", 3.0)]),
        field("gross_amount", &[("1000.00", 3.0)]),
        parts("fees", &[("9.90", 2.0), ("2.10", 0.5), ("12.00", -3.0)]),
        parts("taxes", &[]),
    ]);
    assert_eq!(value(&result, "fees"), "12.00");
    assert_eq!(result.trades[0]["fees"].raw.as_deref(), Some("9.90 + 2.10"));
    assert_eq!(value(&result, "taxes"), "0");
    assert_eq!(result.trades[0]["taxes"].source, Some(FieldSource::Derived));
}

#[test]
fn a_sum_with_a_term_of_a_language_model_is_a_choice_of_the_model() {
    let mut fees = parts("fees", &[("9.90", 2.0), ("2.10", -0.5)]);
    fees.candidates[1].source = FieldSource::LanguageModel;
    let result = reconciled(vec![
        field("side", &[("buy", 4.0)]),
        field("net_amount", &[("1012.00", 3.0)]),
        field("gross_amount", &[("1000.00", 3.0)]),
        fees,
        parts("taxes", &[]),
    ]);
    assert_eq!(value(&result, "fees"), "12.00");
    assert_eq!(result.trades[0]["fees"].source, Some(FieldSource::LanguageModel));
    assert_eq!(result.trades[0]["taxes"].source, Some(FieldSource::Derived));
}

#[test]
fn a_gross_amount_that_the_page_does_not_show_follows_from_the_others() {
    let result = reconciled(vec![
        field("side", &[("dividend", 4.0)]),
        field("net_amount", &[("73.63", 3.0)]),
        field("gross_amount", &[]),
        parts("fees", &[]),
        parts("taxes", &[("25.00", 3.0), ("1.37", 3.0)]),
    ]);
    assert_eq!(value(&result, "gross_amount"), "100.00");
    assert_eq!(result.trades[0]["gross_amount"].source, Some(FieldSource::Derived));
}

#[test]
fn an_amount_in_another_currency_is_converted() {
    let foreign = Candidate { currency: Some("USD".into()), ..candidate("110.00", 3.0) };
    let result = reconciled(vec![
        field("side", &[("dividend", 4.0)]),
        field("net_amount", &[("85.00", 3.0)]),
        ParsedField::new("gross_amount", vec![foreign]),
        field("exchange_rate", &[("1.1000", 3.0)]),
        parts("fees", &[]),
        parts("taxes", &[("15.00", 2.0)]),
    ]);
    assert_eq!(value(&result, "gross_amount"), "100.00");
    assert_eq!(value(&result, "taxes"), "15.00");
}

#[test]
fn the_net_amount_that_another_is_converted_to_is_the_settlement() {
    let at = |value: &str, score: f32, currency: &str, top: f32| Candidate {
        currency: Some(currency.into()),
        area: Some(pages::Area { left: 0.0, top, right: 10.0, bottom: top + 10.0 }),
        ..candidate(value, score)
    };
    let result = reconciled(vec![
        field("side", &[("dividend", 4.0)]),
        ParsedField::new(
            "net_amount",
            vec![at("76.50", 1.0, "USD", 60.0), at("52.80", 0.0, "EUR", 80.0)],
        ),
        ParsedField::new("gross_amount", vec![at("102.00", 3.0, "USD", 20.0)]),
        field("exchange_rate", &[("1.4490", 3.0)]),
        parts("fees", &[]),
        ParsedField {
            additive: true,
            ..ParsedField::new(
                "taxes",
                vec![at("15.30", 2.0, "USD", 30.0), at("10.20", 2.0, "USD", 40.0)],
            )
        },
    ]);
    assert_eq!(value(&result, "net_amount"), "52.80");
    assert_eq!(value(&result, "taxes"), "17.60");
    assert_eq!(value(&result, "gross_amount"), "70.40");
    let check = result.checks.iter().find(|check| check.name == "net_of_dividend").unwrap();
    assert_eq!(check.passed, Some(true));
}

#[test]
fn the_other_ocr_reading_is_chosen_when_only_it_adds_up() {
    let other = Candidate { source: FieldSource::OcrAlternative, ..candidate("1012.00", -1.0) };
    let result = reconciled(vec![
        field("side", &[("buy", 4.0)]),
        ParsedField::new("net_amount", vec![candidate("1072.00", 1.0), other]),
        field("gross_amount", &[("1000.00", 3.0)]),
        parts("fees", &[("12.00", 2.0)]),
        parts("taxes", &[]),
    ]);
    assert_eq!(value(&result, "net_amount"), "1012.00");
    assert_eq!(result.trades[0]["net_amount"].source, Some(FieldSource::OcrAlternative));
    assert_eq!(result.trades[0]["net_amount"].alternatives[0].value, "1072.00");
}

#[test]
fn quantity_and_price_are_chosen_together() {
    let result = reconciled(vec![
        field("side", &[("buy", 4.0)]),
        field("net_amount", &[("1000.00", 3.0)]),
        field("gross_amount", &[("1000.00", 3.0)]),
        parts("fees", &[]),
        parts("taxes", &[]),
        field("quantity", &[("40", 0.4), ("50", 0.0)]),
        field("price", &[("20.00", 1.0)]),
    ]);
    assert_eq!(value(&result, "quantity"), "50");
    let check = result.checks.iter().find(|check| check.name == "gross_of_trade").unwrap();
    assert_eq!(check.detail, "50 × 20.00 = 1000.00");
}

#[test]
fn the_order_of_dates_decides_between_equal_candidates() {
    let result = reconciled(vec![
        field("trade_date", &[("2021-03-18", 0.1), ("2021-03-12", 0.0)]),
        field("settlement_date", &[("2021-03-16", 3.0)]),
    ]);
    assert_eq!(value(&result, "trade_date"), "2021-03-12");
}

#[test]
fn a_check_without_its_values_has_no_result() {
    let result = reconciled(vec![field("side", &[("buy", 4.0)])]);
    let check = result.checks.iter().find(|check| check.name == "net_of_buy").unwrap();
    assert_eq!(check.passed, None);
    assert_eq!(check.detail, "missing: net_amount, gross_amount, fees, taxes");
    assert!(result.trades[0]["isin"].value.is_none());
}

#[test]
fn evidence_names_the_margin_and_the_checks() {
    let parsed = Parsed {
        document_type: "contract_note".into(),
        trades: vec![vec![
            field("trade_date", &[("2021-03-12", 2.0), ("2021-03-18", -1.0)]),
            field("settlement_date", &[("2021-03-16", 3.0)]),
        ]],
        ..Parsed::default()
    };
    let (_, evidence) = reconcile_with_evidence(contract_note(), &parsed);
    let date = &evidence["trades.0.trade_date"];
    assert_eq!((date.score, date.second, date.checks_passed), (2.0, Some(-1.0), 1));
}

#[test]
fn hundreds_of_candidates_are_handled() {
    let many: Vec<(String, f32)> = (0..500).map(|at| (format!("{at}.50"), 0.0)).collect();
    let many: Vec<(&str, f32)> =
        many.iter().map(|(value, score)| (value.as_str(), *score)).collect();
    let result = reconciled(vec![
        field("side", &[("buy", 1.0)]),
        field("net_amount", &many),
        field("gross_amount", &many),
        parts("fees", &many),
        parts("taxes", &many),
    ]);
    assert!(result.trades[0]["net_amount"].value.is_some());
}
