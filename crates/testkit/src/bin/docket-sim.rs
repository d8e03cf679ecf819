//! Runs the queue under faults: `docket-sim --seeds 10000`, or one seed again: `docket-sim --seed 42`.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use testkit::sim::{Fence, SimDatabase, run_seeds};

#[derive(Parser)]
#[command(about = "The queue under faults, replayable from a number")]
struct Arguments {
    /// How many seeds to run.
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// The first of them.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Only this one, with everything it does.
    #[arg(long)]
    seed: Option<u64>,
    /// Databases to run on at once.
    #[arg(long, default_value_t = 3)]
    databases: usize,
    /// Take the fence down first: something must be found.
    #[arg(long)]
    sabotage: bool,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it reports to whoever runs it")]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let fence = if arguments.sabotage { Fence::Disabled } else { Fence::Enabled };
    if let Some(seed) = arguments.seed {
        let played = SimDatabase::open(fence).await.steps_of(seed).await;
        let (verdict, steps, code) = match played {
            Ok((_, steps)) => ("holds".to_owned(), steps, ExitCode::SUCCESS),
            Err(violation) => (violation.what, violation.steps, ExitCode::FAILURE),
        };
        for (number, step) in steps.iter().enumerate() {
            println!("{number:4} {step}");
        }
        println!("seed {seed}: {verdict}");
        return code;
    }
    let began = Instant::now();
    let seeds = arguments.from..arguments.from + arguments.seeds;
    match run_seeds(seeds, arguments.databases, fence).await {
        Ok(tally) => {
            let seconds = began.elapsed().as_secs_f64();
            println!("{tally:?} in {seconds:.1} s");
            ExitCode::SUCCESS
        }
        Err(found) => {
            println!("{found}");
            ExitCode::FAILURE
        }
    }
}
