//! Clones test databases and prints how many milliseconds each took. Runs inside
//! `with-test-postgres`.

use std::io::{self, Write};
use std::time::Instant;

use testkit::TestDatabase;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let count: usize = std::env::args().nth(1).unwrap_or_default().parse()?;
    // The first one makes the template.
    TestDatabase::create().await;
    for _ in 0..count {
        let begun = Instant::now();
        TestDatabase::create().await;
        writeln!(io::stdout(), "{}", begun.elapsed().as_secs_f64() * 1e3)?;
    }
    Ok(())
}
