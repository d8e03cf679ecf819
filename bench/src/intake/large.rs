//! Large files: bytes a second, beside hashing the same bytes and beside copying them to the disk.

use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use futures_util::future::try_join_all;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use super::upload::{Client, text};
use super::{READING_ONLY, WITHOUT_WORKERS, wait_until_worked_off};
use crate::Bench;
use crate::docket::{ADMIN, Docket};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "intake large";
const MEBIBYTES: usize = 40;
/// That each client hands in, one after the other, in one round.
const FILES: usize = 4;
const MANY: usize = 4;

/// Mebibytes a second, round by round.
#[derive(Debug, Default)]
struct Samples {
    /// By a server that only takes in.
    serving: Vec<f64>,
    /// By one whose workers read everything again meanwhile.
    working: Vec<f64>,
    hashed: Vec<f64>,
    copied: Vec<f64>,
    slower: Vec<f64>,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let folder = bench.folder.path().join("intake-large");
    let serving = Docket::start_set(&bench.docket, &folder.join("serving"), &WITHOUT_WORKERS)?;
    let working = Docket::start_set(&bench.docket, &folder.join("working"), &READING_ONLY)?;
    let original = folder.join("original");
    fs::write(&original, text(MEBIBYTES << 20))?;

    let (mut one, mut many) = (Samples::default(), Samples::default());
    for round in 0..=bench.rounds {
        for (clients, samples) in [(1, &mut one), (MANY, &mut many)] {
            let hashed = hash(clients).await?;
            let copied = copy(&original, clients).await?;
            let taken = take_in(&serving, clients).await?;
            let taken_by_workers_too = take_in(&working, clients).await?;
            wait_until_worked_off(&working).await?;
            for docket in [&serving, &working] {
                remove_files_below(&docket.data_dir().join("blobs/originals"))?;
            }
            if round > 0 {
                samples.serving.push(taken);
                samples.working.push(taken_by_workers_too);
                samples.hashed.push(hashed);
                samples.copied.push(copied);
                samples.slower.push(hashed.min(copied));
            }
        }
    }
    drop((serving, working));
    fs::remove_dir_all(&folder)?;
    Ok(figures(&one, &many))
}

fn figures(one: &Samples, many: &Samples) -> Vec<Figure> {
    let compare = |what, ours: &[f64], peer, theirs: &[f64]| {
        Figure::alone(NAME, what, Unit::MebibytesPerSecond, ours).beside(peer, ours, theirs)
    };
    let target = Target::AtLeast(0.6);
    vec![
        compare("one client", &one.serving, "the slower of both", &one.slower).with_target(target),
        compare("one client", &one.serving, "SHA-256", &one.hashed),
        compare("one client", &one.serving, "copy and fsync", &one.copied),
        compare("one client, workers on", &one.working, "the slower of both", &one.slower)
            .with_target(target),
        compare("4 clients", &many.serving, "the slower, 4 at once", &many.slower),
        compare("4 clients, workers on", &many.working, "the slower, 4 at once", &many.slower),
    ]
}

/// As an upload over HTTP.
async fn take_in(docket: &Docket, clients: usize) -> anyhow::Result<f64> {
    let token = docket.sign_in(ADMIN).await?;
    let connected =
        (0..clients).map(|_| Client::connect(docket.server.address, &token, MEBIBYTES << 20));
    let connected = try_join_all(connected).await?;
    let begun = Instant::now();
    let uploading = connected.into_iter().map(|mut client| {
        tokio::spawn(async move {
            for _ in 0..FILES {
                client.upload().await?;
            }
            anyhow::Ok(())
        })
    });
    for done in try_join_all(uploading).await? {
        done?;
    }
    let rate = rate(clients * FILES, begun);
    Ok(rate)
}

async fn hash(at_once: usize) -> anyhow::Result<f64> {
    let content = std::sync::Arc::new(text(MEBIBYTES << 20));
    let begun = Instant::now();
    let hashing = (0..at_once).map(|_| {
        let content = content.clone();
        spawn_blocking(move || {
            for _ in 0..FILES {
                std::hint::black_box(Sha256::digest(content.as_slice()));
            }
        })
    });
    try_join_all(hashing).await?;
    Ok(rate(at_once * FILES, begun))
}

async fn copy(original: &Path, at_once: usize) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let copying = (0..at_once).map(|number| {
        let original = original.to_owned();
        spawn_blocking(move || {
            for file in 0..FILES {
                let copy = original.with_file_name(format!("copy-{number}-{file}"));
                fs::copy(&original, &copy)?;
                File::open(&copy)?.sync_all()?;
            }
            anyhow::Ok(())
        })
    });
    for done in try_join_all(copying).await? {
        done?;
    }
    let rate = rate(at_once * FILES, begun);
    for (number, file) in (0..at_once).flat_map(|number| (0..FILES).map(move |file| (number, file)))
    {
        fs::remove_file(original.with_file_name(format!("copy-{number}-{file}")))?;
    }
    Ok(rate)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52 bytes")]
fn rate(files: usize, begun: Instant) -> f64 {
    (files * MEBIBYTES) as f64 / begun.elapsed().as_secs_f64()
}

/// The folders stay: the server knows which ones it has made.
fn remove_files_below(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_files_below(&path)?;
        } else {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
