//! Load over HTTP/1.1: some connections, each sending its request again as soon as it is answered.
//!
//! Half the connections live on each of two threads that share nothing, and an answer is looked at
//! no closer than it must be: what the generator spends is lost to the server on the same cores.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::report::milliseconds;

const THREADS: usize = 2;

/// What came of a stretch of load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) answers: usize,
}

/// One connection for each of `requests`, for as long as `duration`.
pub(crate) async fn http(
    address: SocketAddr,
    requests: Vec<Vec<u8>>,
    duration: Duration,
) -> anyhow::Result<Rates> {
    let mut shares = vec![Vec::new(); THREADS];
    for (share, request) in (0..THREADS).cycle().zip(requests) {
        shares[share].push(request);
    }
    let workers = shares.into_iter().map(|share| {
        tokio::task::spawn_blocking(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut connections = Vec::new();
                for request in share {
                    connections.push((TcpStream::connect(address).await?, request));
                }
                let until = Instant::now() + duration;
                let repeated = connections.into_iter().map(|(stream, request)| {
                    tokio::spawn(async move { repeat(stream, &request, until).await })
                });
                let latencies = try_join_all(repeated).await?;
                latencies.into_iter().collect::<anyhow::Result<Vec<_>>>()
            })
        })
    });
    let mut latencies = Vec::new();
    for worker in try_join_all(workers).await? {
        latencies.extend(worker?.into_iter().flatten());
    }
    Ok(Rates::of(latencies, duration))
}

async fn repeat(
    mut stream: TcpStream,
    request: &[u8],
    until: Instant,
) -> anyhow::Result<Vec<Duration>> {
    stream.set_nodelay(true)?;
    let mut latencies = Vec::with_capacity(1 << 16);
    let mut answer = Vec::with_capacity(1 << 14);
    let mut begun = Instant::now();
    while begun < until {
        answer.clear();
        stream.write_all(request).await?;
        read_answer(&mut stream, &mut answer).await?;
        let done = Instant::now();
        latencies.push(done - begun);
        begun = done;
    }
    Ok(latencies)
}

/// Reads one answer, makes sure that it is a good one, and tells where its body begins.
pub(crate) async fn read_answer(
    stream: &mut TcpStream,
    answer: &mut Vec<u8>,
) -> anyhow::Result<usize> {
    loop {
        ensure!(stream.read_buf(answer).await? > 0, "the server closed the connection");
        let Some(head) = answer.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let length = content_length(&answer[..head]).context("an answer without a length")?;
        let body = head + 4;
        if answer.len() < body + length {
            continue;
        }
        if !answer.starts_with(b"HTTP/1.1 20") {
            bail!("refused: {}", String::from_utf8_lossy(answer));
        }
        return Ok(body);
    }
}

fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length: ";
    let value = head.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(NAME))?;
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

impl Rates {
    pub(crate) fn of(mut latencies: Vec<Duration>, duration: Duration) -> Self {
        latencies.sort_unstable();
        let count = latencies.len();
        let at = |percent: usize| latencies.get(count * percent / 100).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52 answers")]
        let per_second = count as f64 / duration.as_secs_f64();
        Self {
            per_second,
            p50_ms: milliseconds(at(50)),
            p99_ms: milliseconds(at(99)),
            answers: count,
        }
    }
}
