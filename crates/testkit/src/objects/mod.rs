//! Object stores for tests: real protocols on private ports of this machine, and a proxy that makes
//! them fail.
//!
//! [`MotoServer`] speaks S3 (a Python program, got by `scripts/python-tool moto moto_server`),
//! [`GcsServer`] the XML protocol of Google Cloud Storage (our own, in this process). Each says
//! what URL and what environment a store on it is opened with; [`FaultyProxy`] is placed between client and store.

mod gcs;
mod gcs_http;
mod gcs_objects;
mod moto;
mod proxy;

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub use gcs::GcsServer;
pub use moto::MotoServer;
pub use proxy::{Fault, FaultyProxy};

/// The bucket that every server has from its start.
pub const BUCKET: &str = "docket-test";

/// Sends one request with an empty body, and gives the whole answer: status line, headers, body.
pub async fn ask(address: SocketAddr, method: &str, target: &str, headers: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("the server takes connections");
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: 0\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("the server answers");
    answer
}
