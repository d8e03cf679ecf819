//! Amounts of line items that their row does not print: they follow from the others, or from the rows below.

use rust_decimal::Decimal;

use super::{Cell, Data, Item, ItemRows, cell, number};
use crate::invoice::columns::Column;
use crate::numbers::{Number, Separator, numbers};
use crate::rows::around;

/// The most decimals of a price, and of a quantity, that follow from other values.
const PRICE_DECIMALS: u32 = 4;
const QUANTITY_DECIMALS: u32 = 3;
/// How words for *price* end.
const PRICES: [&str; 6] = ["preis", "price", "prix", "prezzo", "precio", "prijs"];

/// When no column has the header of quantities, but the numbers of the first column multiplied with the prices are the
/// totals, that column contains the quantities: `#`.
pub(super) fn positions_are_quantities(data: &mut [Data<'_>]) {
    let product = |row: &Data<'_>| {
        let position = number(row, Column::Position)?;
        let (price, total) = (number(row, Column::UnitPrice)?, number(row, Column::LineTotal)?);
        Some(is_product(position.value, price.value, total.value))
    };
    let products: Vec<bool> = data.iter().filter_map(product).collect();
    if products.is_empty() || products.contains(&false) {
        return;
    }
    for (column, _) in data.iter_mut().flat_map(|row| &mut row.numbers) {
        if *column == Column::Position {
            *column = Column::Quantity;
        }
    }
}

/// Whether quantity × price = total, rounded to cents.
pub(super) fn is_product(quantity: Decimal, price: Decimal, total: Decimal) -> bool {
    let product = quantity.checked_mul(price);
    product.is_some_and(|product| (product - total).abs() <= Decimal::new(1, 2))
}

/// Adds the amount that an item lacks.
pub(super) fn complete(item: &mut Item, data: &[Data<'_>], rows: ItemRows, separator: Separator) {
    let value = |cell: &Option<Cell<Decimal>>| cell.as_ref().map(|cell| cell.value);
    let amounts = (value(&item.quantity), value(&item.unit_price), value(&item.line_total));
    let is_discounted = data[rows.amounts]
        .numbers
        .iter()
        .any(|(column, number)| *column == Column::Discount && !number.value.is_zero());
    match amounts {
        (Some(quantity), None, Some(total)) => {
            let below = below(data, rows, separator);
            let reductions: Decimal = below
                .iter()
                .filter(|(_, number)| number.value.is_sign_negative() && number.looks_like_money())
                .map(|(_, number)| number.value)
                .sum();
            let labelled = below.iter().find(|(row, number)| {
                is_labelled_price(row, number)
                    && (is_product(quantity, number.value, total)
                        || is_product(quantity, number.value, total - reductions))
            });
            item.unit_price = if let Some((row, number)) = labelled {
                Some(cell(row.row, number))
            } else if is_discounted || !reductions.is_zero() {
                None
            } else {
                quotient(total, quantity, PRICE_DECIMALS).and_then(|price| {
                    item.line_total.as_ref().map(|total| Cell::derived(price, total))
                })
            };
        }
        (None, Some(price), Some(total)) if !is_discounted => {
            let quantity = quotient(total, price, QUANTITY_DECIMALS);
            item.quantity = quantity.and_then(|quantity| {
                item.line_total.as_ref().map(|total| Cell::derived(quantity, total))
            });
        }
        (Some(quantity), Some(price), None) if !is_discounted => {
            let total = quantity.checked_mul(price).map(|total| total.round_dp(2));
            item.line_total = total.and_then(|total| {
                item.unit_price.as_ref().map(|price| Cell::derived(total, price))
            });
        }
        _ => {}
    }
}

/// The numbers of the rows of an item below its amounts.
fn below<'d, 'r>(
    data: &'d [Data<'r>],
    rows: ItemRows,
    separator: Separator,
) -> Vec<(&'d Data<'r>, Number)> {
    let own = data.get(rows.amounts + 1..rows.end).unwrap_or_default();
    own.iter()
        .take(20)
        .flat_map(|row| {
            numbers(&row.row.tokens, separator).into_iter().map(move |number| (row, number))
        })
        .collect()
}

/// Whether a word for *price* is close before a number: `Bruttopreis: 100,00`.
fn is_labelled_price(row: &Data<'_>, number: &Number) -> bool {
    let tokens = &row.row.tokens;
    let before = &tokens[number.tokens.start.saturating_sub(3)..number.tokens.start];
    let is_near = before.first().is_some_and(|first| {
        let area = around(&tokens[number.tokens.clone()]);
        area.left - first.area.left < 20.0 * area.height().max(1.0)
    });
    is_near && before.iter().any(|token| PRICES.iter().any(|price| token.key.ends_with(price)))
}

/// An exact quotient with at most this many decimals.
fn quotient(dividend: Decimal, divisor: Decimal, decimals: u32) -> Option<Decimal> {
    let quotient = dividend.checked_div(divisor)?.round_dp(decimals).normalize();
    (quotient.checked_mul(divisor)? == dividend).then_some(quotient)
}
