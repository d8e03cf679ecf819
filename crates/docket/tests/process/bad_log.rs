//! The reader of the log may close it or stop reading, or its disk may be full: documents are still processed, the server
//! reports that it is ready, and it stops on a signal. What a panic logs is in `docket-chaos`.

use tokio::time::timeout;

use crate::support::{Client, DataFolder, Docket, Papers, Person, Server, TIMEOUT};

/// Hands documents in and sees them processed.
async fn assert_works(server: &Server) {
    let ada = Person::new();
    ada.signs_in(server).await;
    let papers = Papers::texts(3);
    let said = ada.sees(["ingest", papers.folder(), "--wait"]).await;
    assert!(said.contains("3 processed"), "{said}");
    assert_eq!(Client::of(server).get("/readyz").await.status, 200);
}

async fn dropped_lines(server: &Server) -> u64 {
    let metrics = Client::of(server).get("/metrics").await.body;
    let metrics = metrics.as_str().expect("text").to_owned();
    let line = metrics.lines().find(|line| line.starts_with("docket_log_lines_dropped_total "));
    let count = line.and_then(|line| line.rsplit(' ').next());
    count.unwrap_or_else(|| panic!("the metric is there: {metrics}")).parse().unwrap()
}

#[tokio::test]
async fn the_reader_of_the_log_goes_away() {
    let folder = DataFolder::new();
    let (server, reader) = Docket::serve(&folder).start_into_pipe().await;
    drop(reader);
    assert_works(&server).await;
    assert!(dropped_lines(&server).await > 0);
    assert_eq!(server.stop().await.code, Some(0));
    folder.is_left_alone().await;
}

#[tokio::test]
async fn the_reader_of_the_log_stands_still() {
    let folder = DataFolder::new();
    let talkative = Docket::serve(&folder).env("DOCKET_LOG_LEVEL", "debug");
    let (server, reader) = talkative.start_into_pipe().await;
    // Each is a line of some hundred bytes, and the pipe holds 64 kB.
    let client = Client::of(&server);
    for _ in 0..1000 {
        assert_eq!(client.get("/livez").await.status, 200);
    }
    assert_works(&server).await;
    assert_eq!(server.stop().await.code, Some(0));
    drop(reader);
    folder.is_left_alone().await;
}

#[tokio::test]
async fn the_log_is_on_a_full_disk() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).stderr_to("/dev/full").start().await;
    assert_works(&server).await;
    assert!(dropped_lines(&server).await > 0);
    assert_eq!(server.stop().await.code, Some(0));
    folder.is_left_alone().await;
}

#[tokio::test]
async fn the_last_lines_are_written_before_the_end() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let finished = server.stop().await;
    assert!(finished.stderr.contains(r#""message":"stopped""#), "{finished:?}");
}

#[tokio::test]
async fn a_command_whose_reader_goes_away_ends() {
    let folder = DataFolder::new();
    let (server, reader) = Docket::serve(&folder).start_into_pipe().await;
    drop(reader);
    // A second start on the same address is refused, and there is no reader for the reason.
    let second = Docket::on(&folder, ["serve"]).and("--listen", server.address().to_string());
    let refused = timeout(TIMEOUT, second.stderr_to("/dev/full").finish()).await;
    assert_eq!(refused.expect("it ends").code, Some(1));
    assert_eq!(server.stop().await.code, Some(0));
}
