//! A short run of `docket-chaos run`; `make chaos` is the long one.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Docket, eventually};

/// Runs it to its end and returns what it reports.
async fn report(arguments: &[&str]) -> Value {
    // Resuming takes as long as it takes on a machine that is busy with other tests; `make chaos` has a limit.
    let run = Docket::run([&["run", "--json", "--resume-limit", "1000"], arguments].concat());
    let finished = run.finish_within(Duration::from_mins(8)).await;
    println!("{}", finished.stdout);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    serde_json::from_str(&finished.stdout).unwrap()
}

#[tokio::test]
async fn nothing_is_lost_or_done_twice_when_everything_is_killed() {
    // So many documents that both workers have something to do whenever one of them is killed.
    let report = report(&["--kills", "6", "--docs", "120", "--workers", "2"]).await;
    assert_eq!((&report["accepted"], &report["never_accepted"]), (&120.into(), &0.into()));
    assert_eq!((&report["lost"], &report["duplicated"]), (&0.into(), &0.into()));
    for victim in ["server", "workers", "database"] {
        assert!(report["faults"][victim].as_u64().unwrap() > 0, "{victim}: {report}");
    }
    assert_eq!(report["most_stages_redone_per_document_and_kill"], 1, "{report}");
    assert!(report["resume"]["jobs"].as_u64().unwrap() > 0, "no kill interrupted a job: {report}");
    assert!(report["resume"]["p99_seconds"].is_f64(), "{report}");
}

#[tokio::test]
async fn nothing_is_lost_or_done_twice_when_what_is_needed_is_away() {
    let report = report(&["--kills", "6", "--docs", "120", "--workers", "2", "--faults"]).await;
    assert_eq!((&report["accepted"], &report["never_accepted"]), (&120.into(), &0.into()));
    assert_eq!((&report["lost"], &report["duplicated"]), (&0.into(), &0.into()));
    for fault in ["suspended_workers", "database_restarts", "store_outages"] {
        assert_eq!(report["faults"][fault], 1, "{fault}: {report}");
    }
}

#[tokio::test]
async fn ctrl_c_ends_it_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let run = Docket::run(["run"]).env("TMPDIR", folder.path().to_str().unwrap()).start_unheard();
    let inside = || std::fs::read_dir(folder.path()).unwrap().next().map(|it| it.unwrap().path());
    let worker_runs = async || inside().is_some_and(|it| it.join("worker-3.log").exists());
    eventually("the workers are started", worker_runs).await;
    let sentence = run.stop_by(Signal::INT).await.failed_with(1);
    assert_eq!(sentence, "interrupted before it was finished");
    assert_eq!(inside(), None);
}
