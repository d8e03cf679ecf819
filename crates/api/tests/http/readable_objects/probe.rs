//! Reads each object as a client would. The result is a word of the table: `yes`, `no` (a response without the object), or
//! the status of the refusal.

use domain::ReadableObject;
use serde_json::{Value, json};
use testkit::{Request, Response};

use super::world::{Principal, State, World};

pub(super) async fn probe(
    world: &World,
    object: ReadableObject,
    state: State,
    principal: Principal,
) -> String {
    use ReadableObject as Object;
    let subject = world.subject(state);
    let app = world.app();
    let document = format!("/v1/documents/{}", subject.doc_id);
    let run = |run_id: &str| format!("/v1/ingestion-runs/{run_id}");
    let artifact = |run_id: &str| format!("{}/artifacts/layout/text.txt", run(run_id));
    let (id, marker) = (subject.doc_id.as_str(), subject.marker);
    let question = format!("Who insures the building in {marker} against fire?");
    let filters = json!({ "document_ids": [id] });
    let (request, shows): (Request, &str) = match object {
        Object::Event => return yes_or_no(world.receives_events_of(principal, state)),
        Object::Document => (app.get(&document), id),
        Object::DocumentInList => (app.get("/v1/documents?status=all&limit=100"), id),
        Object::KnowledgeBaseEntry => (app.get("/v1/knowledge-base?limit=100"), id),
        Object::Run => (app.get(&run(&subject.run_id)), id),
        Object::RunInList => (app.get("/v1/ingestion-runs?limit=100"), id),
        Object::BatchResult => {
            let batch = subject.batch_of(principal);
            (app.get(&format!("/v1/batches/{batch}/results")), id)
        }
        Object::Part => (app.get(&format!("/v1/documents/{}", subject.mail_id)), id),
        Object::Job => (app.get("/v1/jobs?limit=100"), subject.title.as_str()),
        Object::Original => (app.get(&format!("{document}/original")), "/v1/files/"),
        Object::Link => match &subject.links[&principal] {
            Some(link) => (app.get(link), marker),
            None => (app.get("/v1/files/none"), marker),
        },
        Object::Page => (app.get(&format!("{document}/pages/1")), marker),
        Object::PageImage => (app.get(&format!("{document}/pages/1.png")), "PNG"),
        Object::PageView => (app.get(&format!("{document}/view")), "/v1/views/"),
        Object::Text => (app.get(&format!("{document}/text")), marker),
        Object::Markdown => (app.get(&format!("{document}/text?format=markdown")), marker),
        Object::Artifact => (app.get(&artifact(&subject.run_id)), marker),
        Object::OlderArtifact => (app.get(&artifact(&subject.older_run_id)), marker),
        Object::AssistantText => {
            let call = json!({ "name": "get_document", "arguments": { "doc_id": id } });
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
            (app.post("/v1/mcp", call), marker)
        }
        Object::Result => (app.get(&format!("{document}/result")), marker),
        Object::OlderResult => (app.get(&format!("{document}/results/1")), marker),
        Object::ResultInList => (app.get(&format!("{document}/results")), id),
        Object::BatchExtraction => {
            let batch = subject.batch_of(principal);
            (app.get(&format!("/v1/batches/{batch}/results?format=csv")), marker)
        }
        Object::DryRun => {
            let body = json!({ "document_id": id });
            (app.post("/v1/document-types/generic/dry-run", body), marker)
        }
        Object::Trade => (app.get(&format!("/v1/trades/{}", subject.trade_id)), marker),
        Object::TradeInList => (app.get(&format!("/v1/trades?document_id={id}")), marker),
        Object::SearchHit => {
            let body = json!({ "query": marker, "filters": filters });
            (app.post("/v1/search", body), id)
        }
        Object::Citation => {
            let body = json!({ "question": question, "filters": filters });
            (app.post("/v1/ask", body), id)
        }
    };
    let response = request.bearer(world.token(principal)).send().await;
    outcome(&response, shows)
}

fn outcome(response: &Response, shows: &str) -> String {
    if response.status.is_success() {
        let body = match &response.body {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        yes_or_no(body.contains(shows))
    } else {
        response.status.as_u16().to_string()
    }
}

fn yes_or_no(shown: bool) -> String {
    if shown { "yes" } else { "no" }.to_owned()
}
