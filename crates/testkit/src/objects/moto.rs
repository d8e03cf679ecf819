//! An S3 server.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};

use super::{BUCKET, ask};

/// It imports half of Python's world before it answers, on a busy machine slowly.
const START: Duration = Duration::from_mins(1);
/// Moto looks into this header to find out which service is meant, and believes it.
const CREDENTIAL: &str = "Authorization: AWS4-HMAC-SHA256 \
    Credential=test/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0\r\n";

/// A moto of this test's own, with an empty bucket. Ends with it.
#[derive(Debug)]
pub struct MotoServer {
    address: SocketAddr,
    _process: Child,
}

impl MotoServer {
    pub async fn start() -> Self {
        let mut process = Command::new("moto_server")
            .args(["-H", "127.0.0.1", "-p", "0"])
            // Without settings from the environment of the user.
            .env_clear()
            .envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "HOME"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect(
                "moto_server starts: the step \"Get moto\" of scripts/test puts it into \
                 $DOCKET_TOOLS/bin (scripts/python-tool moto moto_server), which must be on the PATH",
            );
        let log = process.stderr.take().expect("it is piped");
        let started = tokio::time::timeout(START, wait_for_address(log)).await;
        let address = started.expect("moto says in time where it listens");
        let created = ask(address, "PUT", &format!("/{BUCKET}"), CREDENTIAL).await;
        assert!(created.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&created));
        Self { address, _process: process }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What a store is opened with that reaches the server at this address: its own, or a proxy's.
    pub fn environment(through: SocketAddr) -> Vec<(String, String)> {
        let variables = [
            ("AWS_ACCESS_KEY_ID", "test".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{through}")),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }
}

/// The rest of the log is read as well, or the server would stop at a full pipe.
async fn wait_for_address(log: ChildStderr) -> SocketAddr {
    let mut lines = BufReader::new(log).lines();
    let mut said = Vec::new();
    while let Some(line) = lines.next_line().await.expect("moto writes text") {
        if let Some((_, address)) = line.split_once("Running on http://") {
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return address.trim().parse().expect("an address");
        }
        said.push(line);
    }
    panic!("moto_server ended: {}", said.join("\n"));
}
