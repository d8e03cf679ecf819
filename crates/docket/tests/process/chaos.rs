//! A short run of `docket chaos`: the long one is `docket chaos --kills 200 --docs 500`.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Docket, eventually};

#[tokio::test]
async fn nothing_is_lost_or_doubled_when_everything_is_killed() {
    let run = Docket::run(["chaos", "--kills", "6", "--docs", "30", "--json"]);
    let finished = run.finish_within(Duration::from_mins(6)).await;
    let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
    println!("{report}");
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!((&report["accepted"], &report["never_accepted"]), (&30.into(), &0.into()));
    assert_eq!((&report["lost"], &report["duplicated"]), (&0.into(), &0.into()));
    for victim in ["server", "workers", "database"] {
        assert!(report["kills"][victim].as_u64().unwrap() > 0, "{victim}: {report}");
    }
    assert!(report["most_stages_redone_per_document_and_kill"].as_u64().unwrap() <= 1, "{report}");
    // On a machine that is busy with other tests, resuming takes as long as it takes; `bench` measures.
    assert!(
        report["resume"]["p99_seconds"].as_f64().is_none_or(|seconds| seconds < 60.0),
        "{report}"
    );
}

#[tokio::test]
async fn ctrl_c_ends_it_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let run = Docket::run(["chaos"]).env("TMPDIR", folder.path().to_str().unwrap()).start_unheard();
    let inside = || std::fs::read_dir(folder.path()).unwrap().next().map(|it| it.unwrap().path());
    let worker_runs = async || inside().is_some_and(|it| it.join("worker-3.log").exists());
    eventually("the workers are started", worker_runs).await;
    let sentence = run.stop_by(Signal::INT).await.failed_with(1);
    assert_eq!(sentence, "stopped before it was done");
    assert_eq!(inside(), None);
}
