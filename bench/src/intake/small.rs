//! Small files from many clients: accepted documents a second, beside bare files and rows.

use std::fs;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;

use super::bare_files::BareFiles;
use super::upload::Client;
use super::{READING_ONLY, WITHOUT_WORKERS, wait_until_worked_off};
use crate::Bench;
use crate::docket::{ADMIN, Docket};
use crate::load::Rates;
use crate::machine::{FamilyTime, cpu_time, postmaster};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "intake small";
const BARE: &str = "bare files and rows";
const BYTES: usize = 20_000;
const CLIENTS: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Sample {
    rates: Rates,
    docket_cpu: Duration,
    postgres_cpu: Duration,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let folder = bench.folder.path().join("intake-small");
    let mut bare = Vec::new();
    let mut serving = Vec::new();
    let mut working = Vec::new();
    {
        let docket = Docket::start_set(&bench.docket, &folder.join("serving"), &WITHOUT_WORKERS)?;
        let with_workers =
            Docket::start_set(&bench.docket, &folder.join("working"), &READING_ONLY)?;
        let mut files =
            BareFiles::prepare(&docket.cluster(), &folder.join("bare"), CLIENTS, BYTES).await?;
        for round in 0..=bench.rounds {
            let taken = take_in(bench, &docket).await?;
            let written = files.load(bench.load).await?;
            let taken_by_workers_too = take_in(bench, &with_workers).await?;
            wait_until_worked_off(&with_workers).await?;
            if round > 0 {
                serving.push(taken);
                bare.push(written);
                working.push(taken_by_workers_too);
            }
        }
    }
    fs::remove_dir_all(&folder)?;
    Ok(figures(&serving, &working, &bare))
}

fn figures(serving: &[Sample], working: &[Sample], bare: &[Rates]) -> Vec<Figure> {
    let of = |samples: &[Sample], value: fn(&Sample) -> f64| -> Vec<f64> {
        samples.iter().map(value).collect()
    };
    let theirs = |value: fn(&Rates) -> f64| -> Vec<f64> { bare.iter().map(value).collect() };
    let per_second = |sample: &Sample| sample.rates.per_second;
    let (each, ms, us) = (Unit::PerSecond, Unit::Milliseconds, Unit::Microseconds);
    let (alone, busy) = (of(serving, per_second), of(working, per_second));
    let bare_rate = theirs(|rates| rates.per_second);
    let p99 = of(serving, |sample| sample.rates.p99_ms);
    let target = Target::AtLeast(300.0);
    vec![
        Figure::alone(NAME, "accepted documents", each, &alone).with_target(target),
        Figure::alone(NAME, "accepted documents, workers on", each, &busy).with_target(target),
        Figure::alone(NAME, "accepted documents", each, &alone).beside(BARE, &alone, &bare_rate),
        Figure::alone(NAME, "p99", ms, &p99).beside(BARE, &p99, &theirs(|rates| rates.p99_ms)),
        Figure::alone(
            NAME,
            "Docket CPU per document",
            us,
            &of(serving, |sample| sample.microseconds_of(sample.docket_cpu)),
        ),
        Figure::alone(
            NAME,
            "PostgreSQL CPU per document",
            us,
            &of(serving, |sample| sample.microseconds_of(sample.postgres_cpu)),
        ),
    ]
}

impl Sample {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 answers")]
    fn microseconds_of(&self, cpu: Duration) -> f64 {
        cpu.as_secs_f64() * 1e6 / self.rates.answers as f64
    }
}

async fn take_in(bench: &Bench, docket: &Docket) -> anyhow::Result<Sample> {
    let token = docket.sign_in(ADMIN).await?;
    let connected = (0..CLIENTS).map(|_| Client::connect(docket.server.address, &token, BYTES));
    let connected = try_join_all(connected).await?;
    let own = [docket.server.pid()];
    let docket_before = cpu_time(&own);
    let postgres = FamilyTime::begin(postmaster(&docket.cluster())?);
    let until = Instant::now() + bench.load;
    let uploading = connected
        .into_iter()
        .map(|mut client| tokio::spawn(async move { client.upload_until(until).await }));
    let mut latencies = Vec::new();
    for done in try_join_all(uploading).await? {
        latencies.extend(done?);
    }
    Ok(Sample {
        rates: Rates::of(latencies, bench.load),
        docket_cpu: cpu_time(&own).saturating_sub(docket_before),
        postgres_cpu: postgres.spent(),
    })
}
