//! What many large uploads at once cost in memory.

use std::fs;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;

use super::READING_ONLY;
use super::upload::Client;
use crate::Bench;
use crate::docket::{ADMIN, Docket};
use crate::machine::{forget_peak, memory, peak};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "intake memory";
const CLIENTS: usize = 32;
const MEBIBYTES: usize = 50;
/// A round puts 1.6 GB on the disk.
const MOST_ROUNDS: usize = 3;
/// Until what the start has left to do is done.
const SETTLING: Duration = Duration::from_secs(2);

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let (mut idle, mut risen, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..bench.rounds.min(MOST_ROUNDS) {
        let folder = bench.folder.path().join(format!("intake-memory-{round}"));
        // A server of its own: what an allocator has once taken it may keep.
        let settings = [READING_ONLY.as_slice(), &[("DOCKET_UPLOAD_MAX_SIZE_MB", "64")]].concat();
        let docket = Docket::start_set(&bench.docket, &folder, &settings)?;
        let token = docket.sign_in(ADMIN).await?;
        let connected =
            (0..CLIENTS).map(|_| Client::connect(docket.server.address, &token, MEBIBYTES << 20));
        let connected = try_join_all(connected).await?;
        tokio::time::sleep(SETTLING).await;

        let pid = docket.server.pid();
        let before = memory(&[pid])?.rss;
        forget_peak(pid)?;
        let begun = Instant::now();
        let uploading = connected
            .into_iter()
            .map(|mut client| tokio::spawn(async move { client.upload().await }));
        for done in try_join_all(uploading).await? {
            done?;
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52 bytes")]
        rates.push((CLIENTS * MEBIBYTES) as f64 / begun.elapsed().as_secs_f64());
        idle.push(before);
        risen.push(peak(pid)? - before);
        drop(docket);
        fs::remove_dir_all(&folder)?;
    }
    // The target is in megabytes.
    let target = Target::AtMost(100e6 / f64::from(1 << 20));
    let mib = Unit::Mebibytes;
    Ok(vec![
        Figure::alone(NAME, "peak over idle, 32 × 50 MiB at once", mib, &risen).with_target(target),
        Figure::alone(NAME, "idle (RSS)", mib, &idle),
        Figure::alone(NAME, "32 × 50 MiB at once", Unit::MebibytesPerSecond, &rates),
    ])
}
