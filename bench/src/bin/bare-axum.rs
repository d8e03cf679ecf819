//! The peer of `GET /v1/me`: an axum handler that answers with JSON of the same shape and size, and
//! nothing around it. It ends when its standard input does, and so never outlives who started it.

use std::io::{self, Write};

use api_types::MeView;
use axum::extract::State;
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    std::thread::spawn(|| {
        io::copy(&mut io::stdin(), &mut io::sink()).ok();
        std::process::exit(0);
    });
    let answer = std::env::args().nth(1).unwrap_or_default();
    let answer: &'static MeView = Box::leak(Box::new(serde_json::from_str(&answer)?));
    let router = Router::new().route("/v1/me", get(me)).with_state(answer);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "bare axum answers at http://{}", listener.local_addr()?)?;
    let listener = listener.tap_io(|stream| {
        stream.set_nodelay(true).ok();
    });
    axum::serve(listener, router).await?;
    Ok(())
}

async fn me(State(answer): State<&'static MeView>) -> Json<&'static MeView> {
    Json(answer)
}
