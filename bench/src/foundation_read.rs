//! `GET /v1/me` with a token, against a bare axum handler.

use std::process::Command;
use std::time::Duration;

use crate::Bench;
use crate::docket::{ADMIN, Docket, Server, ask, request};
use crate::load::{self, Rates};
use crate::machine::cpu_time;
use crate::report::{Figure, Target, Unit};

const NAME: &str = "foundation read";
const PEER: &str = "bare axum";

/// One contestant in one round.
#[derive(Clone, Copy, Debug)]
struct Sample {
    rates: Rates,
    cpu_per_request: Duration,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let docket = Docket::start(&bench.docket, &bench.folder.path().join("read"))?;
    let token = docket.sign_in(ADMIN).await?;
    let request = request("GET", "/v1/me", Some(&token), "");
    let body = ask(docket.server.address, &request).await?;
    let mut bare = Command::new(std::env::current_exe()?.with_file_name("bare-axum"));
    bare.arg(body);
    let bare = Server::start(bare)?;

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..=bench.rounds {
        let one = sample(bench, &docket.server, &request).await?;
        let other = sample(bench, &bare, &request).await?;
        if round > 0 {
            ours.push(one);
            theirs.push(other);
        }
    }
    let figure = |what, unit, value: fn(&Sample) -> f64| {
        let ours: Vec<f64> = ours.iter().map(value).collect();
        let theirs: Vec<f64> = theirs.iter().map(value).collect();
        Figure::alone(NAME, what, unit, &ours).beside(PEER, &ours, &theirs)
    };
    Ok(vec![
        figure("requests", Unit::PerSecond, |sample| sample.rates.per_second)
            .with_target(Target::AtLeast(0.7)),
        figure("p50", Unit::Milliseconds, |sample| sample.rates.p50_ms),
        figure("p99", Unit::Milliseconds, |sample| sample.rates.p99_ms),
        figure("server CPU per request", Unit::Microseconds, |sample| {
            sample.cpu_per_request.as_secs_f64() * 1e6
        }),
    ])
}

async fn sample(bench: &Bench, server: &Server, request: &[u8]) -> anyhow::Result<Sample> {
    let before = cpu_time(&[server.pid()]);
    let requests = vec![request.to_vec(); Bench::CONNECTIONS];
    let rates = load::http(server.address, requests, bench.load).await?;
    let spent = cpu_time(&[server.pid()]).saturating_sub(before);
    Ok(Sample { rates, cpu_per_request: spent / u32::try_from(rates.answers)?.max(1) })
}
