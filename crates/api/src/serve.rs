//! The HTTP server: accepts connections, times out slow clients, and shuts down gracefully.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// The time limit for a client to send the request head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Cancelled when the server shuts down: streaming responses must end then.
#[derive(Clone, Debug)]
pub(crate) struct ShuttingDown(pub(crate) CancellationToken);

/// Connection data that is passed to each request.
#[derive(Clone, Debug)]
struct ConnectionInfo {
    peer: SocketAddr,
    shutting_down: ShuttingDown,
}

/// Serves until `stop`, then lets requests under way finish for up to `grace`.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
    grace: Duration,
) {
    let connections = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let info = ConnectionInfo { peer, shutting_down: ShuttingDown(stop.clone()) };
                spawn_connection(stream, info, router.clone(), &connections);
            }
            Err(error) => back_off(&error).await,
        }
    }
    // Refuse new connections while the requests in progress finish.
    drop(listener);
    if tokio::time::timeout(grace, connections.shutdown()).await.is_err() {
        tracing::warn!(grace_seconds = grace.as_secs(), "some requests did not finish in time");
    }
}

/// Waits after an error such as running out of file descriptors, when accepting again at once would spin.
async fn back_off(error: &io::Error) {
    let is_client_error = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !is_client_error {
        tracing::error!(%error, "cannot accept connections; trying again in a second");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn spawn_connection(
    stream: TcpStream,
    info: ConnectionInfo,
    router: Router,
    connections: &GracefulShutdown,
) {
    stream.set_nodelay(true).ok();
    let service = service_fn(move |request| respond(router.clone(), request, info.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let watched = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, "connection ended early");
        }
    });
}

async fn respond(
    router: Router,
    request: hyper::Request<Incoming>,
    info: ConnectionInfo,
) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(info.peer);
    request.extensions_mut().insert(info.shutting_down);
    router.oneshot(request).await
}
