//! Header fields and line items of invoices, from their visible pages.
//!
//! No weight is fitted, but labels and rules were written with these documents in view: this is a development set. Results are also averaged by seller, because some sellers have several invoices.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{Write, stderr, stdout};
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use extraction::collector::Collector;
use extraction::parsed::{Parsed, ParsedField};
use extraction::types::builtin;
use pages::{Page, Part};
use rust_decimal::Decimal;
use serde_json::Value;

use crate::corpus;
use crate::measure::{Counts, letters, share, text};

/// Fields whose values are amounts.
const AMOUNTS: [&str; 5] =
    ["line_total", "tax_basis_total", "tax_total", "grand_total", "due_payable"];

/// The fields of a document, as one of this built-in type.
pub(crate) fn extract(parts: &[Part], name: &str) -> anyhow::Result<Parsed> {
    let document_type = builtin()
        .iter()
        .find(|found| found.name == name)
        .with_context(|| format!("there is no type {name}"))?;
    Collector::of(corpus::pages(parts))
        .finish(document_type)
        .with_context(|| format!("{name} is not read by rows"))
}

fn parse(cache: &Path, folder: &str, file: &Path) -> anyhow::Result<Parsed> {
    extract(&corpus::load(cache, folder, file)?, "invoice")
}

/// Lines: all values right, and the amounts right.
#[derive(Default)]
struct Lines {
    all: usize,
    complete: usize,
    amounts: usize,
    /// The amounts are right, and one of the two names begins with the other.
    beginning: usize,
    spurious: usize,
    unprinted: usize,
    mismatches: Vec<String>,
}

pub(crate) fn run(root: &Path, cache: &Path, peer: &Path, details: bool) -> anyhow::Result<()> {
    let mut counts = Counts::default();
    let mut sellers: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut lines = Lines::default();
    for file in corpus::files(root, "invoices", "pdf")? {
        let truth: Value = serde_json::from_slice(&fs::read(file.with_extension("fields.json"))?)?;
        let parsed = parse(cache, "invoices", &file)?;
        let name = short(&file);
        let before = counts.all();
        header(&mut counts, &name, &truth, &parsed);
        let after = counts.all();
        let seller = string(&truth["fields"]["seller"]["name"]).unwrap_or_default();
        let count = sellers.entry(seller).or_default();
        count.0 += after.0 - before.0;
        count.1 += after.1 - before.1;
        let parts = corpus::load(cache, "invoices", &file)?;
        let printed = Printed::of(corpus::pages(&parts));
        count_lines(&mut lines, &name, &truth, &parsed, &printed);
    }
    counts.print("invoices, visible header fields, development set", details)?;
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let mean =
        sellers.values().map(|(right, all)| *right as f64 / (*all).max(1) as f64).sum::<f64>()
            / sellers.len().max(1) as f64;
    let mut out = stdout().lock();
    writeln!(out, "  mean of {} sellers {mean:.3}", sellers.len())?;
    writeln!(
        out,
        "line items: {} of {} complete {}, amounts right {}, and the name begins right {}; {} spurious; {} more have a total that is not printed",
        lines.complete,
        lines.all,
        share(lines.complete, lines.all),
        share(lines.amounts, lines.all),
        share(lines.beginning, lines.all),
        lines.spurious,
        lines.unprinted
    )?;
    if details {
        for mismatch in &lines.mismatches {
            writeln!(out, "  - {mismatch}")?;
        }
    }
    drop(out);
    expected_of_invoice2data(root, cache, details)?;
    compare(root, peer)
}

fn short(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let from = name.char_indices().rev().nth(40).map_or(0, |(at, _)| at);
    name[from..].to_owned()
}

fn string(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn lookup(fields: &Value, name: &str) -> Option<String> {
    string(name.split('.').fold(fields, |value, part| &value[part]))
}

pub(crate) fn best<'a>(fields: &'a [ParsedField], name: &str) -> Option<&'a str> {
    let field = fields.iter().find(|field| field.name == name)?;
    field.candidates.first().map(|candidate| candidate.value.as_str())
}

fn decimal(value: &str) -> Option<Decimal> {
    value.parse::<Decimal>().ok().map(|value| value.normalize())
}

fn equal(name: &str, expected: &str, found: &str) -> bool {
    if AMOUNTS.contains(&name) {
        return decimal(expected).is_some() && decimal(expected) == decimal(found);
    }
    match name {
        "seller.vat_id" | "buyer.vat_id" | "seller.postcode" | "buyer.postcode" => {
            letters(expected) == letters(found)
        }
        _ => text(expected) == text(found),
    }
}

fn header(counts: &mut Counts, document: &str, truth: &Value, parsed: &Parsed) {
    let visible =
        truth["visible_in_text"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in visible {
        let Some(expected) = lookup(&truth["fields"], name) else { continue };
        let found = best(&parsed.fields, name);
        let right = found.is_some_and(|found| equal(name, &expected, found));
        counts.add(document, name, &expected, found, right);
    }
}

fn count_lines(
    lines: &mut Lines,
    document: &str,
    truth: &Value,
    parsed: &Parsed,
    printed: &Printed,
) {
    let expected: Vec<&Value> = truth["fields"]["lines"].as_array().into_iter().flatten().collect();
    // A line whose total is not printed has other values in the XML than on the page.
    let is_printed = |line: &Value| {
        let total = string(&line["line_total"]).as_deref().and_then(decimal);
        total.is_none_or(|total| printed.has_number(total))
    };
    lines.spurious += parsed.lines.len().saturating_sub(expected.len());
    let mut used = vec![false; parsed.lines.len()];
    for (at, line) in expected.iter().enumerate() {
        if !is_printed(line) {
            lines.unprinted += 1;
            continue;
        }
        lines.all += 1;
        let right = |fields: &[ParsedField], name: &str| {
            string(&line[name])
                .as_deref()
                .and_then(decimal)
                .filter(|expected| printed.has_number(*expected))
                .is_none_or(|expected| best(fields, name).and_then(decimal) == Some(expected))
        };
        let amounts = |fields: &[ParsedField]| {
            ["quantity", "unit_price", "line_total"].iter().all(|name| right(fields, name))
        };
        let name = string(&line["name"]).unwrap_or_default();
        let named = |fields: &[ParsedField]| {
            !printed.has_words(&name)
                || best(fields, "name").is_some_and(|found| text(found) == text(&name))
        };
        let free: Vec<usize> = (0..used.len()).filter(|found| !used[*found]).collect();
        let complete = free
            .iter()
            .find(|found| amounts(&parsed.lines[**found]) && named(&parsed.lines[**found]));
        let partly = free.iter().find(|found| amounts(&parsed.lines[**found]));
        if let Some(found) = complete.or(partly) {
            used[*found] = true;
            lines.amounts += 1;
            let (found, name) = (best(&parsed.lines[*found], "name").map(text), text(&name));
            lines.beginning += usize::from(found.is_some_and(|found| {
                !found.is_empty() && (found.starts_with(&name) || name.starts_with(&found))
            }));
        }
        if complete.is_some() {
            lines.complete += 1;
        } else {
            let same = partly.copied().or((at < parsed.lines.len()).then_some(at));
            let shown: Vec<String> = same.map_or_else(Vec::new, |found| {
                ["name", "quantity", "unit_price", "line_total"]
                    .iter()
                    .map(|name| best(&parsed.lines[found], name).unwrap_or("-").to_owned())
                    .collect()
            });
            let count = parsed.lines.len();
            lines.mismatches.push(format!(
                "{document} line {} of {}: expected {line}, found {shown:?} ({count} lines)",
                at + 1,
                expected.len()
            ));
        }
    }
}

/// What the pages of a document print: other values of the XML cannot be found on them.
struct Printed {
    numbers: Vec<Decimal>,
    words: HashSet<String>,
}

impl Printed {
    fn of<'a>(pages: impl Iterator<Item = &'a Page>) -> Self {
        let words: Vec<&str> =
            pages.flat_map(|page| &page.words).map(|word| word.text.as_str()).collect();
        let numbers = words
            .iter()
            .filter_map(|word| extraction::candidates::parse_number(word))
            .flat_map(|written| [Some(written.value), written.other])
            .flatten()
            .collect();
        Self { numbers, words: words.into_iter().map(letters).collect() }
    }

    fn has_number(&self, number: Decimal) -> bool {
        self.numbers.iter().any(|printed| printed.normalize().abs() == number.abs())
    }

    /// Whether every word is printed, perhaps with a hyphen at the end of a row.
    fn has_words(&self, text: &str) -> bool {
        text.split_whitespace().all(|word| {
            let word = letters(word);
            self.words.iter().any(|printed| {
                *printed == word || !printed.is_empty() && word.starts_with(printed.as_str())
            })
        })
    }
}

/// The fields that `invoice2data` names otherwise.
const NAMES: [(&str, &str); 12] = [
    ("invoice_number", "invoice_number"),
    ("date", "issue_date"),
    ("date_due", "due_date"),
    ("amount", "grand_total"),
    ("amount_untaxed", "tax_basis_total"),
    ("amount_tax", "tax_total"),
    ("currency", "currency"),
    ("partner_name", "seller.name"),
    ("partner_street", "seller.street"),
    ("partner_zip", "seller.postcode"),
    ("partner_city", "seller.city"),
    ("vat", "seller.vat_id"),
];

fn expected_of_invoice2data(root: &Path, cache: &Path, details: bool) -> anyhow::Result<()> {
    let mut counts = Counts::default();
    for file in corpus::files(root, "invoices_invoice2data", "pdf")? {
        let truth: Value = serde_json::from_slice(&fs::read(file.with_extension("json"))?)?;
        let parsed = parse(cache, "invoices_invoice2data", &file)?;
        for (theirs, name) in NAMES {
            let Some(expected) = string(&truth[0][theirs]) else { continue };
            let found = best(&parsed.fields, name);
            let right = found.is_some_and(|found| equal(name, &expected, found));
            counts.add(&short(&file), name, &expected, found, right);
        }
    }
    counts.print("invoices_invoice2data, expected fields of that project", details)
}

/// The same fields of the same documents by `invoice2data`, with the templates that it ships.
fn compare(root: &Path, python: &Path) -> anyhow::Result<()> {
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
