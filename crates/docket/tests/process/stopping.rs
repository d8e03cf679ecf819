//! Stopping without dropping anybody's request.

use rustix::process::Signal;
use serde_json::{Value, json};
use testkit::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{ADMIN, DataFolder, Docket, PASSWORD, Server, TIMEOUT, eventually};

#[tokio::test]
async fn a_request_under_way_is_answered_before_docket_ends() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let server = Docket::serve(&folder).database_url(database.url()).start().await;
    let sign_in = SlowSignIn::begin(&server).await;

    server.signal(Signal::TERM);
    nobody_new_gets_in(&server).await;

    let (status, body) = sign_in.complete().await;
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert_eq!(body["user"]["email"], ADMIN);
    server.finish().await.succeeded();
}

#[tokio::test]
async fn a_request_that_never_ends_does_not_keep_docket_for_ever() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let docket = Docket::serve(&folder).database_url(database.url());
    let server = docket.env("DOCKET_SHUTDOWN_GRACE_SECONDS", "1").start().await;
    let _never_completed = SlowSignIn::begin(&server).await;
    let finished = server.stop().await;
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("some requests did not finish in time"), "{finished:?}");
}

#[tokio::test]
async fn a_second_signal_stops_at_once_and_the_next_start_finds_everything() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let _never_completed = SlowSignIn::begin(&server).await;
    server.signal(Signal::INT);
    nobody_new_gets_in(&server).await;
    assert_eq!(server.stop_by(Signal::INT).await.code, Some(130));

    let orphan = folder.postmaster();
    assert!(orphan.is_some(), "there was no time to stop PostgreSQL");
    let server = Docket::serve(&folder).start().await;
    assert_eq!(folder.postmaster(), orphan);
    SlowSignIn::begin(&server).await.complete().await;
    server.stop().await.succeeded();
    folder.is_left_alone().await;
}

/// The door is closed once the stop has begun.
async fn nobody_new_gets_in(server: &Server) {
    let address = server.address();
    eventually("the door closes", async || TcpStream::connect(address).await.is_err()).await;
}

/// A sign-in whose body is kept back until the test says so.
struct SlowSignIn {
    connection: TcpStream,
    body: String,
}

impl SlowSignIn {
    /// Returns when the request is under way: the server has read its head and asks for its body.
    async fn begin(server: &Server) -> Self {
        let body = json!({ "email": ADMIN, "password": PASSWORD }).to_string();
        let head = format!(
            "POST /v1/auth/login HTTP/1.1\r\nHost: docket\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            body.len()
        );
        let mut connection = TcpStream::connect(server.address()).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        let go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        let mut interim = vec![0; go_on.len()];
        let asked = connection.read_exact(&mut interim);
        timeout(TIMEOUT, asked).await.expect("an answer in time").unwrap();
        assert_eq!(String::from_utf8(interim).unwrap(), go_on);
        Self { connection, body }
    }

    /// Sends the rest; gives the status line and the body of the answer.
    async fn complete(mut self) -> (String, Value) {
        self.connection.write_all(self.body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        let whole = self.connection.read_to_string(&mut answer);
        timeout(TIMEOUT, whole).await.expect("an answer in time").unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a whole answer");
        (head.lines().next().unwrap().to_owned(), serde_json::from_str(body).unwrap())
    }
}
