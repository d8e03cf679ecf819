//! Lists of documents: filters, pages and facets.

use axum::http::StatusCode;
use chrono::Duration;
use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, TestTenant};

/// An application with a tenant that has, from the newest to the oldest: a mail, two notes of a batch, a page, and a
/// bill. The bill and the mail are tagged.
async fn start() -> (TestApp, TestTenant, String) {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let token = &acme.admin_token;
    for (name, content, tags) in [
        ("Bill 2025.txt", "please pay", json!(["rent", "flat"])),
        ("page.html", "<!doctype html><html><body><p>a page</p></body></html>", json!([])),
    ] {
        let made = app.upload(name, content).bearer(token).send().await;
        tag(&app, token, &made.body, tags).await;
        app.clock.advance(Duration::seconds(1));
    }
    app.work_off().await;
    let batch = app.post("/v1/batches", json!({"name": "January"})).bearer(token).send().await;
    let batch = batch.body["batch_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/batches/{batch}/documents");
    let notes: [(&str, &[u8]); 2] = [("one.txt", b"note one"), ("two.txt", b"note two")];
    for note in notes {
        let added = app.request(axum::http::Method::POST, &path).bearer(token).files([note]);
        assert_eq!(added.status().await, StatusCode::ACCEPTED);
        app.clock.advance(Duration::seconds(1));
    }
    let mail = "From: a@b.test\r\nTo: c@d.test\r\nSubject: The rent\r\nMIME-Version: 1.0\r\n\r\nIt is due.";
    let made = app.upload("rent.eml", mail).bearer(token).send().await;
    tag(&app, token, &made.body, json!(["rent"])).await;
    (app, acme, batch)
}

async fn tag(app: &TestApp, token: &str, made: &Value, tags: Value) {
    let path = format!("/v1/documents/{}/tags", made["doc_id"].as_str().unwrap());
    let tagged = app.put(&path, json!({"tags": tags})).bearer(token).send().await;
    assert_eq!(tagged.status, StatusCode::OK, "{made}");
}

/// The names in a list, read with pages of one document.
async fn names(app: &TestApp, token: &str, query: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/documents?limit=1&{query}{cursor}");
        let page = app.get(&path).bearer(token).send().await;
        assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.body);
        let items = page.body["items"].as_array().unwrap();
        names.extend(items.iter().map(|item| item["filename"].as_str().unwrap().to_owned()));
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return names,
        }
    }
}

async fn facets(app: &TestApp, token: &str, query: &str) -> Value {
    let found = app.get(&format!("/v1/documents/facets?{query}")).bearer(token).send().await;
    assert_eq!(found.status, StatusCode::OK, "{}", found.body);
    found.body
}

/// `txt 3, html 1`
fn counts_of(facet: &Value) -> String {
    let value =
        |value: &Value| format!("{} {}", value["value"].as_str().unwrap(), value["documents"]);
    facet["values"].as_array().unwrap().iter().map(value).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn each_condition_filters_the_list_and_all_must_match() {
    let (app, acme, batch) = start().await;
    let token = &acme.admin_token;
    let of_batch = format!("status=all&batch_id={batch}");
    for (query, expected) in [
        ("status=all", &["rent.eml", "two.txt", "one.txt", "page.html", "Bill 2025.txt"] as &[_]),
        ("", &["page.html", "Bill 2025.txt"]),
        ("status=uploaded", &["rent.eml", "two.txt", "one.txt"]),
        ("status=all&type=txt", &["two.txt", "one.txt", "Bill 2025.txt"]),
        ("status=all&type=htm", &["page.html"]),
        ("type=txt", &["Bill 2025.txt"]),
        ("status=all&source=batch", &["two.txt", "one.txt"]),
        ("status=all&source=manual&type=txt", &["Bill 2025.txt"]),
        ("status=all&tag=rent", &["rent.eml", "Bill 2025.txt"]),
        ("status=all&tag=rent&type=txt", &["Bill 2025.txt"]),
        ("status=all&tag=Rent", &[]),
        (&of_batch, &["two.txt", "one.txt"]),
        (&format!("{of_batch}&search=ONE"), &["one.txt"]),
        ("status=all&search=bILL", &["Bill 2025.txt"]),
        ("status=all&search=nothing", &[]),
    ] {
        assert_eq!(names(&app, token, query).await, expected, "{query}");
    }
    let refused = app.get("/v1/documents?type=exe").bearer(token).send().await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.body["detail"], "'exe' is not a supported kind of file");
}

#[tokio::test]
async fn removed_tags_and_deleted_documents_leave_their_lists() {
    let (app, acme, _) = start().await;
    let token = &acme.admin_token;
    let tagged = app.get("/v1/documents?status=all&tag=rent").bearer(token).send().await.body;
    let [mail, bill] = [&tagged["items"][0], &tagged["items"][1]];
    tag(&app, token, mail, json!(["read"])).await;
    assert_eq!(names(&app, token, "status=all&tag=rent").await, ["Bill 2025.txt"]);
    assert_eq!(names(&app, token, "status=all&tag=read").await, ["rent.eml"]);

    let path = format!("/v1/documents/{}", bill["doc_id"].as_str().unwrap());
    let deleted = app.request(axum::http::Method::DELETE, &path).bearer(token).status().await;
    assert_eq!(deleted, StatusCode::NO_CONTENT);
    assert_eq!(names(&app, token, "status=all&tag=rent").await, [] as [&str; 0]);
    assert_eq!(names(&app, token, "status=all&type=txt").await, ["two.txt", "one.txt"]);
    assert_eq!(counts_of(&facets(&app, token, "status=all").await["type"]), "txt 2, eml 1, html 1");

    app.upload("Bill 2025.txt", "please pay").bearer(token).send().await;
    assert_eq!(
        names(&app, token, "status=all&tag=flat").await,
        ["Bill 2025.txt"],
        "it is restored"
    );
}

#[tokio::test]
async fn facets_show_the_alternatives() {
    let (app, acme, batch) = start().await;
    let token = &acme.admin_token;
    let all = facets(&app, token, "status=all").await;
    assert_eq!(counts_of(&all["status"]), "uploaded 3, active 2");
    assert_eq!(counts_of(&all["type"]), "txt 3, eml 1, html 1");
    assert_eq!(counts_of(&all["source"]), "manual 3, batch 2");
    assert_eq!(counts_of(&all["tag"]), "rent 2, flat 1");
    assert_eq!(all["tag"]["is_complete"], true);
    assert_eq!(all["type"]["values"][0]["at_least"], false);
    let of_batch = &all["batches"][0];
    assert_eq!((&of_batch["batch_id"], &of_batch["name"]), (&json!(batch), &json!("January")));
    assert_eq!(of_batch["documents"], 2);

    let mails = facets(&app, token, "status=all&type=eml").await;
    assert_eq!(counts_of(&mails["status"]), "uploaded 1");
    assert_eq!(counts_of(&mails["tag"]), "rent 1");
    assert_eq!(
        counts_of(&mails["type"]),
        "txt 3, eml 1, html 1",
        "a facet ignores its own condition"
    );
    assert_eq!(mails["batches"], json!([]), "no mail belongs to a batch");
    let served = facets(&app, token, "search=bill").await;
    assert_eq!(counts_of(&served["type"]), "txt 1");
}

#[tokio::test]
async fn a_user_sees_and_counts_only_their_own_documents() {
    let (app, acme, batch) = start().await;
    let (_, ada) = app.user(&acme, Role::User).await;
    app.upload("hers.txt", "her own").bearer(&ada).send().await;
    app.upload("Bill 2025.txt", "please pay").bearer(&ada).send().await;
    for query in ["", "&type=txt", "&source=manual", "&search=t"] {
        let seen = names(&app, &ada, &format!("status=all{query}")).await;
        assert_eq!(seen, ["hers.txt", "Bill 2025.txt"], "{query}");
    }
    let tagged = names(&app, &ada, "status=all&tag=rent").await;
    assert_eq!(tagged, [] as [&str; 0], "another owner tagged it");
    let of_batch = format!("status=all&batch_id={batch}");
    assert_eq!(names(&app, &ada, &of_batch).await, [] as [&str; 0]);
    let counted = facets(&app, &ada, "status=all").await;
    assert_eq!(counts_of(&counted["type"]), "txt 2");
    assert_eq!(counted["batches"], json!([]));

    let other = app.tenant("other").await;
    for query in ["status=all", "status=all&type=txt", "status=all&tag=rent", of_batch.as_str()] {
        assert_eq!(names(&app, &other.admin_token, query).await, [] as [&str; 0], "{query}");
        let counted = facets(&app, &other.admin_token, query).await;
        assert_eq!(counts_of(&counted["type"]), "", "{query}");
    }
}

/// `January 2, February 1`
fn batches(facets: &Value) -> String {
    let value =
        |batch: &Value| format!("{} {}", batch["name"].as_str().unwrap(), batch["documents"]);
    facets["batches"].as_array().unwrap().iter().map(value).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn batch_facets_ignore_their_own_condition() {
    let (app, acme, january) = start().await;
    let token = &acme.admin_token;
    let made = app.post("/v1/batches", json!({"name": "February"})).bearer(token).send().await;
    let path = format!("/v1/batches/{}/documents", made.body["batch_id"].as_str().unwrap());
    let files: [(&str, &[u8]); 1] = [("bill.html", b"<!doctype html><html><p>bill</p></html>")];
    let added = app.request(axum::http::Method::POST, &path).bearer(token).files(files);
    assert_eq!(added.status().await, StatusCode::ACCEPTED);
    for (query, expected) in [
        ("status=all", "February 1, January 2"),
        ("status=all&type=txt", "January 2"),
        ("status=all&search=one", "January 1"),
        ("status=failed", ""),
        ("status=all&tag=rent", ""),
        // A facet ignores its own condition, and the selected batch is listed even without matches.
        (&format!("status=all&batch_id={january}"), "February 1, January 2"),
        (&format!("status=failed&batch_id={january}"), "January 0"),
    ] {
        assert_eq!(batches(&facets(&app, token, query).await), expected, "{query}");
    }
    // A user who uploaded the same file does not see the batch of another owner.
    let (_, ada) = app.user(&acme, Role::User).await;
    app.upload("one.txt", "note one").bearer(&ada).send().await;
    assert_eq!(batches(&facets(&app, &ada, "status=all").await), "");
    let chosen = format!("status=all&batch_id={january}");
    assert_eq!(batches(&facets(&app, &ada, &chosen).await), "");
}

/// Adds many more documents than one page scans, older than all others.
async fn add_many(app: &TestApp, tenant: &TestTenant, many: i32) {
    let mut superuser = app.database.superuser().await;
    sqlx::query(
        "INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                                status, created_at, updated_at)
         SELECT gen_random_uuid(), $1, 'pdf', 'upload://' || n, 'Paper ' || n, 'manual', n || '.pdf', 'application/pdf',
                1, 'active', '2020-01-01Z'::timestamptz - make_interval(secs => n), '2020-01-01Z'
         FROM generate_series(1, $2) AS n",
    )
    .bind(tenant.tenant.tenant_id.0)
    .bind(many)
    .execute(&mut superuser)
    .await
    .unwrap();
}

#[tokio::test]
async fn a_match_far_down_is_found_on_a_later_page() {
    let (app, acme, _) = start().await;
    let token = &acme.admin_token;
    add_many(&app, &acme, 10_100).await;
    let first = app.get("/v1/documents?status=all&search=10050").bearer(token).send().await.body;
    assert_eq!(first["items"], json!([]), "it is not among the documents that one page scans");
    assert!(first["next_cursor"].is_string(), "the scan can continue");
    assert_eq!(names(&app, token, "status=all&search=10050").await, ["10050.pdf"]);

    let second = app.get("/v1/documents?status=all&limit=100&page=102").bearer(token).send().await;
    assert_eq!(
        second.body["items"].as_array().unwrap().len(),
        5,
        "pages have numbers, however far"
    );
    assert_eq!(second.body["next_cursor"], Value::Null);
}

#[tokio::test]
async fn incomplete_counts_are_marked() {
    let (app, acme, _) = start().await;
    let token = &acme.admin_token;
    add_many(&app, &acme, 10_100).await;
    let counted = facets(&app, token, "status=all").await;
    assert_eq!(counts_of(&counted["type"]), "pdf 10000, txt 3, eml 1, html 1");
    assert_eq!(counted["type"]["values"][0]["at_least"], true);
    assert_eq!(counted["type"]["values"][1]["at_least"], false);
    assert_eq!(
        (&counted["type"]["is_complete"], &counted["tag"]["is_complete"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(counted["tag"]["values"][0]["at_least"], true);

    let papers = facets(&app, token, "status=all&type=pdf&search=paper").await;
    assert_eq!(counts_of(&papers["status"]), "active 10000");
    assert_eq!(papers["status"]["is_complete"], false);
}

#[tokio::test]
async fn a_list_is_sorted_as_requested_whatever_it_is_filtered_by() {
    let (app, acme, batch) = start().await;
    let token = &acme.admin_token;
    let of_batch = format!("batch_id={batch}&");
    // The titles of files are their names, and upper case does not come before lower case.
    for (query, sort, expected) in [
        ("", "newest", &["rent.eml", "two.txt", "one.txt", "page.html", "Bill 2025.txt"] as &[_]),
        ("", "oldest", &["Bill 2025.txt", "page.html", "one.txt", "two.txt", "rent.eml"]),
        ("", "title", &["Bill 2025.txt", "one.txt", "page.html", "rent.eml", "two.txt"]),
        ("", "title_desc", &["two.txt", "rent.eml", "page.html", "one.txt", "Bill 2025.txt"]),
        ("type=txt&", "title", &["Bill 2025.txt", "one.txt", "two.txt"]),
        ("type=txt&", "oldest", &["Bill 2025.txt", "one.txt", "two.txt"]),
        ("tag=rent&", "title_desc", &["rent.eml", "Bill 2025.txt"]),
        (&of_batch, "title", &["one.txt", "two.txt"]),
        ("search=t&", "title", &["Bill 2025.txt", "one.txt", "page.html", "rent.eml", "two.txt"]),
    ] {
        let query = format!("{query}status=all&sort={sort}");
        assert_eq!(names(&app, token, &query).await, expected, "{query}");
    }

    let listed = app.get("/v1/documents?status=all").bearer(token).send().await.body;
    app.clock.advance(Duration::seconds(1));
    let bill = listed["items"].as_array().unwrap().last().unwrap();
    let rerun = format!("/v1/documents/{}/rerun", bill["doc_id"].as_str().unwrap());
    let rerun = app.post(&rerun, json!({})).bearer(token).send().await;
    assert_eq!(rerun.status, StatusCode::ACCEPTED, "{}", rerun.body);
    app.clock.advance(Duration::seconds(1));
    app.work_off().await;
    for query in ["status=all", "status=all&type=txt"] {
        let changed = names(&app, token, &format!("{query}&sort=updated")).await;
        let moments = app.get(&format!("/v1/documents?{query}&sort=updated")).bearer(token);
        let moments = moments.send().await.body["items"].clone();
        let moments: Vec<&str> = moments
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["updated_at"].as_str().unwrap())
            .collect();
        assert!(moments.is_sorted_by(|a, b| a >= b), "{changed:?} {moments:?}");
        assert_eq!(changed.len(), moments.len(), "{query}");
    }
}

#[tokio::test]
async fn a_cursor_is_refused_in_another_order_than_its_own() {
    let (app, acme, _) = start().await;
    let token = &acme.admin_token;
    for (sort, other) in [("title", "newest"), ("newest", "oldest"), ("updated", "title_desc")] {
        let page = app.get(&format!("/v1/documents?status=all&limit=2&sort={sort}"));
        let page = page.bearer(token).send().await.body;
        let cursor = page["next_cursor"].as_str().unwrap();
        let path = format!("/v1/documents?status=all&sort={other}&cursor={cursor}");
        let refused = app.get(&path).bearer(token).send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        assert_eq!(refused.body["field"], "cursor");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.contains(sort) && detail.contains(other), "{detail}");
    }
    for made_up in ["title.00-00000000000000000000000000000000", "title.zz-0", "best.0-0"] {
        let path = format!("/v1/documents?sort=title&cursor={made_up}");
        let refused = app.get(&path).bearer(token).send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{made_up}");
    }
}

#[tokio::test]
async fn owners_sort_by_the_titles_that_they_gave_themselves() {
    let (app, acme, _) = start().await;
    let (_, ada) = app.user(&acme, Role::User).await;
    for (title, name, content) in
        [("Zebra", "Bill 2025.txt", "please pay"), ("Middle", "hers.txt", "her own")]
    {
        let upload = app.request(axum::http::Method::POST, "/v1/ingest").bearer(&ada);
        let upload = upload.fields_and_files(&[("title", title)], [(name, content.as_bytes())]);
        assert!(upload.status().await.is_success());
    }
    let hers = names(&app, &ada, "status=all&sort=title").await;
    assert_eq!(hers, ["hers.txt", "Bill 2025.txt"], "Zebra is the last of hers");
    let of_tenant = names(&app, &acme.admin_token, "status=all&type=txt&sort=title").await;
    assert_eq!(
        of_tenant.first().unwrap(),
        "Bill 2025.txt",
        "and not called Zebra in the tenant's list"
    );
}

#[tokio::test]
async fn a_long_list_continues_in_its_order() {
    let (app, acme, _) = start().await;
    let token = &acme.admin_token;
    add_many(&app, &acme, 10_100).await;
    // A type that is too long to be sorted in memory, and a title that is examined after 10,000 others.
    let last = names(&app, token, "status=all&type=pdf&search=9999&sort=title").await;
    assert_eq!(last, ["9999.pdf"]);
    let tagged = names(&app, token, "status=all&tag=rent&sort=title").await;
    assert_eq!(tagged, ["Bill 2025.txt", "rent.eml"]);
}

#[tokio::test]
async fn a_list_shows_the_stage_of_each_document_and_how_far_it_is() {
    let (app, acme, _) = start().await;
    let token = &acme.admin_token;
    let list = "/v1/documents?status=uploaded&sort=title";
    let waiting = app.get(list).bearer(token).send().await.body["items"][0].clone();
    assert_eq!(waiting["filename"], "one.txt");
    assert!(waiting["progress"]["stage"].is_string(), "{waiting}");
    assert_eq!(waiting["progress"]["is_running"], false);

    let mut superuser = app.database.superuser().await;
    sqlx::query(
        "UPDATE jobs SET status = 'PROCESSING', stage = 'ocr', lease_token = gen_random_uuid(), lease_until = now(),
                         progress_done = 3, progress_total = 12
         WHERE doc_id = $1::text::uuid AND status = 'PENDING'",
    )
    .bind(waiting["doc_id"].as_str())
    .execute(&mut superuser)
    .await
    .unwrap();
    let running = app.get(list).bearer(token).send().await.body["items"][0]["progress"].clone();
    assert_eq!(
        running,
        json!({ "run_id": waiting["progress"]["run_id"], "stage": "ocr", "is_running": true, "done": 3, "total": 12,
                "waiting_for": null })
    );
    let ready = app.get("/v1/documents").bearer(token).send().await.body;
    assert_eq!(ready["items"][0]["progress"], Value::Null);
}

#[tokio::test]
async fn a_document_with_masks_or_without_pages_has_no_images_in_lists() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let token = &acme.admin_token;
    let picture = testkit::samples::TINY_PNG;
    let upload = app.request(axum::http::Method::POST, "/v1/ingest").bearer(token);
    assert!(upload.files([("a.png", picture)]).status().await.is_success());
    app.upload("a.txt", "text").bearer(token).send().await;
    let images = async || {
        let list = app.get("/v1/documents?status=all&sort=title").bearer(token).send().await.body;
        [0, 1].map(|at| list["items"][at]["has_page_images"].as_bool().unwrap())
    };
    assert_eq!(images().await, [false, false], "neither is ready");
    app.work_off().await;
    assert_eq!(images().await, [true, false], "a text has no pages");
    let mut superuser = app.database.superuser().await;
    let masks = "UPDATE ingestion_runs SET config = jsonb_set(config, '{masks}', '[{\"box\": [0, 0, 9, 9]}]')";
    sqlx::query(masks).execute(&mut superuser).await.unwrap();
    assert_eq!(images().await, [false, false]);
}
