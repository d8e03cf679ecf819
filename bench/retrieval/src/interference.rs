//! The law of non-interference, tried as often as wanted.

use std::io::{self, Write as _};

use anyhow::{Result, bail};
use retrieval::index::interference::try_pairs;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, default_value_t = 1_000_000)]
    pairs: usize,
    /// Another seed tries other pairs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let tried = try_pairs(arguments.seed, arguments.pairs);
    if let Some(pair) = tried.broken_by {
        bail!("pair {pair} of seed {} differs", arguments.seed);
    }
    let mut out = io::stdout();
    writeln!(out, "| pairs | hits compared | pairs that differ |\n|---|---|---|")?;
    writeln!(out, "| {} | {} | 0 |", tried.pairs, tried.hits)?;
    Ok(())
}
