//! Taking documents in and listing them: `docket serve` as it comes, on its private PostgreSQL and a
//! folder, with full durability.

mod bare_files;
mod large;
mod listing;
mod memory;
mod small;
mod upload;

use std::time::Duration;

use crate::bare_commits;
use crate::docket::Docket;

pub(crate) use large::run as large;
pub(crate) use listing::run as listing;
pub(crate) use memory::run as memory;
pub(crate) use small::run as small;

/// For a server that only takes in.
const WITHOUT_WORKERS: [(&str, &str); 1] = [("DOCKET_NO_WORKERS", "true")];
/// Workers that read what comes in. To embed megabytes of made-up words is another benchmark's business.
const READING_ONLY: [(&str, &str); 1] = [("DOCKET_PIPELINE", "preprocess,ocr,layout")];

/// Until the workers have nothing to do: every turn begins like that.
async fn wait_until_worked_off(docket: &Docket) -> anyhow::Result<()> {
    const WAITING: &str = "
        SELECT EXISTS (SELECT FROM jobs WHERE status = 'PENDING')
            OR EXISTS (SELECT FROM jobs WHERE status = 'PROCESSING')";
    let mut superuser = bare_commits::connect(&docket.cluster(), "docket").await?;
    while sqlx::query_scalar(WAITING).fetch_one(&mut superuser).await? {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}
