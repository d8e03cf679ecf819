//! A machine whose kernel lacks Landlock or seccomp: documents are taken in, none is read, and everybody
//! is told; unless the operator says otherwise, and then everybody is told that.

use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::Lacking;

use crate::reading::{library_of, with_tools};
use crate::support::{Client, DataFolder, Docket, Finished, Papers, eventually};

const CASES: [(Lacking, &str); 2] =
    [(Lacking::Landlock, "Landlock"), (Lacking::Seccomp, "seccomp")];

/// The component `sandbox` of `/readyz`.
async fn sandbox_of(client: &Client) -> Value {
    let ready = client.get("/readyz").await;
    assert_eq!(ready.status, 200, "it serves, so nobody must restart it: {ready:?}");
    assert_eq!(ready.body["status"], "degraded", "{ready:?}");
    let components = ready.body["dependencies"].as_array().unwrap();
    components.iter().find(|component| component["name"] == "sandbox").unwrap().clone()
}

/// The value of a metric, by its name and labels.
async fn metric(client: &Client, name: &str) -> Option<String> {
    let metrics = client.get("/metrics").await;
    let lines = metrics.body.as_str().unwrap().lines();
    let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    values.next().map(str::to_owned)
}

async fn assert_metrics(client: &Client, lacking: Lacking, required: &str) {
    for (lock, of) in [("landlock", Lacking::Landlock), ("seccomp", Lacking::Seccomp)] {
        let active = metric(client, &format!("docket_sandbox_active{{lock=\"{lock}\"}}")).await;
        assert_eq!(active.as_deref(), Some(if lacking == of { "0" } else { "1" }), "{lock}");
    }
    assert_eq!(metric(client, "docket_sandbox_required").await.as_deref(), Some(required));
}

async fn setting(client: &Client) -> Value {
    let config = client.get("/v1/config").await.body;
    let settings = config["settings"].as_array().unwrap();
    settings.iter().find(|setting| setting["key"] == "sandbox").unwrap().clone()
}

/// The one line of its log that says this.
fn logged(finished: &Finished, level: &str, part: &str) {
    let lines = finished.stderr.lines().filter(|line| line.contains(part));
    let lines: Vec<&str> = lines.collect();
    let [line] = lines[..] else { panic!("one line with '{part}', not {finished:?}") };
    assert!(line.contains(&format!("\"level\":\"{level}\"")), "{line}");
}

/// The only document, whatever its state.
async fn document_of(client: &Client) -> Value {
    client.get("/v1/documents?status=all").await.body["items"][0].clone()
}

async fn preprocess_waits(client: &Client) -> bool {
    let queues = client.get("/v1/queues").await.body;
    let queues = queues["queues"].as_array().unwrap();
    queues.iter().any(|queue| queue["stage"] == "preprocess" && queue["waiting"] == 1)
}

#[tokio::test]
async fn without_a_lock_documents_are_taken_in_and_wait_for_a_worker_that_has_it() {
    for (lacking, name) in CASES {
        let folder = DataFolder::new();
        let docket = with_tools(Docket::serve(&folder)).on_a_kernel_without(lacking);
        let (server, ada, client) = library_of(docket).await;
        let papers = Papers::texts(1);
        ada.sees(["ingest", papers.folder()]).await;
        eventually("it waits to be read", async || preprocess_waits(&client).await).await;

        let sandbox = sandbox_of(&client).await;
        let problem = sandbox["problem"].as_str().unwrap();
        assert_eq!(sandbox["status"], "degraded");
        assert!(problem.starts_with(&format!("{name} is not active on this machine")), "{problem}");
        assert!(problem.contains("no document is read here"), "{problem}");
        assert_metrics(&client, lacking, "1").await;
        assert_eq!(setting(&client).await["value"], "required");
        let document = document_of(&client).await;
        assert_eq!(document["status"], "processing", "{document}");

        // A worker that can do it comes, and finds the work untouched.
        let worker = with_tools(Docket::on(&folder, ["worker"])).start_worker().await;
        eventually("it is read", async || document_of(&client).await["status"] == "active").await;
        let jobs = client.get("/v1/jobs?limit=100").await.body;
        let jobs = jobs["items"].as_array().unwrap();
        let preprocess = jobs.iter().find(|job| job["stage"] == "preprocess").unwrap();
        assert_eq!(preprocess["attempts"], 0, "{preprocess}");
        worker.stop_by(Signal::TERM).await.succeeded();
        let stopped = server.stop().await;
        assert_eq!(stopped.code, Some(0), "{stopped:?}");
        assert!(stopped.stdout.contains(&format!("  sandbox      {name} is not")), "{stopped:?}");
        logged(&stopped, "ERROR", "so no document is read here");
    }
}

#[tokio::test]
async fn best_effort_reads_without_a_lock_and_says_so_everywhere() {
    for (lacking, name) in CASES {
        let folder = DataFolder::new();
        let docket = with_tools(Docket::serve(&folder)).env("DOCKET_SANDBOX", "best_effort");
        let (server, ada, client) = library_of(docket.on_a_kernel_without(lacking)).await;
        let papers = Papers::texts(1);
        ada.sees(["ingest", papers.folder(), "--wait"]).await;
        assert_eq!(document_of(&client).await["status"], "active");

        let sandbox = sandbox_of(&client).await;
        let problem = sandbox["problem"].as_str().unwrap();
        assert!(problem.starts_with(&format!("{name} is not active")), "{problem}");
        assert!(problem.contains("read anyway"), "{problem}");
        assert_metrics(&client, lacking, "0").await;
        let setting = setting(&client).await;
        assert_eq!(
            (&setting["value"], &setting["origin"]),
            (&json!("best_effort"), &json!("environment"))
        );
        let stopped = server.stop().await;
        assert_eq!(stopped.code, Some(0), "{stopped:?}");
        logged(&stopped, "WARN", "read anyway");
    }
}

#[tokio::test]
async fn a_worker_without_a_lock_reads_nothing_and_says_so() {
    let folder = DataFolder::new();
    let docket = with_tools(Docket::serve(&folder)).env("DOCKET_NO_WORKERS", "true");
    let (server, ada, client) = library_of(docket).await;
    let worker = Docket::on(&folder, ["worker", "--metrics-listen", "127.0.0.1:0"]);
    let worker = with_tools(worker).on_a_kernel_without(Lacking::Landlock);
    let mut worker = worker.start_worker().await;
    let watcher = Client::of_address(worker.metrics_address().await);
    assert!(sandbox_of(&watcher).await["problem"].as_str().unwrap().starts_with("Landlock is not"));
    assert_metrics(&watcher, Lacking::Landlock, "1").await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder()]).await;
    eventually("it waits to be read", async || preprocess_waits(&client).await).await;
    let stopped = worker.stop_by(Signal::TERM).await;
    assert!(stopped.stdout.contains("jobs at once of ingest, index"), "{stopped:?}");
    logged(&stopped, "ERROR", "so no document is read here");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn the_doctor_says_which_lock_is_missing_and_what_to_do() {
    for (lacking, name) in CASES {
        let doctor = || with_tools(Docket::run(["doctor"])).on_a_kernel_without(lacking);
        let found = doctor().finish().await;
        assert_eq!(found.code, Some(1), "{found:?}");
        assert!(found.stdout.contains(&format!("MISSING  {name}: needed for")), "{found:?}");
        assert!(found.stdout.contains("so no document is read here"), "{found:?}");
        assert!(found.stdout.contains("docs/sandbox.md"), "{found:?}");
        let found = doctor().env("DOCKET_SANDBOX", "best_effort").finish().await;
        assert_eq!(found.code, Some(1), "{found:?}");
        assert!(found.stdout.contains("Documents are read anyway"), "{found:?}");
    }
    let found = with_tools(Docket::run(["doctor", "--json"])).finish().await;
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["sandbox"]["problem"], Value::Null, "both locks hold on this machine");
    assert_eq!(found["sandbox"]["policy"], "required");
}

#[tokio::test]
async fn reading_a_file_without_a_lock_is_refused_unless_it_is_wanted() {
    let papers = Papers::new();
    papers.with("note.txt", "Dear Reader");
    for (lacking, name) in CASES {
        let read = || {
            let read = Docket::run(["read", &papers.file("note.txt"), "--format", "text"]);
            with_tools(read).on_a_kernel_without(lacking)
        };
        let refused = read().finish().await.failed_with(1);
        let start = format!(
            "documents are read only in a sandbox, and {name} is not active on this machine"
        );
        assert!(refused.starts_with(&start), "{refused}");
        assert!(refused.contains("DOCKET_SANDBOX=best_effort"), "{refused}");
        let wanted = read().env("DOCKET_SANDBOX", "best_effort").finish().await;
        assert_eq!((wanted.code, wanted.stdout.trim()), (Some(0), "Dear Reader"), "{wanted:?}");
        assert!(wanted.stderr.contains(&format!("{name} is not active")), "{wanted:?}");
    }
}

#[tokio::test]
async fn a_policy_that_is_none_is_refused() {
    let refused =
        Docket::run(["doctor"]).env("DOCKET_SANDBOX", "off").finish().await.failed_with(2);
    assert!(refused.contains("write required or best_effort"), "{refused}");
}
