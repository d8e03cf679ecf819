//! The fields of an invoice from its visible pages.
//!
//! The names of the fields follow EN 16931. Labels come from the document type; what a label alone does not decide follows
//! from the layout: addresses are blocks of aligned rows ([`address`]), parties are told apart by headings and places
//! ([`parties`]), line items by the header of their table ([`lines`]), totals by arithmetic ([`totals`]).

mod address;
mod columns;
mod currency;
mod header;
mod lines;
mod parties;
#[cfg(test)]
mod tests;
mod totals;

use domain::FieldSource;

use crate::candidates::Found;
use crate::labels::Labels;
use crate::numbers::Separator;
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::rows::Rows;
use crate::types::DocumentType;
pub(crate) use address::country;
use address::{Address, Part};
use columns::ColumnLabels;
use lines::{Cell, Item, LineLabels};
use parties::{Parties, PartyLabels};
use totals::{Amount, Total, TotalLabels};

/// Log-odds of an amount of a line that follows from the others.
const DERIVED_SCORE: f32 = 1.5;

pub(crate) const DOCUMENT_TYPE: &str = "invoice";

/// Finds the fields of an invoice.
pub(crate) fn parse(rows: &Rows, dates: &[Found], document_type: &DocumentType) -> Parsed {
    let separator = Separator::of(&rows.list);
    let mut fields = Vec::new();

    let numbers = header::invoice_numbers(rows, document_type, dates);
    fields.push(ParsedField::best_of(
        "invoice_number",
        numbers.into_iter().map(|scored| scored_candidate(rows, scored)),
    ));
    let dates = header::dates(rows, document_type, dates);
    fields.push(ParsedField::best_of(
        "issue_date",
        dates.issue.into_iter().map(|scored| scored_candidate(rows, scored)),
    ));
    fields.push(ParsedField::best_of(
        "due_date",
        dates.due.into_iter().map(|scored| scored_candidate(rows, scored)),
    ));

    let labels = PartyLabels::new(
        Labels::of(document_type, "seller.name"),
        Labels::of(document_type, "buyer.name"),
    );
    party_fields(rows, parties::parties(rows, &labels), &mut fields);

    let currencies = currency::currencies(rows, document_type, separator);
    fields.push(ParsedField::best_of(
        "currency",
        currencies.into_iter().map(|scored| scored_candidate(rows, scored)),
    ));

    let all_totals = Total::ALL.iter().flat_map(|total| {
        let spec = document_type.fields.iter().find(|spec| spec.name == total.field());
        spec.into_iter().flat_map(|spec| spec.labels.values().flatten())
    });
    let line_labels = LineLabels {
        columns: ColumnLabels::new(document_type),
        totals: Labels::new(all_totals.map(String::as_str)),
    };
    let items = lines::items(rows, &line_labels, separator);
    let amounts = totals::totals(rows, &TotalLabels::new(document_type), separator, &items);
    for total in Total::ALL {
        let own = amounts.iter().filter(|amount| amount.total == total);
        fields.push(ParsedField::best_of(
            total.field(),
            own.map(|amount| amount_candidate(rows, amount)),
        ));
    }
    Parsed {
        document_type: document_type.name.clone(),
        fields,
        lines: items.iter().map(|item| line(rows, item)).collect(),
        ..Parsed::default()
    }
}

fn scored_candidate(rows: &Rows, scored: header::Scored) -> Candidate {
    Candidate {
        value: scored.value,
        raw: scored.raw,
        page: Some(scored.page),
        area: scored.area.filter(|_| rows.placed()),
        source: if scored.is_alternative { FieldSource::OcrAlternative } else { FieldSource::Page },
        score: scored.score,
        currency: None,
    }
}

fn part_candidate(rows: &Rows, part: &Part, score: f32) -> Candidate {
    Candidate {
        value: part.value.clone(),
        raw: part.raw.clone(),
        page: Some(part.page),
        area: rows.placed().then_some(part.area),
        source: FieldSource::Page,
        score,
        currency: None,
    }
}

fn amount_candidate(rows: &Rows, amount: &Amount) -> Candidate {
    Candidate {
        value: amount.value.to_string(),
        raw: amount.raw.clone(),
        page: (!amount.is_derived).then_some(amount.page),
        area: (rows.placed() && !amount.is_derived).then_some(amount.area),
        source: if amount.is_derived { FieldSource::Derived } else { FieldSource::Page },
        score: amount.score,
        currency: amount.currency.map(str::to_owned),
    }
}

fn party_fields(rows: &Rows, parties: Parties, fields: &mut Vec<ParsedField>) {
    let seller = |scored: &parties::Scored| scored.seller;
    let buyer = |scored: &parties::Scored| scored.buyer;
    // The same address is not both: the better one of each pair of choices.
    let best = |score: &dyn Fn(&parties::Scored) -> f32| {
        parties.addresses.iter().map(score).fold(f32::MIN, f32::max)
    };
    let (best_seller, best_buyer) = (best(&seller), best(&buyer));
    for (party, own, other, best_other) in [
        (
            "seller",
            &seller as &dyn Fn(&parties::Scored) -> f32,
            &buyer as &dyn Fn(&parties::Scored) -> f32,
            best_buyer,
        ),
        ("buyer", &buyer, &seller, best_seller),
    ] {
        // An address that is the best of the other party, and better there, is not this party's.
        let score = |scored: &parties::Scored| {
            let lost = other(scored) >= best_other && other(scored) > own(scored);
            own(scored) - if lost { 4.0 } else { 0.0 }
        };
        let of = |part: &dyn Fn(&Address) -> Option<Part>| -> Vec<Candidate> {
            // A part that the best address lacks is missing; it does not come from another address.
            let best = parties.addresses.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
            if best.is_none_or(|best| part(&best.address).is_none()) {
                return Vec::new();
            }
            let found = parties
                .addresses
                .iter()
                .filter_map(|scored| Some((part(&scored.address)?, score(scored))));
            found.map(|(part, score)| part_candidate(rows, &part, score)).collect()
        };
        let mut names: Vec<Candidate> = parties
            .addresses
            .iter()
            .flat_map(|scored| {
                let score = score(scored);
                scored
                    .address
                    .names
                    .iter()
                    .take(3)
                    .enumerate()
                    .map(move |(at, name)| (name, at, score))
            })
            .map(|(name, at, score)| {
                let later = if at == 0 { 0.0 } else { 1.0 };
                part_candidate(rows, name, score - later)
            })
            .collect();
        if party == "seller" {
            names.extend(
                parties.names.iter().map(|(part, score)| part_candidate(rows, part, *score)),
            );
        }
        let name = |field: &str| format!("{party}.{field}");
        fields.push(ParsedField::best_of(name("name"), names));
        fields.push(ParsedField::best_of(name("street"), of(&|address| address.street.clone())));
        fields.push(ParsedField::best_of(
            name("postcode"),
            of(&|address| Some(address.postcode.clone())),
        ));
        fields.push(ParsedField::best_of(name("city"), of(&|address| Some(address.city.clone()))));
        fields.push(ParsedField::best_of(name("country"), of(&|address| address.country.clone())));
        let vat_ids = parties.vat_ids.iter().map(|vat_id| {
            let score = if party == "seller" { vat_id.seller } else { vat_id.buyer };
            part_candidate(rows, &vat_id.part, score)
        });
        fields.push(ParsedField::best_of(
            name("vat_id"),
            vat_ids.filter(|candidate| candidate.score > 0.0),
        ));
    }
}

fn line(rows: &Rows, item: &Item) -> Vec<ParsedField> {
    let is_derived = [&item.quantity, &item.unit_price, &item.line_total]
        .iter()
        .any(|cell| cell.as_ref().is_some_and(|cell| cell.is_derived));
    // A product that was computed confirms nothing.
    let score = if item.multiplies() && !is_derived { 4.0 } else { 2.0 };
    let number = |name: &str, cell: &Option<Cell<rust_decimal::Decimal>>| {
        let candidate = cell.as_ref().map(|cell| Candidate {
            value: cell.value.to_string(),
            raw: cell.raw.clone(),
            page: (!cell.is_derived).then_some(cell.page),
            area: (rows.placed() && !cell.is_derived).then_some(cell.area),
            source: if cell.is_derived { FieldSource::Derived } else { FieldSource::Page },
            score: if cell.is_derived { DERIVED_SCORE } else { score },
            currency: cell.currency.map(str::to_owned),
        });
        ParsedField::best_of(name, candidate)
    };
    let name = item.name.as_ref().map(|cell| Candidate {
        value: cell.value.clone(),
        raw: cell.raw.clone(),
        page: Some(cell.page),
        area: rows.placed().then_some(cell.area),
        source: FieldSource::Page,
        score: 2.0,
        currency: None,
    });
    vec![
        ParsedField::best_of("name", name),
        number("quantity", &item.quantity),
        number("unit_price", &item.unit_price),
        number("line_total", &item.line_total),
    ]
}
