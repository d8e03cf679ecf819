//! `docket-chaos`: Docket with four stages that only take time (`drill.rs`), and with one more command.
//!
//! `docket-chaos run` starts a server, workers and a PostgreSQL of its own from this same program, kills them again and
//! again while documents go in, and checks that no document was lost and nothing was done twice. Every other command
//! line is one of `docket`.

mod cli;
mod drill;
mod processes;
mod report;
mod run;
mod submit;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_none_or(|command| command != "run") {
        return docket::main(drill::add_stages);
    }
    let cli::Cli::Run(plan) = cli::Cli::parse();
    let ended = tokio::runtime::Runtime::new()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(run::run(&plan)));
    docket::exit_code(ended)
}
