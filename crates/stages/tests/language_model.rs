//! A language model in the stage `parse`: what is sent to it, and what remains when it fails.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use domain::{FieldSource, FileKind, TenantId};
use extraction::language_model::{
    AllowedTenants, AnswerFuture, ExtractionModel, ModelFailure, ModelLimits, ModelRequest,
};
use extraction::parse::ParseRequest;
use extraction::parsed::{Candidate, Parsed};
use extraction::sandboxed::Extractor;
use extraction::types::DocumentType;
use pages::artifact::Writer;
use pages::{Area, Head, Line, Page, Part, Span, Tail, Word};
use reading::pool::{Document, PoolSettings};
use reading::sandbox::SandboxPolicy;
use reading::sandbox::pool::Pool;
use serde_json::json;
use stages::LanguageModelUse;
use tokio::sync::Notify;
use uuid::Uuid;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));
const LIMITS: ModelLimits = ModelLimits { context_tokens: 2_000, requests: 3 };

/// Cargo builds it with the tests, but gives no path to it.
fn child() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/reading_child");
    assert!(program.exists(), "run `cargo build -p stages --examples` first");
    program
}

fn extractor() -> Extractor {
    let mut settings = PoolSettings::new(child(), &["read-worker"]);
    settings.children = 1;
    settings.spares = 0;
    settings.sandbox = SandboxPolicy::BestEffort;
    Extractor::new(Pool::new(settings))
}

fn document_type() -> DocumentType {
    let json = json!({
        "name": "note", "title": "Note", "schema": { "type": "object" },
        "fields": [
            { "name": "number", "kind": "id", "labels": { "en": ["note no"] } },
            { "name": "sender", "kind": "party" },
        ],
    });
    serde_json::from_value(json).unwrap()
}

fn page(number: u32, rows: &[&str]) -> Page {
    let mut page = Page { number, ..Page::default() };
    let mut top = 0.0;
    for row in rows {
        let from = page.words.len();
        let mut left = 0.0;
        for text in row.split(' ') {
            let area = Area { left, top, right: left + 40.0, bottom: top + 10.0 };
            page.words.push(Word { text: text.to_owned(), area: Some(area), ..Word::default() });
            left += 45.0;
        }
        page.lines.push(Line { words: Span::new(from..page.words.len()), area: None });
        top += 12.0;
    }
    page
}

fn note() -> Page {
    page(1, &["Note no N-4711", "Northwind Ltd", "greets you"])
}

fn artifact(head: Head, pages: impl IntoIterator<Item = Page>) -> Document {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.write(&Part::Head(head)).unwrap();
    let mut count = 0;
    for page in pages {
        writer.write(&Part::Page(page)).unwrap();
        count += 1;
    }
    writer.write(&Part::Tail(Tail { pages: count, remarks: Vec::new() })).unwrap();
    Document::from_bytes(&writer.finish().unwrap()).unwrap()
}

fn head() -> Head {
    Head { kind: FileKind::Pdf, title: None, properties: [].into(), pages: None }
}

type Answer = Box<dyn Fn() -> Result<String, ModelFailure> + Send + Sync>;

/// Gives the same answer to every request, and keeps the requests.
struct TestModel {
    answer: Answer,
    asked: Mutex<Vec<ModelRequest>>,
    /// Notified at a request; then there is no answer.
    silent: Option<Arc<Notify>>,
}

impl std::fmt::Debug for TestModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestModel").finish_non_exhaustive()
    }
}

impl TestModel {
    fn new(answer: impl Fn() -> Result<String, ModelFailure> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { answer: Box::new(answer), asked: Mutex::default(), silent: None })
    }

    fn answering(json: &serde_json::Value) -> Arc<Self> {
        let text = json.to_string();
        Self::new(move || Ok(text.clone()))
    }

    fn requests(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl ExtractionModel for TestModel {
    fn name(&self) -> &'static str {
        "test"
    }

    fn answer<'a>(&'a self, request: &'a ModelRequest) -> AnswerFuture<'a> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(request.clone());
            if let Some(reached) = &self.silent {
                reached.notify_one();
                return std::future::pending().await;
            }
            (self.answer)()
        })
    }
}

/// The candidates of the rules, and those after the model was asked.
async fn run(
    model: &Arc<TestModel>,
    tenants: AllowedTenants,
    pages: &Document,
) -> (Parsed, Parsed) {
    let extractor = extractor();
    let request = ParseRequest {
        types: vec![document_type()],
        wanted: Some("note".to_owned()),
        ..ParseRequest::default()
    };
    let rules = extractor.parse(TENANT, request, pages).await.unwrap();
    let using = LanguageModelUse { model: model.clone(), limits: LIMITS, tenants };
    let added =
        using.add_candidates(TENANT, &extractor, &document_type(), pages, rules.clone()).await;
    (rules, added)
}

async fn ask(model: &Arc<TestModel>) -> (Parsed, Parsed) {
    run(model, AllowedTenants::All, &artifact(head(), [note()])).await
}

fn candidates<'p>(parsed: &'p Parsed, name: &str) -> &'p [Candidate] {
    let field = parsed.fields.iter().find(|field| field.name == name);
    field.map_or(&[], |field| field.candidates.as_slice())
}

#[tokio::test]
async fn a_value_of_the_model_gets_its_place_in_a_child() {
    let model = TestModel::answering(&json!({ "number": "N-4711", "sender": "NORTHWIND LTD" }));
    let (rules, added) = ask(&model).await;
    assert!(candidates(&rules, "sender").is_empty());
    let [sender] = candidates(&added, "sender") else { panic!("{added:?}") };
    assert_eq!((sender.value.as_str(), sender.page), ("Northwind Ltd", Some(1)));
    assert_eq!(sender.source, FieldSource::LanguageModel);
    let area = sender.area.unwrap();
    assert!((area.top - 12.0).abs() < 0.1, "{area:?}");
    let [request] = model.requests().try_into().unwrap();
    assert!(request.user.contains("Northwind Ltd"), "{}", request.user);
    assert!(added.warnings.is_empty(), "{:?}", added.warnings);
}

#[tokio::test]
async fn documents_of_other_tenants_are_not_sent() {
    let model = TestModel::answering(&json!({ "sender": "Northwind Ltd" }));
    let other = AllowedTenants::Some([TenantId(Uuid::from_u128(2))].into());
    let (rules, added) = run(&model, other, &artifact(head(), [note()])).await;
    assert_eq!(added, rules);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_document_that_a_password_opened_is_not_sent() {
    let model = TestModel::answering(&json!({ "sender": "Northwind Ltd" }));
    let mut head = head();
    head.note_password();
    let (rules, added) = run(&model, AllowedTenants::All, &artifact(head, [note()])).await;
    assert!(model.requests().is_empty());
    assert_eq!(added.fields, rules.fields);
    assert!(added.warnings.last().unwrap().starts_with("A password opens the document"));
}

#[tokio::test]
async fn an_electronic_invoice_is_not_sent() {
    let model = TestModel::answering(&json!({ "sender": "Northwind Ltd" }));
    let pages = artifact(head(), [note()]);
    let (rules, _) = run(&model, AllowedTenants::Some([].into()), &pages).await;
    let mut exact = rules;
    for candidate in exact.fields.iter_mut().flat_map(|field| &mut field.candidates) {
        candidate.source = FieldSource::EInvoice;
    }
    let using =
        LanguageModelUse { model: model.clone(), limits: LIMITS, tenants: AllowedTenants::All };
    let added =
        using.add_candidates(TENANT, &extractor(), &document_type(), &pages, exact.clone()).await;
    assert_eq!(added, exact);
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn without_the_model_the_candidates_of_the_rules_remain() {
    let secret = || "reason for the log".to_owned();
    let failures = [
        (ModelFailure::Unavailable(secret()), "was not available"),
        (ModelFailure::TimedOut(secret()), "did not answer in time"),
        (ModelFailure::Unusable(secret()), "gave no usable answer"),
    ];
    for (failure, expected) in failures {
        let model = TestModel::new(move || Err(failure.clone()));
        let (rules, added) = ask(&model).await;
        assert_eq!(added.fields, rules.fields);
        let [warning] = added.warnings.as_slice() else { panic!("{:?}", added.warnings) };
        assert!(warning.contains(expected), "{warning}");
        assert!(!warning.contains("log"), "{warning}");
    }
}

#[tokio::test]
async fn nonsense_leaves_a_warning() {
    let model = TestModel::new(|| Ok("I will not answer in JSON.".to_owned()));
    let (rules, added) = ask(&model).await;
    assert_eq!(added.fields, rules.fields);
    let [warning] = added.warnings.as_slice() else { panic!("{:?}", added.warnings) };
    assert!(warning.contains("could not be read"), "{warning}");
}

#[tokio::test]
async fn a_model_that_never_answers_does_not_hold_up_the_document() {
    let reached = Arc::new(Notify::new());
    let answer: Answer = Box::new(|| Ok(String::new()));
    let silent = Some(reached.clone());
    let model = Arc::new(TestModel { answer, asked: Mutex::default(), silent });
    let ((rules, added), ()) = tokio::join!(ask(&model), async {
        reached.notified().await;
        // From here on only the time limit can end the wait, and tokio advances the clock to it.
        tokio::time::pause();
    });
    assert_eq!(added.fields, rules.fields);
    assert!(added.warnings[0].contains("did not answer in time"), "{:?}", added.warnings);
}

#[tokio::test]
async fn a_long_document_costs_no_more_than_the_limits_allow() {
    let row = "lorem ipsum dolor sit amet consetetur";
    let pages: Vec<Page> = (1..=40).map(|number| page(number, &[row; 60])).collect();
    let model = TestModel::answering(&json!({}));
    let (_, added) = run(&model, AllowedTenants::All, &artifact(head(), pages)).await;
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        let text = extraction::language_model::estimated_tokens(&request.user);
        let system = extraction::language_model::estimated_tokens(&request.system);
        assert!(text + system + request.max_tokens <= LIMITS.context_tokens);
    }
    assert!(requests[2].user.contains("[page 40"), "the last page is read");
    let warning = added.warnings.iter().find(|warning| warning.contains("language model read"));
    assert!(warning.unwrap().contains("of its 40 pages"), "{warning:?}");
}
