//! Results of documents and their trades: versions, promotion, differences, and the results of a batch.

use axum::http::{Method, StatusCode};
use domain::Role;
use serde_json::{Value, json};
use testkit::{Library, TestApp, TestTenant};
use uuid::Uuid;

/// Two versions of a result, the second current and with a trade, whose id is returned.
pub(crate) async fn insert_results(app: &TestApp, run_id: Uuid) -> Uuid {
    let mut superuser = app.database.superuser().await;
    sqlx::query_scalar(
        "WITH result AS (
             INSERT INTO results (result_id, tenant_id, doc_id, run_id, result_version, payload, confidences,
                                  document_type, type_version, state, is_reviewed, sampled_for_review, promoted_from,
                                  created_at)
             SELECT gen_random_uuid(), tenant_id, doc_id, run_id, v.number, '{\"version\": 1}', '{}', '', 1, v.state,
                    v.promoted_from IS NOT NULL, false, v.promoted_from, created_at
             FROM ingestion_runs, (VALUES (1, 'superseded', NULL), (2, 'current', 1)) AS v (number, state, promoted_from)
             WHERE run_id = $1
             RETURNING *)
         INSERT INTO trades (trade_id, tenant_id, document_id, result_id, run_id, position, confidence_score,
                             raw_extracted_data, match_status, review_status, created_at, updated_at)
         SELECT gen_random_uuid(), tenant_id, doc_id, result_id, run_id, 0, 0.5, '{}', 'pending', 'pending', created_at,
                created_at
         FROM result WHERE state = 'current'
         RETURNING trade_id",
    )
    .bind(run_id)
    .fetch_one(&mut superuser)
    .await
    .unwrap()
}

struct Story {
    library: Library,
    acme: TestTenant,
}

impl Story {
    async fn begin() -> Self {
        let library = Library::with_results().await;
        let acme = library.app.tenant("acme").await;
        Self { library, acme }
    }

    fn app(&self) -> &TestApp {
        &self.library.app
    }

    /// Uploads a text as the administrator; returns the path of the document.
    async fn upload(&self, name: &str, text: &str) -> String {
        let made = self.app().upload(name, text).bearer(&self.acme.admin_token).send().await.body;
        self.library.work_off().await;
        format!("/v1/documents/{}", made["doc_id"].as_str().unwrap())
    }

    async fn rerun(&self, document: &str) {
        self.post(&format!("{document}/rerun"), json!({})).await;
        self.library.work_off().await;
    }

    /// Replaces the original.
    async fn update(&self, document: &str, name: &str, text: &str) {
        let request = self.app().request(Method::POST, &format!("{document}/rerun"));
        let request = request.files([(name, text.as_bytes())]).bearer(&self.acme.admin_token);
        assert_eq!(request.status().await, StatusCode::ACCEPTED);
        self.library.work_off().await;
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.app().get(path).bearer(&self.acme.admin_token).send().await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {answer:?}");
        answer.body
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.app().post(path, body).bearer(&self.acme.admin_token).send().await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
        answer.body
    }

    /// Version and state of each result, the latest first.
    async fn states(&self, document: &str) -> Vec<(u64, String)> {
        let listed = self.get(&format!("{document}/results")).await;
        let items = listed["items"].as_array().unwrap().iter();
        let state = |item: &Value| {
            let version = item["result_version"].as_u64().unwrap();
            (version, item["state"].as_str().unwrap().to_owned())
        };
        items.map(state).collect()
    }
}

fn state(version: u64, state: &str) -> (u64, String) {
    (version, state.to_owned())
}

#[tokio::test]
async fn a_rerun_replaces_the_result_until_an_administrator_promotes_one() {
    let story = Story::begin().await;
    let document = story.upload("a.txt", "Nordbank").await;
    let result = story.get(&format!("{document}/result")).await;
    assert_eq!(result["document_type"], "contract_note");
    assert_eq!(result["fields"]["text"]["value"], "Nordbank");
    assert_eq!(result["fields"]["text"]["status"], "needs_review");
    assert_eq!((&result["result_version"], &result["state"]), (&json!(1), &json!("current")));
    assert_eq!(
        (&result["summary"]["needs_review"], &result["needs_review"]),
        (&json!(2), &json!(true))
    );
    story.rerun(&document).await;
    assert_eq!(story.states(&document).await, [state(2, "current"), state(1, "superseded")]);

    let promote = |version: u32| format!("{document}/results/{version}/promote");
    let promoted = story.post(&promote(1), json!({})).await;
    assert_eq!((&promoted["result_version"], &promoted["promoted_from"]), (&json!(3), &json!(1)));
    assert_eq!(promoted["is_reviewed"], true);
    story.rerun(&document).await;
    let latest = story.states(&document).await;
    assert_eq!(latest[..2], [state(4, "waiting"), state(3, "current")]);
    assert_eq!(story.get(&format!("{document}/result")).await["result_version"], 3);

    story.post(&promote(4), json!({})).await;
    let latest = story.states(&document).await;
    assert_eq!(latest[..2], [state(5, "current"), state(4, "superseded")]);
    let audit = story.get("/v1/audit?action=RESULT_PROMOTED").await;
    assert_eq!(audit["items"].as_array().unwrap().len(), 2);
    assert_eq!(audit["items"][0]["detail"], json!({ "promoted": 4, "result_version": 5 }));
}

#[tokio::test]
async fn a_repeated_promotion_takes_effect_once_and_the_current_result_cannot_be_promoted() {
    let story = Story::begin().await;
    let document = story.upload("a.txt", "Nordbank").await;
    story.rerun(&document).await;
    let path = format!("{document}/results/1/promote");
    let promote = || {
        let request = story.app().post(&path, json!({})).bearer(&story.acme.admin_token);
        request.header("idempotency-key", "once").send()
    };
    let (first, again) = (promote().await, promote().await);
    assert_eq!((first.status, again.status), (StatusCode::CREATED, StatusCode::CREATED));
    assert_eq!(first.body, again.body);
    assert_eq!(story.states(&document).await.len(), 3);
    let current = format!("{document}/results/3/promote");
    let refused =
        story.app().post(&current, json!({})).bearer(&story.acme.admin_token).send().await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (StatusCode::CONFLICT, &json!("result_is_current"))
    );
    let unknown = story.app().post(&format!("{document}/results/9/promote"), json!({}));
    assert_eq!(unknown.bearer(&story.acme.admin_token).status().await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_diff_shows_what_changed_between_two_versions() {
    let story = Story::begin().await;
    let document = story.upload("a.txt", "trade AAA 2026-01-02 10").await;
    story.update(&document, "a.txt", "trade AAA 2026-01-02 12\n\ntrade BBB 2026-01-03 1").await;
    let diff = story.get(&format!("{document}/results/1/diff/2")).await;
    let changes: Vec<(&str, &str)> = diff["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["path"].as_str().unwrap(), change["change"].as_str().unwrap()))
        .collect();
    assert_eq!(
        changes,
        [
            ("text", "changed"),
            ("trades.0.price", "changed"),
            ("trades.1.isin", "added"),
            ("trades.1.price", "added"),
            ("trades.1.trade_date", "added"),
        ]
    );
    let price = &diff["changes"][1];
    assert_eq!((&price["before"]["value"], &price["after"]["value"]), (&json!("10"), &json!("12")));
    assert_eq!((&price["after"]["confidence"], &diff["unchanged"]), (&json!(0.75), &json!(2)));
    let back = story.get(&format!("{document}/results/2/diff/1")).await;
    assert_eq!(back["changes"][2]["change"], "removed");

    let inserted = "trade CCC 2026-01-01 1\n\ntrade AAA 2026-01-02 13\n\ntrade BBB 2026-01-03 1";
    story.update(&document, "a.txt", inserted).await;
    let diff = story.get(&format!("{document}/results/2/diff/3")).await;
    let price = &diff["changes"][4];
    assert_eq!(
        (&price["path"], &price["path_before"], &price["change"]),
        (&json!("trades.1.price"), &json!("trades.0.price"), &json!("changed"))
    );
    assert_eq!(diff["changes"].as_array().unwrap().len(), 5, "{diff}");
}

#[tokio::test]
async fn the_list_of_results_has_pages() {
    let story = Story::begin().await;
    let document = story.upload("a.txt", "Nordbank").await;
    story.rerun(&document).await;
    story.rerun(&document).await;
    let first = story.get(&format!("{document}/results?limit=2")).await;
    assert_eq!(first["items"][1]["result_version"], 2);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = story.get(&format!("{document}/results?limit=2&cursor={cursor}")).await;
    assert_eq!(second["items"][0]["result_version"], 1);
    assert_eq!(
        (second["items"].as_array().unwrap().len(), &second["next_cursor"]),
        (1, &Value::Null)
    );
}

#[tokio::test]
async fn trades_are_listed_filtered_and_linked_to_their_original() {
    let story = Story::begin().await;
    let document =
        story.upload("a.txt", "trade AAA 2026-01-02 10\n\ntrade BBB 2026-02-03 20").await;
    story.upload("b.txt", "trade AAA 2026-03-04 30").await;
    let isins = |listed: &Value| -> Vec<String> {
        let items = listed["items"].as_array().unwrap().iter();
        items.map(|trade| trade["isin"].as_str().unwrap().to_owned()).collect()
    };
    let doc_id = document.rsplit('/').next().unwrap();
    for (query, mut expected) in [
        (String::new(), vec!["AAA", "AAA", "BBB"]),
        ("?isin=aaa".to_owned(), vec!["AAA", "AAA"]),
        (format!("?document_id={doc_id}"), vec!["AAA", "BBB"]),
        ("?date_from=2026-02-03&date_to=2026-02-28".to_owned(), vec!["BBB"]),
        ("?match_status=pending&review_status=pending".to_owned(), vec!["AAA", "AAA", "BBB"]),
        ("?match_status=matched".to_owned(), vec![]),
        ("?review_status=approved".to_owned(), vec![]),
    ] {
        let mut found = isins(&story.get(&format!("/v1/trades{query}")).await);
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{query}");
    }
    let first = story.get("/v1/trades?limit=2").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = story.get(&format!("/v1/trades?limit=2&cursor={cursor}")).await;
    assert_eq!((isins(&first).len(), isins(&second).len()), (2, 1));
    assert_eq!(second["next_cursor"], Value::Null);

    let detail = story.get(&document).await;
    let trade = &detail["trades"][1];
    assert_eq!((&trade["isin"], &trade["position"]), (&json!("BBB"), &json!(1)));
    assert_eq!(trade["confidence_score"], 0.75);
    assert_eq!(trade["raw_extracted_data"]["price"]["value"], "20");
    let id = trade["trade_id"].as_str().unwrap();
    assert_eq!(&story.get(&format!("/v1/trades/{id}")).await, trade);
    for path in [format!("/v1/trades/{id}/pdf"), format!("/api/documents/trades/{id}/pdf")] {
        let link = story.get(&path).await;
        let original = story.app().get(link["url"].as_str().unwrap()).send().await;
        assert!(original.body.to_string().contains("trade BBB"), "{path}");
    }
}

#[tokio::test]
async fn trades_follow_the_current_result_and_keep_their_ids() {
    let story = Story::begin().await;
    let document = story.upload("a.txt", "trade AAA 2026-01-02 10").await;
    let before = story.get(&document).await["trades"][0]["trade_id"].clone();
    story.update(&document, "a.txt", "trade CCC 2026-01-01 1\n\ntrade AAA 2026-01-02 12").await;
    let trades = story.get(&document).await["trades"].clone();
    assert_eq!((&trades[1]["trade_id"], &trades[1]["result_version"]), (&before, &json!(2)));
    assert_ne!(trades[0]["trade_id"], before);
    story.post(&format!("{document}/results/1/promote"), json!({})).await;
    let trades = story.get(&document).await["trades"].clone();
    assert_eq!((trades.as_array().unwrap().len(), &trades[0]["trade_id"]), (1, &before));
}

#[tokio::test]
async fn a_user_lists_only_the_trades_of_their_own_documents() {
    let story = Story::begin().await;
    story.upload("a.txt", "trade AAA 2026-01-02 10").await;
    let (_, token) = story.app().user(&story.acme, Role::User).await;
    let mine = story.app().upload("b.txt", "trade BBB 2026-01-02 10").bearer(&token);
    assert_eq!(mine.status().await, StatusCode::ACCEPTED);
    story.library.work_off().await;
    let listed = story.app().get("/v1/trades").bearer(&token).send().await.body;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed["items"][0]["isin"], &listed["items"][0]["document_title"]),
        (&json!("BBB"), &json!("b.txt"))
    );
}

#[tokio::test]
async fn the_results_of_a_batch_are_json_lines_of_json_or_csv() {
    let story = Story::begin().await;
    let batch = story.post("/v1/batches", json!({})).await["batch_id"].as_str().unwrap().to_owned();
    let files = [("=1+1.txt", "=cmd|' /C calc'!A0".as_bytes()), ("b.txt", b"say \"hi\", twice")];
    let request = story.app().request(Method::POST, &format!("/v1/batches/{batch}/documents"));
    assert_eq!(
        request.files(files).bearer(&story.acme.admin_token).status().await,
        StatusCode::ACCEPTED
    );
    let path = format!("/v1/batches/{batch}/results");
    let waiting = story.get(&path).await;
    assert_eq!(waiting["items"][0]["result"], Value::Null);
    story.library.work_off().await;

    let listed = story.get(&path).await;
    assert_eq!(listed["items"][1]["result"]["fields"]["text"]["value"], "say \"hi\", twice");
    let as_text = |media_type: &'static str| {
        let request = story.app().get(&path).bearer(&story.acme.admin_token);
        let request = request.header("accept", media_type);
        async move { request.send().await.body.as_str().unwrap().to_owned() }
    };
    let lines = as_text("application/x-ndjson").await;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, *listed["items"].as_array().unwrap());

    let csv = as_text("text/csv").await;
    let rows: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(
        rows[0],
        "doc_id,title,filename,status,document_type,result_version,field,value,raw,confidence,field_status,page"
    );
    let first = listed["items"][0]["doc_id"].as_str().unwrap();
    assert_eq!(
        rows[1],
        format!(
            "{first},\"'=1+1.txt\",\"'=1+1.txt\",active,contract_note,1,text,\"'=cmd|' /C calc'!A0\",\
             \"'=cmd|' /C calc'!A0\",0.75,needs_review,1"
        )
    );
    assert!(rows[3].contains("\"say \"\"hi\"\", twice\""), "{}", rows[3]);
    assert_eq!(rows.len(), 6, "a header, two fields of each document, and the end");
    let by_query = story.app().get(&format!("{path}?format=csv")).bearer(&story.acme.admin_token);
    assert_eq!(by_query.send().await.body, csv);
    let unknown = story.app().get(&format!("/v1/batches/{}/results?format=csv", Uuid::nil()));
    assert_eq!(unknown.bearer(&story.acme.admin_token).status().await, StatusCode::NOT_FOUND);
}
