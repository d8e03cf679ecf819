//! Amounts in another currency than that of settlement.

use rust_decimal::{Decimal, RoundingStrategy};

use crate::parsed::{Candidate, ParsedField};

/// The most exchange rates that are tried.
const RATES: usize = 2;
/// A converted amount is rounded, perhaps from a rate with more digits than the page shows.
const ROUNDED: Decimal = Decimal::from_parts(2, 0, 0, false, 2);

/// The conversion of an amount in another currency.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Conversion {
    None,
    Multiply(Decimal),
    Divide(Decimal),
}

impl Conversion {
    pub(super) fn apply(self, amount: Decimal) -> Option<Decimal> {
        let converted = match self {
            Self::None => return None,
            Self::Multiply(rate) => amount.checked_mul(rate)?,
            Self::Divide(rate) => amount.checked_div(rate)?,
        };
        Some(cents(converted))
    }
}

pub(super) fn cents(amount: Decimal) -> Decimal {
    let mut rounded = amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    rounded.rescale(2);
    rounded
}

pub(super) fn conversions(fields: &[ParsedField], currency: Option<&str>) -> Vec<Conversion> {
    let mut conversions = vec![Conversion::None];
    let mut amounts = fields.iter().flat_map(|field| &field.candidates);
    if !amounts.any(|amount| differs(amount.currency.as_deref(), currency)) {
        return conversions;
    }
    let rates = fields.iter().find(|field| field.name == "exchange_rate");
    for candidate in rates.iter().flat_map(|field| &field.candidates).take(RATES) {
        // Rates have more digits than amounts.
        let rate = candidate.value.parse::<Decimal>().ok();
        let rate = rate.filter(|rate| !rate.is_zero() && rate.scale() >= 3);
        if let Some(rate) = rate {
            conversions.extend([Conversion::Multiply(rate), Conversion::Divide(rate)]);
        }
    }
    conversions
}

pub(super) fn differs(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// A net amount in another currency that the document converts to the amount of settlement.
pub(super) struct Foreign {
    /// The index of its candidate.
    pub(super) index: usize,
    pub(super) conversion: Conversion,
}

/// The amounts before the total with this index that an exchange rate turns into it.
pub(super) fn converted_to(
    fields: &[ParsedField],
    totals: &[Candidate],
    index: usize,
) -> Vec<Foreign> {
    let Some(total) = totals.get(index) else { return Vec::new() };
    let Ok(amount) = total.value.parse::<Decimal>() else { return Vec::new() };
    let conversions = conversions(fields, total.currency.as_deref());
    let mut found = Vec::new();
    for (at, other) in totals.iter().enumerate() {
        let is_foreign = differs(other.currency.as_deref(), total.currency.as_deref());
        let Ok(foreign) = other.value.parse::<Decimal>() else { continue };
        if !is_foreign || !is_before(other, total) {
            continue;
        }
        let matches = |conversion: &&Conversion| {
            let converted = conversion.apply(foreign);
            converted.is_some_and(|converted| (converted - amount).abs() <= ROUNDED)
        };
        let conversion = conversions.iter().find(matches);
        found.extend(conversion.map(|&conversion| Foreign { index: at, conversion }));
    }
    found
}

/// Whether a value is above another one, or left of it in the same row.
fn is_before(one: &Candidate, other: &Candidate) -> bool {
    let (Some(a), Some(b)) = (one.area, other.area) else { return false };
    let same_row = (a.top - b.top).abs() < 3.0;
    one.page < other.page
        || (one.page == other.page && if same_row { a.left < b.left } else { a.top < b.top })
}
