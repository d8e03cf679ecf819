//! The server: accepts connections, limits how long a client may dawdle, and stops without
//! dropping a request.

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

/// A client that has not sent its request head by then is not going to.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);

/// Fires when the server is told to stop: an answer without an end must end then.
#[derive(Clone, Debug)]
pub(crate) struct Stopping(pub(crate) CancellationToken);

/// What a request knows of the connection it came by.
#[derive(Clone, Debug)]
struct Origin {
    peer: SocketAddr,
    stopping: Stopping,
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
                let from = Origin { peer, stopping: Stopping(stop.clone()) };
                spawn_connection(stream, from, router.clone(), &connections);
            }
            Err(error) => wait_out(&error).await,
        }
    }
    // No new connection finds an open door while the old ones finish.
    drop(listener);
    if tokio::time::timeout(grace, connections.shutdown()).await.is_err() {
        tracing::warn!(grace_seconds = grace.as_secs(), "some requests did not finish in time");
    }
}

/// Out of file descriptors, for instance: accepting again at once would only spin.
async fn wait_out(error: &io::Error) {
    let of_one_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    );
    if !of_one_client {
        tracing::error!(%error, "cannot accept connections; trying again in a second");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn spawn_connection(
    stream: TcpStream,
    from: Origin,
    router: Router,
    connections: &GracefulShutdown,
) {
    stream.set_nodelay(true).ok();
    let service = service_fn(move |request| answer(router.clone(), request, from.clone()));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let watched = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, "a connection ended early");
        }
    });
}

async fn answer(
    router: Router,
    request: hyper::Request<Incoming>,
    from: Origin,
) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(from.peer);
    request.extensions_mut().insert(from.stopping);
    router.oneshot(request).await
}
