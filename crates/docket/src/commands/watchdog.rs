//! `docket postgres-watchdog`, which Docket starts itself: see `store::private`.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use store::private::{WatchdogCommand, Watched, watch};

use crate::say::complain;

/// The name of the process, so that killing all processes named docket does not kill it.
const PROCESS_NAME: &str = "pg-watchdog";

#[derive(Debug, Args)]
pub(crate) struct WatchdogArgs {
    /// The folder of the private server.
    folder: PathBuf,
    /// How long an unused server keeps running.
    grace_seconds: u64,
}

/// This program, also when its file has been replaced.
pub(crate) fn command(grace: Duration) -> WatchdogCommand {
    WatchdogCommand {
        program: "/proc/self/exe".into(),
        arguments: vec!["postgres-watchdog".into()],
        grace,
    }
}

/// On one thread, because it only waits.
pub(crate) fn run_watchdog(args: &WatchdogArgs) -> ExitCode {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(run(args)),
        Err(error) => {
            complain(format_args!("the watchdog cannot start: {error}"));
            ExitCode::FAILURE
        }
    }
}

pub(crate) async fn run(args: &WatchdogArgs) -> ExitCode {
    // The name is cosmetic, so an error is ignored.
    fs::write("/proc/self/comm", PROCESS_NAME).ok();
    let grace = Duration::from_secs(args.grace_seconds);
    match watch(tokio::io::stdin(), &args.folder, grace).await {
        Ok(Watched::Stopped) => {
            let seconds = args.grace_seconds;
            complain(format_args!("stopped PostgreSQL: no Docket has used it for {seconds} s"));
            ExitCode::SUCCESS
        }
        Ok(Watched::Released | Watched::StillUsed | Watched::Gone) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("the watchdog could not stop PostgreSQL: {error}"));
            ExitCode::FAILURE
        }
    }
}
