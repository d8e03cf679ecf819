//! Writes the generated parts of the pages in `docs`: `cargo run -p docket --example reference`.

use std::fs;
use std::path::Path;

use docket::reference::{GENERATED_PAGES, MARKER};

fn main() -> anyhow::Result<()> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for page in GENERATED_PAGES {
        let file = docs.join(page.file);
        let text = fs::read_to_string(&file)?;
        let by_hand = text.split(MARKER).next().unwrap_or_default();
        fs::write(&file, format!("{by_hand}{MARKER}{}", (page.generate)()?))?;
    }
    Ok(())
}
