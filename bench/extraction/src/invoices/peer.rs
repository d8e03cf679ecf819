//! The same fields of the same documents by `invoice2data`, with the templates that it ships.

use std::fs;
use std::io::{Write, stderr};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{NAMES, equal, lookup, short, string};
use crate::corpus;
use crate::measure::Counts;

pub(super) fn compare(root: &Path, python: &Path) -> anyhow::Result<()> {
    for folder in ["invoices", "invoices_invoice2data"] {
        let files = corpus::files(root, folder, "pdf")?;
        let output = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../peers/extract_invoices.py"))
            .args(&files)
            .output();
        let output = match output {
            Ok(output) if output.status.success() => output,
            failed => {
                let why = match failed {
                    Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
                    Err(error) => error.to_string(),
                };
                writeln!(
                    stderr(),
                    "SKIPPED: the comparison with invoice2data, because {} does not run: {why}. Install it with \
                     `scripts/python-tool invoice2data python` and `scripts/need poppler-utils`.",
                    python.display()
                )?;
                return Ok(());
            }
        };
        let mut counts = Counts::default();
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        for (file, line) in files.iter().zip(lines.lines()) {
            let answer: Value = serde_json::from_str(line)?;
            for (theirs, name) in NAMES {
                let expected = if folder == "invoices" {
                    let truth: Value =
                        serde_json::from_slice(&fs::read(file.with_extension("fields.json"))?)?;
                    let visible = truth["visible_in_text"]
                        .as_array()
                        .is_some_and(|all| all.iter().any(|field| field == name));
                    lookup(&truth["fields"], name).filter(|_| visible)
                } else {
                    let truth: Value =
                        serde_json::from_slice(&fs::read(file.with_extension("json"))?)?;
                    string(&truth[0][theirs])
                };
                let Some(expected) = expected else { continue };
                let found = string(&answer["fields"][theirs])
                    .map(|found| found.trim_end_matches(" 00:00:00").to_owned());
                let right = found.as_deref().is_some_and(|found| equal(name, &expected, found));
                counts.add(&short(file), name, &expected, found.as_deref(), right);
            }
        }
        counts.print(&format!("invoice2data, {folder}"), false)?;
    }
    Ok(())
}
