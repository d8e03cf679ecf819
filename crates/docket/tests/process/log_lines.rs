//! The lines that the log has of each document, for whoever follows documents by their log.

use serde_json::{Value, json};

use crate::support::{DataFolder, Docket, Papers, Person};

fn lines_of<'a>(log: &'a [Value], event: &str) -> Vec<&'a Value> {
    log.iter().filter(|line| line["event"] == event).collect()
}

#[tokio::test]
async fn a_document_and_its_updated_original_have_their_lines_in_the_log() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(2);
    let ingested = ada.sees(["ingest", &papers.file("1.txt"), "--wait", "--json"]).await;
    let ingested: Value = serde_json::from_str(ingested.lines().next().unwrap()).unwrap();
    let id = ingested["doc_id"].as_str().unwrap_or_else(|| panic!("{ingested}"));
    ada.sees(["rerun", id, "--file", &papers.file("2.txt"), "--reason", "a new one", "--wait"])
        .await;
    let shown = ada.reads(["show", id, "--json"]).await;
    assert_eq!(shown["versions"].as_array().unwrap().len(), 2, "{shown}");
    assert_eq!((&shown["title"], &shown["pages"]), (&json!("1.txt"), &json!(1)), "{shown}");
    let two = ada.types(["rerun", id, id, "--file", &papers.file("2.txt")]).finish().await;
    assert!(two.stderr.contains("give one id"), "{two:?}");

    let finished = server.stop().await;
    let log: Vec<Value> =
        finished.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let submitted = lines_of(&log, "ingest_job_submitted");
    let (first, second) = (submitted[0], submitted[1]);
    for line in [first, second] {
        assert_eq!(line["doc_id"], id);
        for present in ["tenant_id", "user_id", "run_id", "content_hash", "source_uri", "trace_id"]
        {
            assert!(line[present].is_string(), "{present} in {line}");
        }
        assert_eq!(line["content_type"], "text/plain");
        assert!(line["size_bytes"].is_u64(), "{line}");
        let hash = line["content_hash"].as_str().unwrap().trim_start_matches("sha256:");
        let place = line["upload_uri"].as_str().unwrap();
        assert!(place.starts_with("file:///") && place.ends_with(hash), "{place}");
        assert_eq!(line["delegation_mode"], "database");
        assert_eq!(line["delegation_success"], true);
    }
    assert_eq!((&first["dedup_result"], &first["filename"]), (&json!("new"), &json!("1.txt")));
    let second = (&second["dedup_result"], &second["filename"]);
    assert_eq!(second, (&json!("new_version"), &json!("2.txt")));

    let complete = lines_of(&log, "ingest_job_complete");
    assert_eq!(complete.len(), 2, "{complete:?}");
    for line in complete {
        assert_eq!((&line["doc_id"], &line["status"]), (&json!(id), &json!("succeeded")));
        for counted in ["chunks_created", "tokens_total", "duration_ms", "queue_wait_ms"] {
            assert!(line[counted].is_u64(), "{counted} in {line}");
        }
        let stages: Value = serde_json::from_str(line["stages"].as_str().unwrap()).unwrap();
        for stage in ["ingest_ms", "preprocess_ms", "ocr_ms", "layout_ms", "index_ms"] {
            assert!(stages[stage].is_u64(), "{stage} in {line}");
        }
    }
}
