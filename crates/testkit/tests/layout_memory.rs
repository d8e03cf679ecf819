//! Layout memory: what a review teaches, whom it serves, and how it is forgotten.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use axum::http::{Method, StatusCode};
use domain::{Caller, DocId, Extraction, Field, FieldSource, FieldStatus, Role, TenantId};
use extraction::memory::{Fingerprint, MemoryEntry, ReviewedDocument};
use extraction::parse::{ParseRequest, parse};
use extraction::reconcile::reconcile;
use extraction::tenant_store::ExtractionStore;
use extraction::types::{DocumentType, builtin};
use ops::{Learnt, OpsError, TenantExtraction, similar_layouts};
use pages::Part;
use testkit::{Library, TestTenant};

fn contract_note() -> DocumentType {
    builtin().iter().find(|of| of.name == "contract_note").unwrap().clone()
}

/// A contract note of one bank, with these values.
fn note(date: &str, quantity: &str, net: &str) -> String {
    [
        "Nordbank AG Musterstadt www.nordbank.example",
        "Securities settlement purchase of shares on your behalf",
        &format!("We settled on {date} for your account"),
        &format!("Shares of Alpha Corporation {quantity} pieces"),
        &format!("Amount charged to your account EUR {net}"),
    ]
    .join("\n\n")
}

/// A result whose fields a reviewer confirmed.
fn confirmed(values: &[(&str, &str)]) -> Extraction {
    let field = |value: &str| Field {
        value: Some(value.to_owned()),
        status: FieldStatus::Confirmed,
        ..Field::missing()
    };
    let trade = values.iter().map(|(name, value)| ((*name).to_owned(), field(value))).collect();
    Extraction {
        document_type: "contract_note".to_owned(),
        trades: vec![trade],
        ..Extraction::default()
    }
}

async fn upload(library: &Library, tenant: &TestTenant, name: &str, text: &str) -> DocId {
    let made = library.app.upload(name, text).bearer(&tenant.admin_token).send().await.body;
    library.work_off().await;
    made["doc_id"].as_str().unwrap().parse().unwrap()
}

async fn review(
    library: &Library,
    caller: &Caller,
    doc_id: DocId,
    values: &[(&str, &str)],
) -> Result<Learnt, OpsError> {
    let content = &library.app.ops.content;
    content.learn_from_review(caller, doc_id, contract_note(), confirmed(values)).await
}

/// What the tenant's memory has for a document with this text.
async fn remembered(library: &Library, tenant_id: TenantId, text: &str) -> Vec<MemoryEntry> {
    // Only the words count for the fingerprint, not where they are.
    let words = text
        .split_whitespace()
        .map(|word| pages::Word { text: word.to_owned(), ..Default::default() });
    let page = pages::Page { number: 1, words: words.collect(), ..pages::Page::default() };
    let document = ReviewedDocument::read([&page], &contract_note());
    similar_layouts(library.app.ops.store(), tenant_id, document.fingerprint()).await.unwrap()
}

/// The source of a field of the first trade when the tenant's memory is used to extract a document with this text.
async fn source_of_date(library: &Library, tenant_id: TenantId, text: &str) -> Option<FieldSource> {
    let page = page(text);
    let layout = Fingerprint::of([&Part::Page(page.clone())]);
    let store = TenantExtraction::new(library.app.ops.store().clone());
    let memory = store.memory(tenant_id, &layout).await.unwrap();
    let types = builtin().to_vec();
    let request = ParseRequest { types, wanted: Some("contract_note".to_owned()), memory };
    let parsed = parse(std::iter::once(Ok(Part::Page(page))), &request).unwrap();
    let extraction = reconcile(&contract_note(), &parsed);
    let date = extraction.trades[0].get("trade_date").unwrap();
    assert_eq!(date.value.as_deref(), Some("2023-11-18"));
    date.source
}

/// A page with a row for each line.
fn page(text: &str) -> pages::Page {
    let mut page = pages::Page { number: 1, ..pages::Page::default() };
    let mut top = 40.0;
    for line in text.lines() {
        let from = page.words.len();
        let mut left = 40.0;
        for word in line.split_whitespace() {
            let right = left + 50.0;
            let area = Some(pages::Area { left, top, right, bottom: top + 12.0 });
            page.words.push(pages::Word { text: word.to_owned(), area, ..Default::default() });
            left = right + 6.0;
        }
        let words = pages::Span::new(from..page.words.len());
        page.lines.push(pages::Line { words, area: None });
        top += 18.0;
    }
    page
}

#[tokio::test]
async fn the_next_document_of_the_layout_is_read_by_what_the_first_one_taught() {
    let library = Library::open().await;
    let (acme, other) = (library.app.tenant("acme").await, library.app.tenant("other").await);
    let text = note("03.05.2024", "12", "1.068,60");
    let doc_id = upload(&library, &acme, "a.txt", &text).await;
    review(&library, &Caller::of_user(&acme.admin), doc_id, &FIRST).await.unwrap();

    let next = note("18.11.2023", "300", "9.022,00");
    let source = source_of_date(&library, acme.tenant.tenant_id, &next).await;
    assert_eq!(source, Some(FieldSource::LayoutMemory));
    let source = source_of_date(&library, other.tenant.tenant_id, &next).await;
    assert_eq!(source, Some(FieldSource::Page));

    // Without the document, its tenant has no memory of it either.
    let deleted = library.app.request(Method::DELETE, &format!("/v1/documents/{doc_id}"));
    assert_eq!(deleted.bearer(&acme.admin_token).status().await, StatusCode::NO_CONTENT);
    let source = source_of_date(&library, acme.tenant.tenant_id, &next).await;
    assert_eq!(source, Some(FieldSource::Page));
}

const FIRST: [(&str, &str); 3] =
    [("trade_date", "2024-05-03"), ("quantity", "12"), ("net_amount", "1068.60")];

#[tokio::test]
async fn a_review_teaches_its_own_tenant_alone() {
    let library = Library::open().await;
    let (acme, other) = (library.app.tenant("acme").await, library.app.tenant("other").await);
    let text = note("03.05.2024", "12", "1.068,60");
    let doc_id = upload(&library, &acme, "a.txt", &text).await;
    let (reviewer, _) = library.app.user(&acme, Role::Reviewer).await;
    let learnt = review(&library, &Caller::of_user(&reviewer), doc_id, &FIRST).await.unwrap();
    assert_eq!(learnt, Learnt { fields: 3, right: 0, wrong: 0 });

    let next = note("18.11.2023", "300", "9.022,00");
    let entries = remembered(&library, acme.tenant.tenant_id, &next).await;
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].fields.len(), 3);
    assert!(remembered(&library, other.tenant.tenant_id, &next).await.is_empty());
    let stranger = "Kantonalbank Südtal Börsenabrechnung Verkauf Abschlussdatum Gutschrift";
    assert!(remembered(&library, acme.tenant.tenant_id, stranger).await.is_empty());
    let audit = library.app.get("/v1/audit?action=LAYOUT_LEARNT").bearer(&acme.admin_token);
    let rows = audit.send().await.body;
    assert_eq!(rows["items"].as_array().unwrap().len(), 1);
    assert!(!rows.to_string().contains("1068.6"), "{rows}");
}

#[tokio::test]
async fn later_reviews_count_which_entries_were_right() {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    let admin = Caller::of_user(&acme.admin);
    let first = upload(&library, &acme, "a.txt", &note("03.05.2024", "12", "1.068,60")).await;
    review(&library, &admin, first, &FIRST).await.unwrap();
    let text = note("18.11.2023", "300", "9.022,00");
    let second = upload(&library, &acme, "b.txt", &text).await;
    // The memory finds the date and the quantity, but the reviewer says another amount.
    let values = [("trade_date", "2023-11-18"), ("quantity", "300"), ("net_amount", "9000.00")];
    let learnt = review(&library, &admin, second, &values).await.unwrap();
    assert_eq!((learnt.right, learnt.wrong), (2, 1));

    let entries = remembered(&library, acme.tenant.tenant_id, &text).await;
    let counts = entries.iter().flat_map(|entry| &entry.fields).filter_map(|field| {
        let name = field.field.strip_prefix("trades[].")?;
        let counts = field.counts;
        (counts.right + counts.wrong > 0).then_some((name, counts.right, counts.wrong))
    });
    let mut counts: Vec<_> = counts.collect();
    counts.sort_unstable();
    assert_eq!(counts, [("net_amount", 0, 1), ("quantity", 1, 0), ("trade_date", 1, 0)]);

    // A second review of the same document is not counted again.
    let again = review(&library, &admin, second, &values).await.unwrap();
    assert_eq!((again.right, again.wrong), (0, 0));
    assert_eq!(remembered(&library, acme.tenant.tenant_id, &text).await.len(), 2);
}

#[tokio::test]
async fn a_deleted_document_is_forgotten_and_teaches_nothing() {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    let admin = Caller::of_user(&acme.admin);
    let text = note("03.05.2024", "12", "1.068,60");
    let doc_id = upload(&library, &acme, "a.txt", &text).await;
    review(&library, &admin, doc_id, &FIRST).await.unwrap();
    let deleted = library.app.request(Method::DELETE, &format!("/v1/documents/{doc_id}"));
    assert_eq!(deleted.bearer(&acme.admin_token).status().await, StatusCode::NO_CONTENT);
    assert!(remembered(&library, acme.tenant.tenant_id, &text).await.is_empty());
    let learnt = review(&library, &admin, doc_id, &FIRST).await;
    assert!(matches!(learnt, Err(OpsError::NotFound(_))), "{learnt:?}");
}

#[tokio::test]
async fn only_those_who_may_edit_results_teach() {
    let library = Library::open().await;
    let (acme, other) = (library.app.tenant("acme").await, library.app.tenant("other").await);
    let text = note("03.05.2024", "12", "1.068,60");
    let doc_id = upload(&library, &acme, "a.txt", &text).await;
    for role in [Role::User, Role::Viewer, Role::Auditor] {
        let (user, _) = library.app.user(&acme, role).await;
        let learnt = review(&library, &Caller::of_user(&user), doc_id, &FIRST).await;
        assert!(matches!(learnt, Err(OpsError::NotPermitted(_))), "{role}: {learnt:?}");
    }
    let learnt = review(&library, &Caller::of_user(&other.admin), doc_id, &FIRST).await;
    assert!(matches!(learnt, Err(OpsError::NotFound(_))), "{learnt:?}");
    assert!(remembered(&library, acme.tenant.tenant_id, &text).await.is_empty());
}

#[tokio::test]
async fn the_memory_of_one_form_is_bounded() {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    let admin = Caller::of_user(&acme.admin);
    for day in 1..=10 {
        let text = note(&format!("{day:02}.05.2024"), "12", "1.068,60");
        let doc_id = upload(&library, &acme, &format!("{day}.txt"), &text).await;
        let date = format!("2024-05-{day:02}");
        let values = [("trade_date", date.as_str()), ("quantity", "12")];
        review(&library, &admin, doc_id, &values).await.unwrap();
    }
    let text = note("03.05.2024", "12", "1.068,60");
    assert_eq!(remembered(&library, acme.tenant.tenant_id, &text).await.len(), 8);
}
