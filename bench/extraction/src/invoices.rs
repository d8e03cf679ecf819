//! Header fields and line items of invoices, from their visible pages.
//!
//! Nothing is fitted to these documents: the labels are those of the document type and the rules are general. So every
//! seller is left out by construction; results are also averaged by seller, because some sellers have several invoices.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;
use extraction::parsed::{Parsed, ParsedField};
use extraction::types::{DocumentType, builtin};
use pages::Page;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::corpus;
use crate::measure::{Counts, letters, share, text};

/// Fields whose values are amounts.
const AMOUNTS: [&str; 5] = ["line_total", "tax_basis_total", "tax_total", "grand_total", "due_payable"];

pub(crate) fn document_type(name: &str) -> anyhow::Result<&'static DocumentType> {
    builtin().iter().find(|found| found.name == name).with_context(|| format!("there is no type {name}"))
}

pub(crate) fn parse(cache: &Path, folder: &str, file: &Path) -> anyhow::Result<Parsed> {
    let parts = corpus::load(cache, folder, file)?;
    let pages: Vec<Page> = corpus::pages(&parts).cloned().collect();
    Ok(extraction::invoice::parse(&pages, document_type("invoice")?))
}

/// Lines: all values right, and the amounts right.
#[derive(Default)]
struct Lines {
    all: usize,
    complete: usize,
    amounts: usize,
    unprinted: usize,
    mismatches: Vec<String>,
}

pub(crate) fn run(root: &Path, cache: &Path, details: bool) -> anyhow::Result<()> {
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
        let printed: Vec<Decimal> = corpus::pages(&parts)
            .flat_map(|page| &page.words)
            .filter_map(|word| extraction::candidates::parse_number(&word.text))
            .flat_map(|written| [Some(written.value), written.other])
            .flatten()
            .collect();
        count_lines(&mut lines, &name, &truth, &parsed, &printed);
    }
    counts.print("invoices, visible header fields, no seller's invoices used for fitting", details)?;
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let mean = sellers.values().map(|(right, all)| *right as f64 / (*all).max(1) as f64).sum::<f64>()
        / sellers.len().max(1) as f64;
    let mut out = stdout().lock();
    writeln!(out, "  mean of {} sellers {mean:.3}", sellers.len())?;
    writeln!(
        out,
        "line items: {} of {} complete {}, amounts right {} ({} more have a total that is not printed)",
        lines.complete,
        lines.all,
        share(lines.complete, lines.all),
        share(lines.amounts, lines.all),
        lines.unprinted
    )?;
    if details {
        for mismatch in &lines.mismatches {
            writeln!(out, "  - {mismatch}")?;
        }
    }
    drop(out);
    expected_of_invoice2data(root, cache, details)
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
        "seller.vat_id" | "buyer.vat_id" | "seller.postcode" | "buyer.postcode" => letters(expected) == letters(found),
        _ => text(expected) == text(found),
    }
}

fn header(counts: &mut Counts, document: &str, truth: &Value, parsed: &Parsed) {
    let visible = truth["visible_in_text"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in visible {
        let Some(expected) = lookup(&truth["fields"], name) else { continue };
        let found = best(&parsed.fields, name);
        let right = found.is_some_and(|found| equal(name, &expected, found));
        counts.add(document, name, &expected, found, right);
    }
}

fn count_lines(lines: &mut Lines, document: &str, truth: &Value, parsed: &Parsed, printed: &[Decimal]) {
    let expected: Vec<&Value> = truth["fields"]["lines"].as_array().into_iter().flatten().collect();
    // A line whose total is not printed has other values in the XML than on the page.
    let is_printed = |line: &Value| {
        let total = string(&line["line_total"]).as_deref().and_then(decimal);
        total.is_none_or(|total| printed.iter().any(|number| number.normalize() == total))
    };
    let mut used = vec![false; parsed.lines.len()];
    for (at, line) in expected.iter().enumerate() {
        if !is_printed(line) {
            lines.unprinted += 1;
            continue;
        }
        lines.all += 1;
        let right = |fields: &[ParsedField], name: &str| {
            string(&line[name]).as_deref().and_then(decimal).is_none_or(|expected| {
                best(fields, name).and_then(decimal) == Some(expected)
            })
        };
        let amounts = |fields: &[ParsedField]| {
            ["quantity", "unit_price", "line_total"].iter().all(|name| right(fields, name))
        };
        let name = string(&line["name"]).unwrap_or_default();
        let named = |fields: &[ParsedField]| best(fields, "name").is_some_and(|found| text(found) == text(&name));
        let free: Vec<usize> = (0..used.len()).filter(|found| !used[*found]).collect();
        let complete = free.iter().find(|found| amounts(&parsed.lines[**found]) && named(&parsed.lines[**found]));
        let partly = free.iter().find(|found| amounts(&parsed.lines[**found]));
        if let Some(found) = complete.or(partly) {
            used[*found] = true;
            lines.amounts += 1;
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
            lines.mismatches.push(format!("{document} line {} of {}: expected {line}, found {shown:?} ({count} lines)", at + 1, expected.len()));
        }
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
