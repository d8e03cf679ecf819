//! Compares the values of an electronic invoice with what its pages show.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::{Check, FieldKind};
use rust_decimal::Decimal;

use super::labels::named_field;
use super::places::{Place, Words, key};
use super::{CHECKS, EInvoice, line_fields};
use crate::candidates::{Found, Value};
use crate::geometry::View;

/// The number of lines whose places are looked for.
const MAX_LINES: usize = 500;
/// The number of pages that lines are looked for on.
const MAX_PAGES: u32 = 50;

/// A comparable value of the electronic invoice.
#[derive(Clone, Debug)]
enum Target {
    Amount(Decimal),
    Date(NaiveDate),
    Text(String),
}

/// How important it is that the pages show a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Importance {
    /// Every invoice shows it: a page without it contradicts the XML.
    Essential,
    /// A page may leave it out.
    Usual,
    /// It is only looked for, so that it can be shown on the page.
    PlaceOnly,
}

#[derive(Debug)]
struct Compared {
    field: &'static str,
    shown: String,
    target: Target,
    importance: Importance,
    /// The best place so far, and whether the field's label is beside it.
    place: Option<(Place, bool)>,
    /// Another value with the label of this field.
    contradiction: Option<Place>,
    /// Whether the pages have values of this kind at all.
    has_values: bool,
}

/// The comparison of one electronic invoice with the pages around it, page by page.
#[derive(Debug)]
pub(crate) struct Comparison {
    fields: Vec<Compared>,
    lines: Vec<[Option<Target>; 4]>,
    line_places: BTreeMap<(usize, &'static str), Place>,
    words: usize,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) places: BTreeMap<&'static str, Place>,
    /// By the index of the line and the name of the field.
    pub(crate) line_places: BTreeMap<(usize, &'static str), Place>,
    pub(crate) checks: Vec<Check>,
    pub(crate) warnings: Vec<String>,
}

impl Comparison {
    pub(crate) fn new(invoice: &EInvoice) -> Self {
        let fields = invoice.header().into_iter().filter_map(|(field, value)| {
            let value = &value?.value;
            Some(Compared {
                field,
                shown: value.clone(),
                target: target(field, value)?,
                importance: importance(field),
                place: None,
                contradiction: None,
                has_values: false,
            })
        });
        let fields = fields.collect();
        let lines = invoice
            .lines
            .iter()
            .take(MAX_LINES)
            .map(|line| line_fields(line).map(|(name, value)| target(name, &value?.value)));
        Self { fields, lines: lines.collect(), line_places: BTreeMap::new(), words: 0 }
    }

    pub(crate) fn page(&mut self, view: &View<'_>, found: &[Found]) {
        self.words += view.page.words.len();
        let words = Words::new(view.page);
        for compared in &mut self.fields {
            if let Target::Text(text) = &compared.target {
                if compared.place.is_none() {
                    compared.place = words.find(text).map(|span| (words.place(span), true));
                }
                compared.has_values = true;
            }
        }
        for value in found {
            let left = view.left_of(value.words).map(|word| view.page.words[word].text.as_str());
            let named = named_field(left);
            for compared in &mut self.fields {
                compared.value(value, named);
            }
        }
        if view.page.number <= MAX_PAGES {
            self.find_lines(view, &words, found);
        }
    }

    /// A line is where its name is; its numbers are in the same row.
    fn find_lines(&mut self, view: &View<'_>, words: &Words<'_>, found: &[Found]) {
        let names = ["name", "quantity", "unit_price", "line_total"];
        let mut by_row: BTreeMap<usize, Vec<&Found>> = BTreeMap::new();
        for value in found {
            if let Some((row, _)) = view.place(value.words.from as usize) {
                by_row.entry(row).or_default().push(value);
            }
        }
        for (index, line) in self.lines.iter().enumerate() {
            let [Some(Target::Text(name)), numbers @ ..] = line else { continue };
            if self.line_places.contains_key(&(index, "name")) {
                continue;
            }
            let Some(span) = words.find(name) else { continue };
            self.line_places.insert((index, "name"), words.place(span));
            let row = view.place(span.from as usize).map(|(row, _)| row);
            let in_row = row.and_then(|row| by_row.get(&row)).map_or(&[][..], Vec::as_slice);
            for (target, name) in numbers.iter().zip(&names[1..]) {
                let Some(target) = target else { continue };
                // The total is the last number of its row.
                let mut same = in_row.iter().filter(|value| is_same(target, value));
                let hit = if *name == "line_total" { same.next_back() } else { same.next() };
                if let Some(value) = hit {
                    self.line_places.insert((index, name), place_of(value));
                }
            }
        }
    }

    pub(crate) fn finish(self) -> Outcome {
        let mut outcome = Outcome { line_places: self.line_places, ..Outcome::default() };
        let has_text = self.words > 0;
        for compared in self.fields {
            if compared.importance != Importance::PlaceOnly {
                let check = compared.check(has_text);
                if check.passed == Some(false) {
                    outcome.warnings.push(compared.warning());
                }
                outcome.checks.push(check);
            }
            if let Some((place, _)) = compared.place {
                outcome.places.insert(compared.field, place);
            }
        }
        outcome
    }
}

impl Compared {
    /// Takes in a value of a page, with the field that its label names.
    fn value(&mut self, value: &Found, named: Option<&'static str>) {
        if matches!(self.target, Target::Text(_)) || !has_kind(&self.target, value) {
            return;
        }
        self.has_values = true;
        let is_labelled = named == Some(self.field);
        if is_same(&self.target, value) {
            // Totals come last, and a labelled value is better than another one.
            if is_labelled || !self.place.as_ref().is_some_and(|(_, labelled)| *labelled) {
                self.place = Some((place_of(value), is_labelled));
            }
        } else if is_labelled && self.contradiction.is_none() {
            self.contradiction = Some(place_of(value));
        }
    }

    /// A value that is labelled as this field and differs, where no labelled value is the same.
    fn contradicting(&self) -> Option<&Place> {
        let is_labelled = self.place.as_ref().is_some_and(|(_, labelled)| *labelled);
        self.contradiction.as_ref().filter(|_| !is_labelled)
    }

    fn check(&self, has_text: bool) -> Check {
        let name = format!("{CHECKS}{}", self.field);
        let value = &self.shown;
        let (passed, detail) = match (&self.place, self.contradicting()) {
            (_, Some(other)) => (
                Some(false),
                format!("{value} in the electronic invoice, {} on page {}", other.raw, other.page),
            ),
            (Some((place, _)), None) => (
                Some(true),
                format!("{value} in the electronic invoice = {} on page {}", place.raw, place.page),
            ),
            (None, None) => {
                let is_missing =
                    self.importance == Importance::Essential && has_text && self.has_values;
                (
                    is_missing.then_some(false),
                    format!("{value} in the electronic invoice, not found on the pages"),
                )
            }
        };
        Check { name, passed, detail }
    }

    fn warning(&self) -> String {
        let field = self.field.replace(['_', '.'], " ");
        match self.contradicting() {
            Some(other) => format!(
                "The electronic invoice and the page differ: {field} is {} in the XML and {} on page {}.",
                self.shown, other.raw, other.page
            ),
            None => format!(
                "The electronic invoice and the pages differ: {field} is {} in the XML, and no page shows it.",
                self.shown
            ),
        }
    }
}

fn importance(field: &str) -> Importance {
    match field {
        "invoice_number" | "issue_date" | "grand_total" => Importance::Essential,
        "due_date" | "line_total" | "tax_basis_total" | "tax_total" | "due_payable"
        | "seller.name" | "buyer.name" | "seller.vat_id" | "buyer.vat_id" => Importance::Usual,
        _ => Importance::PlaceOnly,
    }
}

/// A country is not looked for: two letters occur everywhere.
fn target(field: &str, value: &str) -> Option<Target> {
    Some(match field {
        "seller.country" | "buyer.country" => return None,
        "issue_date" | "due_date" => Target::Date(value.parse().ok()?),
        "line_total" | "tax_basis_total" | "tax_total" | "grand_total" | "due_payable"
        | "unit_price" | "quantity" => Target::Amount(value.parse::<Decimal>().ok()?.abs()),
        _ => Target::Text(key(value)),
    })
}

fn has_kind(target: &Target, value: &Found) -> bool {
    match target {
        Target::Amount(_) => value.fits(FieldKind::Money),
        Target::Date(_) => value.kind == FieldKind::Date,
        Target::Text(_) => false,
    }
}

/// Whether one of the meanings of a value is the expected one. Credit notes show their amounts with either sign.
fn is_same(target: &Target, value: &Found) -> bool {
    let meanings = std::iter::once(&value.value).chain(&value.other);
    meanings.into_iter().any(|meaning| match (target, meaning) {
        (Target::Amount(amount), Value::Number(number)) => number.abs() == *amount,
        (Target::Date(date), Value::Date(found)) => date == found,
        _ => false,
    })
}

fn place_of(value: &Found) -> Place {
    Place { page: value.page, area: value.area, raw: value.raw.clone() }
}
