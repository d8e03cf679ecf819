//! Header fields and line items of invoices, from their visible pages.
//!
//! No weight is fitted, but labels and rules were written with these documents in view: this is a development set. Results
//! are also averaged by seller, because some sellers have several invoices.

mod lines;
mod peer;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, stdout};
use std::path::Path;

use anyhow::Context;
use domain::{Extraction, FieldGroup};
use extraction::parse::{ParseRequest, parse};
use extraction::reconcile::reconcile;
use extraction::types::builtin;
use pages::Part;
use rust_decimal::Decimal;
use serde_json::Value;

use crate::corpus;
use crate::held_out::{self, HeldOut};
use crate::measure::{Counts, letters, text};
use lines::Lines;

/// Fields whose values are amounts.
const AMOUNTS: [&str; 5] =
    ["line_total", "tax_basis_total", "tax_total", "grand_total", "due_payable"];

/// What `docket extract` finds in a document of a built-in type, before confidences are calibrated.
pub(crate) fn extract(parts: &[Part], name: &str) -> anyhow::Result<Extraction> {
    let document_type = builtin()
        .iter()
        .find(|found| found.name == name)
        .with_context(|| format!("there is no type {name}"))?;
    let request = ParseRequest {
        types: builtin().to_vec(),
        wanted: Some(name.to_owned()),
        ..ParseRequest::default()
    };
    let parsed = parse(parts.iter().cloned().map(Ok), &request)?;
    Ok(reconcile(document_type, &parsed))
}

pub(crate) fn run(root: &Path, cache: &Path, peer: &Path, details: bool) -> anyhow::Result<()> {
    let mut counts = Counts::default();
    let mut sellers: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut lines = Lines::default();
    let mut held_out = Vec::new();
    for file in corpus::files(root, "invoices", "pdf")? {
        let truth: Value = serde_json::from_slice(&fs::read(file.with_extension("fields.json"))?)?;
        let parts = corpus::load(cache, "invoices", &file)?;
        let extraction = extract(&parts, "invoice")?;
        let name = short(&file);
        let before = counts.all();
        let mut correct = header(&mut counts, &name, &truth, &extraction);
        let after = counts.all();
        let seller = string(&truth["fields"]["seller"]["name"]).unwrap_or_default();
        let count = sellers.entry(seller.clone()).or_default();
        count.0 += after.0 - before.0;
        count.1 += after.1 - before.1;
        correct.extend(lines.add(&name, &truth, &extraction, corpus::pages(&parts)));
        held_out.push(HeldOut { document: file_name(&file), group: seller, extraction, correct });
    }
    counts.print("invoices, visible header fields, development set", details)?;
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let mean =
        sellers.values().map(|(right, all)| *right as f64 / (*all).max(1) as f64).sum::<f64>()
            / sellers.len().max(1) as f64;
    writeln!(stdout(), "  mean of {} sellers {mean:.3}", sellers.len())?;
    lines.print(details)?;
    expected_of_invoice2data(root, cache, details, &mut held_out)?;
    held_out::write(cache, "invoices", &mut held_out)?;
    peer::compare(root, peer)
}

pub(crate) fn file_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn short(file: &Path) -> String {
    let name = file_name(file);
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

pub(crate) fn value<'a>(fields: &'a FieldGroup, name: &str) -> Option<&'a str> {
    fields.get(name)?.value.as_deref()
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

/// Counts the visible fields. Returns which of the found values are correct.
fn header(
    counts: &mut Counts,
    document: &str,
    truth: &Value,
    extraction: &Extraction,
) -> BTreeMap<String, bool> {
    let visible =
        truth["visible_in_text"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut correct = BTreeMap::new();
    for name in visible {
        let Some(expected) = lookup(&truth["fields"], name) else { continue };
        let found = value(&extraction.fields, name);
        let right = found.is_some_and(|found| equal(name, &expected, found));
        counts.add(document, name, &expected, found, right);
        correct.extend(found.map(|_| (name.to_owned(), right)));
    }
    correct
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

fn expected_of_invoice2data(
    root: &Path,
    cache: &Path,
    details: bool,
    held_out: &mut Vec<HeldOut>,
) -> anyhow::Result<()> {
    let mut counts = Counts::default();
    for file in corpus::files(root, "invoices_invoice2data", "pdf")? {
        let truth: Value = serde_json::from_slice(&fs::read(file.with_extension("json"))?)?;
        let parts = corpus::load(cache, "invoices_invoice2data", &file)?;
        let extraction = extract(&parts, "invoice")?;
        let mut correct = BTreeMap::new();
        for (theirs, name) in NAMES {
            let Some(expected) = string(&truth[0][theirs]) else { continue };
            let found = value(&extraction.fields, name);
            let right = found.is_some_and(|found| equal(name, &expected, found));
            counts.add(&short(&file), name, &expected, found, right);
            correct.extend(found.map(|_| (name.to_owned(), right)));
        }
        // Each of them is from another seller.
        let document = file_name(&file);
        held_out.push(HeldOut { group: document.clone(), document, extraction, correct });
    }
    counts.print("invoices_invoice2data, expected fields of that project", details)
}
