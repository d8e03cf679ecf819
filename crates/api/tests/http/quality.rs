//! The quality of extraction: reviews are recorded, measured, and change what is accepted.

use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::{Caller, DocId, Extraction, Field, FieldStatus, ResultId};
use extraction::types::DocumentType;
use ops::ReviewOutcome;
use serde_json::{Value, json};
use testkit::{TestApp, TestTenant};
use uuid::Uuid;

fn own_type() -> DocumentType {
    serde_json::from_value(json!({
        "name": "delivery_note", "title": "Delivery note", "schema": {"type": "object"},
        "fields": [
            {"name": "date", "kind": "date"},
            {"name": "lines[].quantity", "kind": "quantity"},
        ],
    }))
    .unwrap()
}

fn field(value: &str, confidence: f64, status: FieldStatus) -> Field {
    Field { value: Some(value.to_owned()), confidence, status, ..Field::missing() }
}

/// A document with a date, and as many quantities.
fn extraction(quantities: usize, confidence: f64, status: FieldStatus) -> Extraction {
    let line = |_| [("quantity".to_owned(), field("1", confidence, status))].into();
    Extraction {
        document_type: "delivery_note".to_owned(),
        fields: [("date".to_owned(), field("2026-01-02", confidence, status))].into(),
        lines: (0..quantities).map(line).collect(),
        ..Extraction::default()
    }
}

/// What a reviewer makes of it: everything is right, except as many quantities.
fn reviewed(extracted: &Extraction, wrong: usize) -> Extraction {
    let mut reviewed = extracted.clone();
    for field in reviewed.fields.values_mut() {
        field.status = FieldStatus::Confirmed;
    }
    for (index, line) in reviewed.lines.iter_mut().enumerate() {
        for field in line.values_mut() {
            let is_wrong = index < wrong;
            field.status = if is_wrong { FieldStatus::Corrected } else { FieldStatus::Confirmed };
            field.value = Some(if is_wrong { "7" } else { "1" }.to_owned());
        }
    }
    reviewed
}

/// Uploads a document and stores this result for it.
async fn add_result(
    app: &TestApp,
    tenant: &TestTenant,
    extraction: &Extraction,
) -> (DocId, ResultId) {
    let text = format!("delivery {}", app.ops.store().ids().next());
    let made = app.upload("a.txt", &text).bearer(&tenant.admin_token).send().await.body;
    let id = |name: &str| made[name].as_str().unwrap().parse::<Uuid>().unwrap();
    let result_id = app.ops.store().ids().next();
    sqlx::query(
        "INSERT INTO results (result_id, tenant_id, doc_id, run_id, result_version, payload, confidences,
                              document_type, type_version, state, is_reviewed, sampled_for_review, created_at)
         VALUES ($1, $2, $3, $4, 1, $5, '{}', $6, 1, 'current', false, false, $7)",
    )
    .bind(result_id)
    .bind(tenant.tenant.tenant_id.0)
    .bind(id("doc_id"))
    .bind(id("run_id"))
    .bind(extraction.to_json())
    .bind(&extraction.document_type)
    .bind(app.ops.clock().now())
    .execute(&mut app.database.superuser().await)
    .await
    .unwrap();
    (DocId(id("doc_id")), ResultId(result_id))
}

async fn review(
    app: &TestApp,
    tenant: &TestTenant,
    (doc_id, result_id): (DocId, ResultId),
    extracted: &Extraction,
    wrong: usize,
    is_sampled: bool,
) {
    let outcome = ReviewOutcome {
        doc_id,
        result_id,
        document_type: &own_type(),
        is_sampled,
        extracted,
        reviewed: &reviewed(extracted, wrong),
    };
    let caller = Caller::system(tenant.tenant.tenant_id);
    app.ops.quality.record_review(&caller, outcome).await.unwrap();
}

async fn quality(app: &TestApp, tenant: &TestTenant, query: &str) -> Value {
    let got = app.get(&format!("/v1/quality{query}")).bearer(&tenant.admin_token).send().await;
    assert_eq!(got.status, StatusCode::OK, "{got:?}");
    got.body
}

#[tokio::test]
async fn the_measured_error_and_the_acceptance_rate_are_reported_by_type_and_field() {
    let app = TestApp::start().await;
    let (acme, other) = (app.tenant("acme").await, app.tenant("other").await);
    let accepted = extraction(9, 0.99, FieldStatus::Accepted);
    let uncertain = extraction(4, 0.6, FieldStatus::NeedsReview);
    let first = add_result(&app, &acme, &accepted).await;
    let second = add_result(&app, &acme, &uncertain).await;
    review(&app, &acme, first, &accepted, 3, true).await;
    // A repetition counts once, and the later review counts.
    review(&app, &acme, first, &accepted, 2, true).await;
    review(&app, &acme, second, &uncertain, 4, false).await;

    let found = quality(&app, &acme, "").await;
    let of_type = &found["types"][0];
    assert_eq!(of_type["document_type"], "delivery_note", "{found}");
    assert_eq!((&of_type["extracted"], &of_type["accepted"]), (&json!(15), &json!(10)));
    assert_eq!(of_type["error"]["reviewed"], 10, "only accepted fields are measured: {of_type}");
    assert_eq!(of_type["error"]["wrong"], 2);
    assert_eq!(of_type["error"]["rate"], 0.2);
    let [low, high] = ["low", "high"].map(|end| of_type["error"][end].as_f64().unwrap());
    assert!((low - 0.02521).abs() < 1e-4 && (high - 0.55610).abs() < 1e-4, "{low} {high}");
    assert_eq!(of_type["sampled_error"]["reviewed"], 10);
    let fields = of_type["fields"].as_array().unwrap();
    assert_eq!(fields[0]["field"], "date");
    assert_eq!(fields[0]["acceptance_rate"], 0.5);
    assert_eq!(fields[1]["field"], "lines[].quantity");
    assert_eq!(fields[1]["error"]["wrong"], 2);
    assert_eq!(of_type["periods"].as_array().unwrap().len(), 1);
    assert_eq!(of_type["periods"][0]["extracted"], 15);
    assert_eq!(of_type["threshold"], Value::Null);
    let shortfall = of_type["shortfall"].as_str().unwrap();
    assert!(shortfall.contains("2 documents with a known outcome are too few"), "{shortfall}");

    assert_eq!(quality(&app, &other, "").await["types"], json!([]), "of another tenant");
    let empty = quality(&app, &acme, "?type=invoice").await;
    assert_eq!(empty["types"][0]["extracted"], 0, "{empty}");
    assert_eq!(empty["types"][0]["error"]["rate"], Value::Null);
    let before = quality(&app, &acme, "?to=2001-01-01T00:00:00Z&interval=day").await;
    assert_eq!(before["types"], json!([]), "{before}");
}

#[tokio::test]
async fn periods_are_days_or_weeks_and_have_limits() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let extracted = extraction(1, 0.99, FieldStatus::Accepted);
    add_result(&app, &acme, &extracted).await;
    let starts = |found: &Value| {
        let text = found["types"][0]["periods"][0]["starts_at"].as_str().unwrap();
        text.parse::<DateTime<Utc>>().unwrap()
    };
    let now = app.ops.clock().now();
    let day = starts(&quality(&app, &acme, "?interval=day").await);
    assert_eq!(day.date_naive(), now.date_naive());
    let week = starts(&quality(&app, &acme, "?interval=week").await);
    assert_eq!(chrono::Datelike::weekday(&week), chrono::Weekday::Mon);
    assert!(week <= now && (now - week).num_days() < 7);
    for (query, why) in [
        ("from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "must not be after"),
        ("from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "must not exceed 3 years"),
        ("interval=year", "interval"),
        ("period=day", "period"),
    ] {
        let refused =
            app.get(&format!("/v1/quality?{query}")).bearer(&acme.admin_token).send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(refused.body["detail"].as_str().unwrap().contains(why), "{refused:?}");
    }
}

#[tokio::test]
async fn reviews_of_a_tenant_change_what_is_accepted_for_it_alone() {
    let app = TestApp::start().await;
    let (acme, other) = (app.tenant("acme").await, app.tenant("other").await);
    let acceptance = async |tenant: &TestTenant| {
        app.ops.quality.acceptance(tenant.tenant.tenant_id, "delivery_note").await.unwrap()
    };
    let is_accepting = async |tenant: &TestTenant| {
        let found = acceptance(tenant).await;
        found.calibration.support("delivery_note", found.accepted_error_rate).outcome.is_ok()
    };
    assert!(!is_accepting(&acme).await, "nothing is known about the type");
    let mut extracted = extraction(450, 0.9997, FieldStatus::NeedsReview);
    let result = add_result(&app, &acme, &extracted).await;
    review(&app, &acme, result, &extracted, 0, false).await;
    assert!(!is_accepting(&acme).await, "many fields, but of one document");
    extracted.lines.truncate(1);
    extracted.fields.clear();
    for _ in 1..20 {
        let result = add_result(&app, &acme, &extracted).await;
        review(&app, &acme, result, &extracted, 0, false).await;
    }
    assert!(is_accepting(&acme).await);
    assert!(!is_accepting(&other).await, "never from another tenant");
    let of_type = &quality(&app, &acme, "").await["types"][0];
    let bounds = ["error_bound", "error_upper_bound"].map(|name| of_type[name].as_f64().unwrap());
    assert!(bounds[0] < bounds[1] && bounds[1] < 0.02, "{bounds:?}");
    assert_eq!(of_type["fields"][1]["shortfall"], Value::Null, "{of_type}");
    let few = of_type["fields"][0]["shortfall"].as_str().unwrap();
    assert!(few.contains("1 fields with a known outcome are too few"), "{few}");

    let mut document = extraction(1, 0.9997, FieldStatus::NeedsReview);
    let random = app.ops.random();
    acceptance(&acme).await.apply(&own_type(), &mut document, &**random);
    assert_eq!(document.lines[0]["quantity"].status, FieldStatus::Accepted);
    assert_eq!(document.fields["date"].status, FieldStatus::NeedsReview, "one date is too few");

    let rates =
        json!({"types": {"delivery_note": {"accepted_error_rate": 0.001}}, "review_share": 0.5});
    app.put("/v1/tenant/acceptance", rates).bearer(&acme.admin_token).send().await;
    let found = acceptance(&acme).await;
    assert!((found.accepted_error_rate - 0.001).abs() < 1e-12);
    assert!((found.review_share - 0.5).abs() < 1e-12);
    assert!(!is_accepting(&acme).await, "469 fields do not support 0.1 %");
    let shown = quality(&app, &acme, "").await;
    assert_eq!(shown["types"][0]["basis"], "reviewed");
    assert_eq!(shown["types"][0]["accepted_error_rate"], 0.001);
}
