//! *Held-out* extractions: each by weights that were fitted without the documents of its issuer, and with the fields that
//! are known to be correct or wrong.
//!
//! The measurement of a data set writes its own file, `held_out/NAME.jsonl` below the cache; the calibration reads all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use domain::Extraction;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HeldOut {
    pub(crate) document: String,
    /// The issuer, or the document where issuers are unknown.
    pub(crate) group: String,
    /// As reconciliation left it.
    pub(crate) extraction: Extraction,
    /// Whether the value of a field is correct, by path. Fields whose correct value is unknown are left out.
    pub(crate) correct: BTreeMap<String, bool>,
}

/// Writes the held-out extractions of a data set, in the order of the documents.
pub(crate) fn write(cache: &Path, name: &str, held_out: &mut [HeldOut]) -> anyhow::Result<()> {
    held_out.sort_by(|one, other| one.document.cmp(&other.document));
    let folder = cache.join("held_out");
    fs::create_dir_all(&folder)?;
    let mut lines = String::new();
    for document in held_out {
        lines += &serde_json::to_string(document)?;
        lines.push('\n');
    }
    fs::write(folder.join(format!("{name}.jsonl")), lines)?;
    Ok(())
}

/// All held-out extractions, and a description of them.
pub(crate) fn read_all(cache: &Path) -> anyhow::Result<(Vec<HeldOut>, String)> {
    let folder = cache.join("held_out");
    let entries = fs::read_dir(&folder)
        .with_context(|| format!("{} is missing: measure the data sets first", folder.display()))?;
    let mut files: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|found| found == "jsonl"));
    files.sort();
    ensure!(!files.is_empty(), "{} is empty: measure the data sets first", folder.display());
    let mut all = Vec::new();
    let mut parts = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        let before = all.len();
        for line in text.lines() {
            all.push(serde_json::from_str(line).with_context(|| file.display().to_string())?);
        }
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        parts.push(format!("{name}: {} documents", all.len() - before));
    }
    Ok((all, parts.join("; ")))
}
