//! `docket ingest`: what gets in and what does not, once and again, through interruptions.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Client, DataFolder, Docket, Finished, Papers, Person, Server, address, eventually, jobs_where,
};

/// A server and a user who is signed in.
async fn office(folder: &DataFolder) -> (Server, Person) {
    let server = Docket::serve(folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    (server, ada)
}

/// One that takes documents in and leaves them lying.
async fn idle_office(folder: &DataFolder) -> (Server, Person) {
    let server = Docket::serve(folder).without_workers().start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    (server, ada)
}

/// The same address again, with workers.
async fn reopened(folder: &DataFolder, address: &str) -> Server {
    let listen = address.trim_start_matches("http://");
    Docket::on(folder, ["serve"]).and("--listen", listen).start().await
}

/// The lines of `--json`: by file name, and the summary.
fn parsed(printed: &str) -> (BTreeMap<String, Value>, Value) {
    let mut files = BTreeMap::new();
    let mut summary = Value::Null;
    for line in printed.lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        match line["path"].as_str() {
            Some(path) => {
                let name = path.rsplit('/').next().unwrap().to_owned();
                files.insert(name, line);
            }
            None => summary = line["summary"].clone(),
        }
    }
    (files, summary)
}

/// The line of the kind `5 files: …`.
fn counts(finished: &Finished) -> &str {
    let line = finished
        .stdout
        .lines()
        .find(|line| line.split_once(": ").is_some_and(|(files, _)| files.contains(" file")));
    line.unwrap_or_else(|| panic!("no summary in {finished:#?}"))
}

async fn uploads_so_far(folder: &DataFolder) -> i64 {
    let mut superuser = folder.superuser().await;
    let count = sqlx::query_scalar("SELECT count(*) FROM ingestion_runs");
    count.fetch_one(&mut superuser).await.unwrap()
}

#[tokio::test]
async fn of_a_mixed_folder_what_is_fit_gets_in_and_the_rest_is_named_with_its_reason() {
    let folder = DataFolder::new();
    let (server, ada) = office(&folder).await;
    let papers = Papers::new();
    papers.with("letter.txt", "Dear all,\n");
    papers.with("deep/er/notes.md", "# Notes\n");
    papers.with("deep/.cache/secret.txt", "hidden");
    papers.with(".hidden.txt", "hidden");
    papers.with("empty.txt", "");
    papers.with("fake.pdf", "this is no portable document");
    let first = ada.types(["ingest", papers.folder()]).finish().await;
    assert_eq!((first.code, counts(&first)), (Some(1), "4 files: 2 new, 2 failed"), "{first:#?}");
    let new: Vec<&str> = first.stdout.lines().filter(|line| line.starts_with("new ")).collect();
    assert_eq!(new.len(), 2, "{first:#?}");
    for why in [
        format!("docket: {}: The file is empty.\n", papers.file("empty.txt")),
        format!(
            "docket: {}: The file is named .pdf but contains text/plain",
            papers.file("fake.pdf")
        ),
    ] {
        assert!(first.stderr.contains(&why), "{why}: {first:#?}");
    }

    let kept = fs::read_dir(ada.home.path()).unwrap().map(|entry| entry.unwrap());
    let kept: Vec<_> =
        kept.filter(|it| it.file_name().to_str().unwrap().starts_with("accepted-")).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].metadata().unwrap().permissions().mode() & 0o7777, 0o600);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn uploaded_files_are_skipped_unless_they_changed_or_were_deleted() {
    let folder = DataFolder::new();
    let (server, ada) = office(&folder).await;
    let papers = Papers::texts(3);
    let ingest = ["ingest", papers.folder(), "--wait", "--json"];
    let (_, first) = parsed(&ada.sees(ingest).await);
    assert_eq!((&first["new"], &first["processed"]["succeeded"]), (&json!(3), &json!(3)));

    let (files, second) = parsed(&ada.sees(ingest).await);
    assert_eq!((&second["skipped"], &second["not_uploaded_again"]), (&json!(3), &json!(3)));
    assert_eq!(second["uploaded_bytes"], 0);
    assert!(files.values().all(|file| file["uploaded"] == false), "{files:#?}");
    let output = ada.sees(["ingest", papers.folder()]).await;
    assert!(
        output.contains("3 files uploaded before and not changed since: not uploaded"),
        "{output}"
    );

    // One is changed, one is deleted on the server, one stays.
    papers.with("1.txt", "This is another letter.\n");
    let gone = files["2.txt"]["doc_id"].as_str().unwrap();
    let admin = Client::admin(&server).await;
    assert_eq!(admin.delete(&format!("/v1/documents/{gone}")).await.status, 204);
    let (files, third) = parsed(&ada.sees(ingest).await);
    let uploaded = |name: &str| files[name]["uploaded"].as_bool().unwrap();
    assert_eq!((uploaded("1.txt"), uploaded("2.txt"), uploaded("3.txt")), (true, true, false));
    assert_eq!(third["skipped"], 1, "{third}");

    let (files, again) = parsed(&ada.sees(ingest.into_iter().chain(["--again"])).await);
    assert!(files.values().all(|file| file["uploaded"] == true), "{files:#?}");
    assert_eq!((&again["skipped"], &again["not_uploaded_again"]), (&json!(3), &json!(0)));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn another_server_knows_nothing_of_it() {
    let (here, there) = (DataFolder::new(), DataFolder::new());
    let (first, ada) = office(&here).await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder()]).await;
    first.stop().await.succeeded();
    let second = Docket::serve(&there).start().await;
    ada.signs_in(&second).await;
    let (_, summary) = parsed(&ada.sees(["ingest", papers.folder(), "--json"]).await);
    assert_eq!(summary["new"], 1, "{summary}");
    second.stop().await.succeeded();
}

#[tokio::test]
async fn standard_input_and_patterns_are_documents_too() {
    let folder = DataFolder::new();
    let (server, ada) = office(&folder).await;
    let piped =
        ada.types(["ingest", "-", "--name", "mail.txt", "--title", "A mail", "--wait", "--json"]);
    let (files, _) = parsed(&piped.finish_with_input("Dear Bob,\n").await.succeeded());
    let doc = &files["mail.txt"];
    assert_eq!((&doc["result"], &doc["run_status"]), (&json!("new"), &json!("succeeded")));
    let shown = ada.reads(["show", doc["doc_id"].as_str().unwrap(), "--json"]).await;
    assert_eq!((&shown["title"], &shown["filename"]), (&json!("A mail"), &json!("mail.txt")));

    let papers = Papers::texts(3);
    papers.with("4.md", "# Four\n");
    // A process gets patterns from who calls it without a shell.
    let (files, _) = parsed(&ada.sees(["ingest", &papers.file("*.txt"), "--json"]).await);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["1.txt", "2.txt", "3.txt"]);

    let none = ada.types(["ingest", &papers.file("*.pdf"), &papers.file("5.txt")]).finish().await;
    assert_eq!((none.code, counts(&none)), (Some(1), "2 files: 2 failed"));
    assert!(none.stderr.contains("*.pdf: no file matches this pattern\n"), "{none:#?}");
    assert!(none.stderr.contains("5.txt: there is no such file\n"), "{none:#?}");
    for (wrong, sentence) in [
        (
            vec!["ingest", papers.folder(), "--title", "x"],
            "--title is for one file, and these are 4",
        ),
        (vec!["ingest", papers.folder(), "--name", "x"], "--name is for standard input"),
    ] {
        let said = ada.types(wrong).finish().await.failed_with(2);
        assert!(said.starts_with(sentence), "{said}");
    }
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_batch_holds_all_of_them_and_waits_for_nothing_that_was_refused() {
    let folder = DataFolder::new();
    let (server, ada) = office(&folder).await;
    let papers = Papers::texts(3);
    let ingest = ["ingest", papers.folder(), "--batch", "November", "--wait", "--json"];
    let (files, summary) = parsed(&ada.sees(ingest).await);
    assert!(files.values().all(|file| file["run_status"] == "succeeded"), "{files:#?}");
    let admin = Client::admin(&server).await;
    let path = format!("/v1/batches/{}", summary["batch_id"].as_str().unwrap());
    let batch = admin.get(&path).await.body;
    assert_eq!((&batch["name"], &batch["status"]), (&json!("November"), &json!("completed")));
    assert_eq!(
        (&batch["expected_documents"], &batch["counts"]["succeeded"]),
        (&json!(3), &json!(3))
    );

    papers.with("fake.pdf", "no");
    let short = ada.types(["ingest", papers.folder(), "--batch", "December"]).finish().await;
    assert_eq!((short.code, counts(&short)), (Some(1), "4 files: 3 skipped, 1 failed"));
    let said = short.stdout.lines().find_map(|line| line.strip_prefix("Batch ")).unwrap();
    let batch_id = said.strip_suffix(" has 3 documents").unwrap();
    let found = admin.get(&format!("/v1/ids/{batch_id}")).await.body;
    let batch_id = found["batches"][0].as_str().unwrap();
    let batch = admin.get(&format!("/v1/batches/{batch_id}")).await.body;
    assert_eq!((&batch["status"], &batch["counts"]["refused"]), (&json!("partial"), &json!(1)));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn programs_read_a_line_for_each_file_and_a_summary() {
    let folder = DataFolder::new();
    let (server, ada) = office(&folder).await;
    let papers = Papers::new();
    papers.with("a.txt", "a letter\n");
    papers.with("b.txt", "");
    let printed = ada.types(["ingest", papers.folder(), "--wait", "--json"]).finish().await;
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(1), ""));
    let (mut files, summary) = parsed(&printed.stdout);
    let accepted = files.get_mut("a.txt").unwrap();
    assert!(accepted["doc_id"].is_string() && accepted["run_id"].is_string(), "{accepted}");
    for id in ["doc_id", "run_id"] {
        accepted[id] = json!("id");
    }
    assert_eq!(
        *accepted,
        json!({ "path": papers.file("a.txt"), "result": "new", "doc_id": "id", "run_id": "id",
                "uploaded": true, "reason": null, "run_status": "succeeded", "error": null })
    );
    assert_eq!(
        files["b.txt"],
        json!({ "path": papers.file("b.txt"), "result": "failed", "doc_id": null, "run_id": null,
                "uploaded": false, "reason": "The file is empty.", "run_status": null, "error": null })
    );
    assert_eq!(
        summary,
        json!({ "files": 2, "new": 1, "new_version": 0, "rerun": 0, "skipped": 0, "in_progress": 0, "failed": 1,
                "not_uploaded_again": 0, "uploaded_bytes": 9, "not_uploaded": 0,
                "processed": { "succeeded": 1, "failed": 0, "unfinished": 0 },
                "interrupted": false, "batch_id": null })
    );
    server.stop().await.succeeded();
}

#[tokio::test]
async fn an_interrupted_command_says_what_it_did_and_goes_on_when_it_is_repeated() {
    let folder = DataFolder::new();
    // Three may be queued; the others are refused with a time to retry, and there are no workers.
    let server =
        Docket::serve(&folder).without_workers().env("DOCKET_QUEUE_QUOTA", "3").start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(8);
    let mut ingest = ada.types(["ingest", papers.folder(), "--parallel", "1"]).begin();
    ingest.has_said("3.txt").await;
    let stopped = ingest.stop_by(Signal::INT).await;
    assert_eq!((stopped.code, counts(&stopped)), (Some(130), "8 files: 3 new"), "{stopped:#?}");
    let rest = "5 files not uploaded; run the same command again to continue\n";
    assert!(stopped.stdout.ends_with(rest), "{stopped:#?}");
    assert_eq!(uploads_so_far(&folder).await, 3);

    // While it waits it can be interrupted too.
    let mut waits = ada.types(["ingest", &papers.file("1.txt"), "--wait"]).begin();
    waits.has_said("All files uploaded; waiting for 1 document\n").await;
    let stopped = waits.stop_by(Signal::INT).await;
    assert_eq!((stopped.code, counts(&stopped)), (Some(130), "1 file: 1 in progress"));
    assert!(stopped.stdout.ends_with("1 document still being processed\n"), "{stopped:#?}");

    let worker = Docket::on(&folder, ["worker"]).start_worker().await;
    let drained = async || jobs_where(folder.superuser().await, "status <> 'COMPLETED'").await == 0;
    eventually("the queue is empty", drained).await;
    let (files, resumed) =
        parsed(&ada.sees(["ingest", papers.folder(), "--parallel", "1", "--wait", "--json"]).await);
    assert_eq!((&resumed["skipped"], &resumed["not_uploaded_again"]), (&json!(3), &json!(3)));
    assert_eq!((&resumed["new"], &resumed["processed"]["succeeded"]), (&json!(5), &json!(5)));
    assert_eq!(files.len(), 8);
    worker.stop_by(Signal::TERM).await.succeeded();
    server.stop().await.succeeded();
}

#[tokio::test]
async fn waiting_survives_a_server_that_is_killed_and_comes_back() {
    let folder = DataFolder::new();
    let (server, ada) = idle_office(&folder).await;
    let papers = Papers::texts(4);
    let address = address(&server);
    let waiting = ada.types(["ingest", papers.folder(), "--wait", "--json"]).begin();
    let queued = async || jobs_where(folder.superuser().await, "status = 'PENDING'").await == 4;
    eventually("all are uploaded", queued).await;
    server.kill().await;
    let server = reopened(&folder, &address).await;
    let (files, summary) = parsed(&waiting.finish().await.succeeded());
    assert!(files.values().all(|file| file["run_status"] == "succeeded"), "{files:#?}");
    assert_eq!((&summary["new"], &summary["processed"]["succeeded"]), (&json!(4), &json!(4)));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn who_waits_does_not_hold_up_a_server_that_is_told_to_stop() {
    let folder = DataFolder::new();
    let (server, ada) = idle_office(&folder).await;
    let papers = Papers::texts(1);
    let mut waiting = ada.types(["ingest", papers.folder(), "--wait"]).begin();
    waiting.has_said("All files uploaded; waiting for 1 document\n").await;
    let reported = Instant::now();
    // With a request that does not finish, there would be a warning.
    server.stop().await.succeeded();
    assert!(reported.elapsed() < Duration::from_secs(15), "{:?}", reported.elapsed());
    assert_eq!(waiting.stop_by(Signal::INT).await.code, Some(130));
}

#[tokio::test]
async fn an_upload_survives_a_server_that_is_killed_and_comes_back() {
    let folder = DataFolder::new();
    let (server, ada) = idle_office(&folder).await;
    let address = address(&server);
    let papers = Papers::texts(1);
    let mut ingest =
        ada.types(["ingest", &papers.file("1.txt"), "-", "--name", "mail.txt"]).begin();
    ingest.has_said("1.txt").await;
    server.kill().await;
    ingest.hears("Dear Bob,\n").await;
    let server = reopened(&folder, &address).await;
    let finished = ingest.finish().await;
    assert_eq!((finished.code, counts(&finished)), (Some(0), "2 files: 2 new"), "{finished:#?}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_server_that_is_not_there_or_does_not_know_us_is_an_error_of_its_own() {
    let folder = DataFolder::new();
    let (server, ada) = office(&folder).await;
    let papers = Papers::texts(2);
    let stranger = ada.types(["ingest", papers.folder()]).env("DOCKET_TOKEN", "dk_wrong");
    stranger.finish().await.failed_with(4);
    server.stop().await.succeeded();
    let alone = ada.types(["ingest", papers.folder()]).finish().await.failed_with(3);
    assert!(alone.starts_with("cannot reach Docket at http://127.0.0.1:"), "{alone}");
}
