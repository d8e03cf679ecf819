//! A client that hands in one document after the other, no two of them alike.
//!
//! The whole form is kept ready in memory. From one document to the next only a number changes, so
//! that making documents costs the machine nothing while it is measured.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::load::read_answer;

const BOUNDARY: &str = "docket-bench-boundary";
/// The number that makes a document another one, at its beginning.
const DIGITS: usize = 20;
const LINE: usize = 100;

/// Never the same number twice, whoever asks.
static NEXT: AtomicU64 = AtomicU64::new(1);

#[derive(Debug)]
pub(super) struct Client {
    stream: TcpStream,
    form: Vec<u8>,
    /// Where the document begins in the form.
    begin: usize,
    answer: Vec<u8>,
}

impl Client {
    pub(super) async fn connect(
        address: SocketAddr,
        token: &str,
        bytes: usize,
    ) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let before = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"bench.txt\"\r\n\
             content-type: text/plain\r\n\r\n"
        );
        let after = format!("\r\n--{BOUNDARY}--\r\n");
        let length = before.len() + bytes + after.len();
        let mut form = format!(
            "POST /v1/ingest HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: {length}\r\n\r\n\
             {before}"
        )
        .into_bytes();
        let begin = form.len();
        form.extend(text(bytes));
        form.extend(after.into_bytes());
        Ok(Self { stream, form, begin, answer: Vec::with_capacity(1 << 12) })
    }

    /// Uploads a new document, and waits until it is accepted.
    pub(super) async fn upload(&mut self) -> anyhow::Result<()> {
        let number = format!("{:0DIGITS$}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.form[self.begin..self.begin + DIGITS].copy_from_slice(number.as_bytes());
        self.stream.write_all(&self.form).await?;
        self.answer.clear();
        read_answer(&mut self.stream, &mut self.answer).await?;
        ensure!(
            self.answer.starts_with(b"HTTP/1.1 202"),
            "not taken as new: {}",
            String::from_utf8_lossy(&self.answer)
        );
        Ok(())
    }

    /// How long each took.
    pub(super) async fn upload_until(&mut self, until: Instant) -> anyhow::Result<Vec<Duration>> {
        let mut latencies = Vec::new();
        let mut begun = Instant::now();
        while begun < until {
            self.upload().await?;
            let done = Instant::now();
            latencies.push(done - begun);
            begun = done;
        }
        Ok(latencies)
    }
}

/// Text that no filesystem and no processor can make less of, the same in every run.
pub(super) fn text(bytes: usize) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .";
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut text = Vec::with_capacity(bytes);
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let letters = state.to_le_bytes().map(|byte| LETTERS[usize::from(byte & 63)]);
        text.extend(letters.iter().take(bytes - text.len()));
    }
    for end_of_line in text.iter_mut().skip(LINE - 1).step_by(LINE) {
        *end_of_line = b'\n';
    }
    text
}
