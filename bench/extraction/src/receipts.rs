//! Company, date, address and total of photographed receipts.
//!
//! No weight is fitted, but the rules were written with these documents in view: this is a development set.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;

use rust_decimal::Decimal;
use serde_json::Value;

use crate::corpus;
use crate::held_out::{self, HeldOut};
use crate::invoices::{extract, file_name, value};
use crate::measure::{Counts, letters};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

pub(crate) fn run(root: &Path, cache: &Path, details: bool) -> anyhow::Result<()> {
    let mut counts = Counts::default();
    let mut held_out = Vec::new();
    for file in corpus::files(root, "scans_sroie", "jpg")? {
        let truth: Value = serde_json::from_slice(&fs::read(file.with_extension("key.json"))?)?;
        let parts = corpus::load(cache, "scans_sroie", &file)?;
        let extraction = extract(&parts, "receipt")?;
        let name = file_name(&file);
        let mut correct = BTreeMap::new();
        for field in ["company", "date", "address", "total"] {
            let Some(expected) = truth[field].as_str() else { continue };
            let found = value(&extraction.fields, field);
            let right = found.is_some_and(|found| match field {
                "date" => iso(expected).as_deref() == Some(found),
                "total" => decimal(expected) == decimal(found) && decimal(found).is_some(),
                _ => letters(expected) == letters(found),
            });
            counts.add(&name, field, expected, found, right);
            correct.extend(found.map(|_| (field.to_owned(), right)));
        }
        // Receipts of one company belong together.
        let group = truth["company"].as_str().map_or_else(|| name.clone(), letters);
        held_out.push(HeldOut { document: name, group, extraction, correct });
    }
    held_out::write(cache, "receipts", &mut held_out)?;
    counts.print(
        "scans_sroie, exact after normalisation (letters and digits of texts, ISO dates, amounts)",
        details,
    )?;
    stdout().flush()?;
    Ok(())
}

fn decimal(value: &str) -> Option<Decimal> {
    let digits: String = value
        .chars()
        .filter(|char| char.is_ascii_digit() || *char == '.' || *char == '-')
        .collect();
    digits.parse::<Decimal>().ok().map(|value| value.normalize())
}

/// The expected date in ISO form: the day comes first, unless the year does.
fn iso(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let parts: Vec<&str> =
        lower.split(|char: char| !char.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let month = |part: &str| -> Option<u32> {
        let named = MONTHS.iter().position(|name| part.starts_with(name));
        named.and_then(|at| u32::try_from(at + 1).ok()).or_else(|| part.parse().ok())
    };
    let (year, month, day) = match parts.as_slice() {
        [compact] if compact.len() == 8 => {
            (compact[..4].parse().ok()?, month(&compact[4..6])?, compact[6..].parse().ok()?)
        }
        [first, second, third] if first.len() == 4 => {
            (first.parse().ok()?, month(second)?, third.parse().ok()?)
        }
        [first, second, third] if first.starts_with(char::is_alphabetic) => {
            (third.parse().ok()?, month(first)?, second.parse::<u32>().ok()?)
        }
        [first, second, third] => {
            let year: u32 = third.parse().ok()?;
            (if year < 100 { 2000 + year } else { year }, month(second)?, first.parse().ok()?)
        }
        _ => return None,
    };
    Some(format!("{year:04}-{month:02}-{day:02}"))
}
