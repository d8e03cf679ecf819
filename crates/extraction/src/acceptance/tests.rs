use std::collections::BTreeMap;

use domain::FieldKind;
use serde_json::json;

use super::*;
use crate::calibration::{CalibrationData, Counts, TypeData, step_of};

fn spec(name: &str, kind: FieldKind) -> FieldSpec {
    FieldSpec {
        name: name.to_owned(),
        kind,
        labels: BTreeMap::new(),
        patterns: Vec::new(),
        choices: BTreeMap::new(),
        additive: false,
        required: false,
        must_review: false,
    }
}

fn note() -> DocumentType {
    let mut fields = vec![
        spec("document_date", FieldKind::Date),
        spec("broker", FieldKind::Party),
        spec("trades[].isin", FieldKind::Isin),
        spec("trades[].net_amount", FieldKind::Money),
    ];
    fields[2].required = true;
    DocumentType {
        name: "note".to_owned(),
        title: "Note".to_owned(),
        description: String::new(),
        phrases: BTreeMap::new(),
        schema: json!({}),
        fields,
        constraints: Vec::new(),
    }
}

/// Enough data for 2 % at a confidence of 0.99, for dates, ISINs and amounts.
fn calibration() -> Calibration {
    let mut data = TypeData { design_effect: 1.0, documents: 200, ..TypeData::default() };
    let known = [
        ("document_date", FieldKind::Date),
        ("trades[].isin", FieldKind::Isin),
        ("trades[].net_amount", FieldKind::Money),
    ];
    for (name, kind) in known {
        data.add_counts(name, kind, step_of(0.99), Counts { total: 200, wrong: 0 });
        data.add_counts(name, kind, step_of(0.96), Counts { total: 200, wrong: 40 });
    }
    let types = [("note".to_owned(), data)].into();
    Calibration { shipped: CalibrationData { types }, ..Calibration::default() }
}

fn value(confidence: f64) -> Field {
    Field {
        value: Some("x".to_owned()),
        raw: Some("x".to_owned()),
        confidence,
        source: Some(FieldSource::Page),
        ..Field::missing()
    }
}

fn extraction() -> Extraction {
    Extraction {
        document_type: "note".to_owned(),
        fields: [("document_date".to_owned(), value(0.995))].into(),
        trades: vec![
            [("isin".to_owned(), value(0.998)), ("net_amount".to_owned(), value(0.6))].into(),
        ],
        ..Extraction::default()
    }
}

fn statuses(extraction: &Extraction) -> Vec<(String, FieldStatus)> {
    extraction.all_fields().map(|(path, field)| (path, field.status)).collect()
}

fn status(extraction: &Extraction, path: &str) -> FieldStatus {
    statuses(extraction).into_iter().find(|(found, _)| found == path).unwrap().1
}

#[test]
fn a_field_is_accepted_from_the_threshold_on() {
    let mut found = extraction();
    let support = accept(&note(), &mut found, &calibration(), 0.02);
    assert!(support.outcome.is_ok(), "{support:?}");
    assert_eq!(status(&found, "document_date"), FieldStatus::Accepted);
    assert_eq!(status(&found, "trades.0.isin"), FieldStatus::Accepted);
    assert_eq!(status(&found, "trades.0.net_amount"), FieldStatus::NeedsReview);
    assert_eq!(found.warnings, Vec::<String>::new());
    let mut again = extraction();
    accept(&note(), &mut again, &calibration(), 0.02);
    assert_eq!(found, again);
}

#[test]
fn a_rate_of_0_accepts_nothing() {
    let mut found = extraction();
    found.fields.get_mut("document_date").unwrap().source = Some(FieldSource::EInvoice);
    accept(&note(), &mut found, &calibration(), 0.0);
    assert!(statuses(&found).iter().all(|(_, status)| *status == FieldStatus::NeedsReview));
}

#[test]
fn a_field_that_must_be_reviewed_is_never_accepted() {
    let mut document_type = note();
    document_type.fields[0].must_review = true;
    let mut found = extraction();
    accept(&document_type, &mut found, &calibration(), 0.02);
    assert_eq!(status(&found, "document_date"), FieldStatus::NeedsReview);
}

#[test]
fn a_failed_check_keeps_its_fields_from_being_accepted() {
    for (passed, expected) in [
        (Some(false), FieldStatus::NeedsReview),
        (Some(true), FieldStatus::Accepted),
        (None, FieldStatus::Accepted),
    ] {
        let mut found = extraction();
        found.fields.get_mut("document_date").unwrap().checks = vec!["dates".to_owned()];
        let detail = "2026-01-02 is after 2026-01-01".to_owned();
        found.checks = vec![Check { name: "dates".to_owned(), passed, detail }];
        accept(&note(), &mut found, &calibration(), 0.02);
        assert_eq!(status(&found, "document_date"), expected);
        assert_eq!(status(&found, "trades.0.isin"), FieldStatus::Accepted);
    }
}

#[test]
fn a_required_field_without_a_value_needs_review() {
    let mut found = extraction();
    found.trades[0].remove("isin");
    found.trades[0].insert("net_amount".to_owned(), Field::missing());
    accept(&note(), &mut found, &calibration(), 0.02);
    assert_eq!(status(&found, "trades.0.isin"), FieldStatus::NeedsReview);
    assert_eq!(status(&found, "trades.0.net_amount"), FieldStatus::Missing);
    assert_eq!(found.fields.get("broker"), None, "an optional field is not added");
}

#[test]
fn a_document_without_the_required_trades_needs_review() {
    let mut found = extraction();
    found.trades.clear();
    accept(&note(), &mut found, &calibration(), 0.02);
    assert_eq!(status(&found, "document_date"), FieldStatus::Accepted);
    assert_eq!(found.checks[0].name, "trades_found");
    assert!(found.needs_review());
}

#[test]
fn values_of_the_embedded_invoice_are_exact() {
    let mut found = extraction();
    let field = found.fields.entry("broker".to_owned()).or_insert_with(|| value(0.1));
    field.source = Some(FieldSource::EInvoice);
    accept(&note(), &mut found, &Calibration::default(), 0.02);
    assert_eq!(status(&found, "broker"), FieldStatus::Accepted);
    assert_eq!(status(&found, "document_date"), FieldStatus::NeedsReview);
}

/// The calibration data was made without a language model.
#[test]
fn a_value_that_a_language_model_chose_needs_review() {
    let mut extraction = extraction();
    accept(&note(), &mut extraction, &calibration(), 0.02);
    assert_eq!(status(&extraction, "document_date"), FieldStatus::Accepted);
    let mut extraction = self::extraction();
    extraction.fields.get_mut("document_date").unwrap().source = Some(FieldSource::LanguageModel);
    accept(&note(), &mut extraction, &calibration(), 0.02);
    assert_eq!(status(&extraction, "document_date"), FieldStatus::NeedsReview);
}

#[test]
fn a_field_that_the_type_does_not_describe_needs_review() {
    let mut found = extraction();
    let other = Field { status: FieldStatus::Accepted, ..value(0.999) };
    found.fields.insert("remark".to_owned(), other.clone());
    found.trades[0].insert("remark".to_owned(), other);
    accept(&note(), &mut found, &calibration(), 0.02);
    assert_eq!(status(&found, "remark"), FieldStatus::NeedsReview);
    assert_eq!(status(&found, "trades.0.remark"), FieldStatus::NeedsReview);
    assert_eq!(status(&found, "trades.0.isin"), FieldStatus::Accepted);
}

#[test]
fn what_a_reviewer_decided_stays() {
    let mut found = extraction();
    let field = found.fields.get_mut("document_date").unwrap();
    field.status = FieldStatus::Corrected;
    field.confidence = 1.0;
    accept(&note(), &mut found, &calibration(), 0.02);
    assert_eq!(status(&found, "document_date"), FieldStatus::Corrected);
    assert_eq!(status(&found, "trades.0.isin"), FieldStatus::Accepted, "it has its own features");
    assert!((found.fields["document_date"].confidence - 1.0).abs() < f64::EPSILON);
}

#[test]
fn too_little_data_is_said() {
    let mut found = extraction();
    accept(&note(), &mut found, &Calibration::default(), 0.02);
    let warning = &found.warnings[0];
    assert!(warning.contains("No field of type 'note' is accepted yet"), "{warning}");
    let mut found = extraction();
    found.fields.insert("broker".to_owned(), value(0.999));
    accept(&note(), &mut found, &calibration(), 0.02);
    assert_eq!(status(&found, "broker"), FieldStatus::NeedsReview);
    assert!(
        found.warnings[0].contains("party (0 fields with a known outcome"),
        "{:?}",
        found.warnings
    );
}

#[test]
fn a_field_that_is_wrong_too_often_is_not_accepted_although_others_of_its_kind_are() {
    let mut document_type = note();
    document_type.fields.push(spec("trades[].taxes", FieldKind::Money));
    let mut known = calibration();
    let data = known.shipped.types.get_mut("note").unwrap();
    // As confident as the amounts that are right, and wrong in one of ten cases.
    data.add_counts("trades[].taxes", FieldKind::Money, 0, Counts { total: 50, wrong: 5 });
    let mut found = extraction();
    found.trades[0].insert("taxes".to_owned(), value(0.9999));
    found.trades[0].insert("net_amount".to_owned(), value(0.9999));
    let support = accept(&document_type, &mut found, &known, 0.02);
    assert!(support.outcome.is_ok(), "together, the fields keep the rate: {support:?}");
    assert_eq!(status(&found, "trades.0.taxes"), FieldStatus::NeedsReview);
    assert_eq!(status(&found, "trades.0.net_amount"), FieldStatus::Accepted);
    let warning = &found.warnings[0];
    assert!(
        warning.contains("trades[].taxes (the data supports an error rate of 14.0 %"),
        "{warning}"
    );
}

#[derive(Debug)]
struct Fixed(u32);

impl Random for Fixed {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.to_le_bytes()[..bytes.len()]);
    }
}

#[test]
fn only_documents_that_need_no_review_are_sampled() {
    let tenant = TenantAcceptance {
        accepted_error_rate: 0.02,
        review_share: 1.0,
        calibration: calibration(),
    };
    let mut found = extraction();
    assert!(!tenant.apply(&note(), &mut found, &Fixed(0)), "the amount needs review");
    let mut found = extraction();
    found.trades[0].remove("net_amount");
    assert!(tenant.apply(&note(), &mut found, &Fixed(0)));
    assert!(!found.needs_review());
}

#[test]
fn the_share_of_sampled_documents_is_the_chosen_one() {
    let drawn = |share, numerator: f64| {
        let bits = format!("{:.0}", numerator * f64::from(u32::MAX)).parse().unwrap();
        sample_for_review(share, &Fixed(bits))
    };
    assert!(drawn(0.02, 0.0) && drawn(0.02, 0.0199));
    assert!(!drawn(0.02, 0.0201) && !drawn(0.02, 1.0));
    assert!(drawn(1.0, 1.0), "a share of 1 takes every document");
    assert!(!drawn(0.0, 0.0), "a share of 0 takes none");
}
