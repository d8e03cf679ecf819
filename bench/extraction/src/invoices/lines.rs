//! Line items: how many are complete.

use std::collections::{BTreeMap, HashSet};
use std::io::{Write, stdout};

use domain::{Extraction, FieldGroup};
use pages::Page;
use rust_decimal::Decimal;
use serde_json::Value;

use super::{decimal, string, value};
use crate::measure::{letters, share, text};

const FIELDS: [&str; 4] = ["name", "quantity", "unit_price", "line_total"];

/// Counts of lines. *Strict*: every value of the XML is right. *Lenient*: values that the page does not print are not
/// compared, and lines whose total is not printed are left out.
#[derive(Default)]
pub(super) struct Lines {
    all: usize,
    strict: usize,
    printed: usize,
    lenient: usize,
    /// The amounts that are printed are right.
    amounts: usize,
    spurious: usize,
    /// Documents all of whose lines are strictly right, with no other line.
    documents: (usize, usize),
    mismatches: Vec<String>,
}

impl Lines {
    /// Counts the lines of a document. Returns which of the found values are correct.
    pub(super) fn add<'p>(
        &mut self,
        document: &str,
        truth: &Value,
        extraction: &Extraction,
        pages: impl Iterator<Item = &'p Page>,
    ) -> BTreeMap<String, bool> {
        let printed = Printed::of(pages);
        let expected: Vec<&Value> =
            truth["fields"]["lines"].as_array().into_iter().flatten().collect();
        let found = &extraction.lines;
        let partners = partners(&expected, found);
        let strict_before = self.strict;
        let mut correct = BTreeMap::new();
        for (at, line) in expected.iter().enumerate() {
            let partner = partners[at];
            let fields = partner.map(|partner| &found[partner]);
            let right = |name: &&str| fields.and_then(|fields| is_right(line, fields, name));
            let is_printed = |name: &&str| printed.has(line, name);
            self.all += 1;
            let is_strict =
                fields.is_some() && FIELDS.iter().all(|name| right(name) != Some(false));
            self.strict += usize::from(is_strict);
            if is_printed(&"line_total") {
                let lenient = |names: &[&str]| {
                    let mut printed = names.iter().filter(|name| is_printed(name));
                    fields.is_some() && printed.all(|name| right(name) != Some(false))
                };
                self.printed += 1;
                self.lenient += usize::from(lenient(&FIELDS));
                self.amounts += usize::from(lenient(&FIELDS[1..]));
            }
            if let (Some(partner), Some(fields)) = (partner, fields) {
                for name in FIELDS.iter().filter(|name| is_printed(name)) {
                    let has_value = value(fields, name).is_some();
                    let outcome = right(name).filter(|_| has_value);
                    correct.extend(outcome.map(|right| (format!("lines.{partner}.{name}"), right)));
                }
            }
            if !is_strict {
                let shown: Vec<&str> = fields.map_or_else(Vec::new, |fields| {
                    FIELDS.iter().map(|name| value(fields, name).unwrap_or("-")).collect()
                });
                self.mismatches.push(format!(
                    "{document} line {} of {}: expected {line}, found {shown:?} ({} lines)",
                    at + 1,
                    expected.len(),
                    found.len()
                ));
            }
        }
        // Lines that the document does not contain.
        let spurious = (0..found.len()).filter(|index| !partners.contains(&Some(*index)));
        for index in spurious {
            self.spurious += 1;
            let shown = FIELDS.map(|name| value(&found[index], name).unwrap_or("-"));
            self.mismatches.push(format!("{document}: spurious {shown:?}"));
            let values = FIELDS.iter().filter(|name| value(&found[index], name).is_some());
            correct.extend(values.map(|name| (format!("lines.{index}.{name}"), false)));
        }
        self.documents.0 += usize::from(
            self.strict - strict_before == expected.len() && found.len() == expected.len(),
        );
        self.documents.1 += 1;
        correct
    }

    pub(super) fn print(&self, details: bool) -> anyhow::Result<()> {
        let mut out = stdout().lock();
        let (whole, documents) = self.documents;
        writeln!(
            out,
            "line items: {} of {} complete {}, {} spurious; all lines of {whole} of {documents} documents",
            self.strict,
            self.all,
            share(self.strict, self.all),
            self.spurious,
        )?;
        writeln!(
            out,
            "  only what the page prints: {} of {} complete {}, amounts right {}",
            self.lenient,
            self.printed,
            share(self.lenient, self.printed),
            share(self.amounts, self.printed),
        )?;
        if details {
            for mismatch in &self.mismatches {
                writeln!(out, "  - {mismatch}")?;
            }
        }
        Ok(())
    }
}

/// Whether a value is right; `None` when the XML has none.
fn is_right(line: &Value, fields: &FieldGroup, name: &str) -> Option<bool> {
    let expected = string(&line[name])?;
    let found = value(fields, name);
    Some(if name == "name" {
        found.is_some_and(|found| text(found) == text(&expected))
    } else {
        let amount = |value: &str| decimal(value);
        amount(&expected).is_some_and(|expected| found.and_then(amount) == Some(expected))
    })
}

/// For each expected line the found one with the most equal values; the order of the document decides among equal ones.
fn partners(expected: &[&Value], found: &[FieldGroup]) -> Vec<Option<usize>> {
    let mut pairs: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (at, line) in expected.iter().enumerate() {
        for (to, fields) in found.iter().enumerate() {
            let equal =
                FIELDS.iter().filter(|name| is_right(line, fields, name) == Some(true)).count();
            pairs.push((usize::MAX - equal, at.abs_diff(to), at, to));
        }
    }
    pairs.sort_unstable();
    let mut partners = vec![None; expected.len()];
    for (_, _, at, to) in pairs {
        if partners[at].is_none() && !partners.contains(&Some(to)) {
            partners[at] = Some(to);
        }
    }
    partners
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

    /// Whether the value of a line is printed.
    fn has(&self, line: &Value, name: &str) -> bool {
        let expected = string(&line[name]);
        match name {
            "name" => expected.is_some_and(|name| self.has_words(&name)),
            _ => expected.as_deref().and_then(decimal).is_none_or(|number| self.has_number(number)),
        }
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
