//! Which document types are recognised, and what documents get that are of none.
//!
//! Nothing is fitted: types are told apart by their phrases, labels and values.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::Path;

use extraction::classify::evidences;
use extraction::generic;
use extraction::parse::{ParseRequest, parse};
use extraction::scan::Scan;
use extraction::types::builtin;
use pages::Part;

use crate::corpus;
use crate::invoices::file_name;
use crate::measure::share;

/// Documents of a type.
const KNOWN: [(&str, &str, &str); 4] = [
    ("broker_confirmations", "pdf", "contract_note"),
    ("invoices", "pdf", "invoice"),
    ("invoices_invoice2data", "pdf", "invoice"),
    ("scans_sroie", "jpg", "receipt"),
];
/// When the classifier abstains.
const ABSTAINED: &str = generic::DOCUMENT_TYPE;

pub(crate) fn run(root: &Path, cache: &Path, details: bool) -> anyhow::Result<()> {
    let others = corpus::OTHERS.map(|(folder, extension)| (folder, extension, ABSTAINED));
    let request = ParseRequest { types: builtin().to_vec(), ..ParseRequest::default() };
    // By folder and found type.
    let mut table: BTreeMap<(usize, &str), BTreeMap<String, usize>> = BTreeMap::new();
    let mut out = stdout().lock();
    let (mut with_words, mut empty) = (0, 0);
    for (at, (folder, extension, expected)) in KNOWN.into_iter().chain(others).enumerate() {
        for file in corpus::files(root, folder, extension)? {
            let parts = corpus::load(cache, folder, &file)?;
            let has_words = corpus::pages(&parts).any(|page| !page.words.is_empty());
            let evidence = if details { evidences_of(&parts) } else { String::new() };
            let parsed = parse(parts.into_iter().map(Ok), &request)?;
            let found = if has_words { parsed.document_type.as_str() } else { "no words" };
            *table.entry((at, folder)).or_default().entry(found.to_owned()).or_default() += 1;
            if has_words && found == ABSTAINED {
                with_words += 1;
                let is_empty = parsed.fields.is_empty() && parsed.lines.is_empty();
                empty += usize::from(is_empty);
                if details && is_empty {
                    writeln!(out, "{folder}/{}: no value", file_name(&file))?;
                }
            }
            if details && has_words && found != expected {
                writeln!(out, "{folder}/{}: {found} ({evidence})", file_name(&file))?;
            }
        }
    }
    let columns = ["contract_note", "invoice", "receipt", ABSTAINED, "no words"];
    writeln!(out, "| documents | {} |\n|---|---|---|---|---|---|", columns.join(" | "))?;
    let mut sums: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for ((at, folder), counts) in &table {
        let cells = columns.map(|column| counts.get(column).copied().unwrap_or_default());
        let expected = KNOWN.get(*at).map_or(ABSTAINED, |(_, _, expected)| *expected);
        let sum = sums.entry(expected).or_default();
        sum.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        writeln!(out, "| `{folder}` | {} |", cells.map(|cell| cell.to_string()).join(" | "))?;
    }
    for (at, name) in columns.iter().enumerate().take(3) {
        let own = sums.get(name).copied().unwrap_or_default();
        let right = own[at];
        let chosen = sums.values().map(|cells| cells[at]).sum();
        let all = own[..4].iter().sum();
        let wrong = all - right - own[3];
        writeln!(
            out,
            "{name}: recognised {} of {all}, abstained {}, another type {wrong}; precision {}",
            share(right, all),
            own[3],
            share(right, chosen)
        )?;
    }
    writeln!(out, "abstained with words: {with_words}, {empty} of them without any value")?;
    Ok(())
}

/// The evidence for each type.
fn evidences_of(parts: &[Part]) -> String {
    let mut scan = Scan::new();
    for page in corpus::pages(parts) {
        scan.add(page);
    }
    scan.finish();
    let evidences = evidences(builtin(), &scan);
    let shown = evidences.iter().map(|(of, evidence)| format!("{} {evidence:.1}", of.name));
    shown.collect::<Vec<_>>().join(", ")
}
