//! A server in front of another that fails on demand.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Everything passes.
    None,
    /// Every request gets this status.
    Answers(u16),
    /// So many requests get this status, the others pass.
    AnswersFirst(u16, usize),
    /// Requests are read, and nothing comes back.
    Hangs,
    /// Connections are closed at once.
    Refuses,
    /// Connections are closed after so many bytes of answers.
    CutsAnswersAfter(u64),
    /// Connections are closed after so many bytes of requests.
    CutsRequestsAfter(u64),
}

/// Passes connections on to a server, or what is left of them. Ends when it is dropped.
#[derive(Debug)]
pub struct FaultyProxy {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct State {
    fault: Fault,
    connections: JoinSet<()>,
}

impl FaultyProxy {
    pub async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let state = State { fault: Fault::None, connections: JoinSet::new() };
        let state = Arc::new(Mutex::new(state));
        let accepting = tokio::spawn(accept(listener, server, Arc::clone(&state)));
        Self { address, state, accepting }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on. Connections that are open are closed, as they would go on as before.
    pub fn set(&self, fault: Fault) {
        let mut state = self.state.lock().unwrap();
        state.fault = fault;
        state.connections.abort_all();
    }
}

impl Drop for FaultyProxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.state.lock().unwrap().connections.abort_all();
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, state: Arc<Mutex<State>>) {
    while let Ok((client, _)) = listener.accept().await {
        let shared = Arc::clone(&state);
        let mut state = state.lock().unwrap();
        while state.connections.try_join_next().is_some() {}
        let fault = state.fault;
        state.connections.spawn(async move {
            // A connection that breaks is the purpose.
            drop(forward(client, server, fault, &shared).await);
        });
    }
}

async fn forward(
    client: TcpStream,
    server: SocketAddr,
    fault: Fault,
    state: &Mutex<State>,
) -> std::io::Result<()> {
    match fault {
        Fault::Refuses => Ok(()),
        Fault::Hangs => {
            let (mut requests, _answers) = client.into_split();
            tokio::io::copy(&mut requests, &mut tokio::io::sink()).await?;
            std::future::pending().await
        }
        Fault::Answers(status) => answer_all(client, status).await,
        Fault::AnswersFirst(status, _) if take_one(state) => answer_one(client, status).await,
        Fault::None | Fault::AnswersFirst(..) => pass(client, server, u64::MAX, u64::MAX).await,
        Fault::CutsAnswersAfter(bytes) => pass(client, server, u64::MAX, bytes).await,
        Fault::CutsRequestsAfter(bytes) => pass(client, server, bytes, u64::MAX).await,
    }
}

fn take_one(state: &Mutex<State>) -> bool {
    match &mut state.lock().unwrap().fault {
        Fault::AnswersFirst(_, left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    }
}

/// Until one side ends, or one way has carried as much as it may.
async fn pass(
    client: TcpStream,
    server: SocketAddr,
    requests: u64,
    answers: u64,
) -> std::io::Result<()> {
    let (from_client, mut to_client) = client.into_split();
    let (from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let (mut from_client, mut from_server) =
        (from_client.take(requests), from_server.take(answers));
    tokio::select! {
        ended = tokio::io::copy(&mut from_client, &mut to_server) => ended?,
        ended = tokio::io::copy(&mut from_server, &mut to_client) => ended?,
    };
    Ok(())
}

async fn answer_all(client: TcpStream, status: u16) -> std::io::Result<()> {
    let mut client = BufReader::new(client);
    loop {
        read_request(&mut client).await?;
        let answer = format!("HTTP/1.1 {status} As Told\r\nContent-Length: 0\r\n\r\n");
        client.write_all(answer.as_bytes()).await?;
    }
}

async fn answer_one(client: TcpStream, status: u16) -> std::io::Result<()> {
    let mut client = BufReader::new(client);
    read_request(&mut client).await?;
    let answer =
        format!("HTTP/1.1 {status} As Told\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}

/// All of it, body too: an answer in the middle of a request looks like a broken connection.
async fn read_request(client: &mut BufReader<TcpStream>) -> std::io::Result<()> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if client.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
    }
    tokio::io::copy(&mut client.take(length), &mut tokio::io::sink()).await.map(drop)
}
