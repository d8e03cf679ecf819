//! Decides between the meanings of a number by arithmetic: `38.879` is not 38 thousand when `38.879 × 17.49` is an amount of
//! the document.

use rust_decimal::Decimal;

use super::Found;

/// The most numbers of a document that are multiplied.
const MAX_NUMBERS: usize = 300;
/// Products of small numbers agree by chance.
const LEAST_PRODUCT: f64 = 5.0;
const TOLERANCE: f64 = 0.006;

/// The prices and amounts of a document.
#[derive(Debug, Default)]
pub struct Products {
    prices: Vec<f64>,
    /// In ascending order.
    amounts: Vec<f64>,
}

impl Products {
    pub fn new<'f>(found: impl Iterator<Item = &'f Found>) -> Self {
        let mut products = Self::default();
        for found in found.filter(|found| !found.is_ambiguous()).take(MAX_NUMBERS) {
            let Some(number) = found.number().and_then(size) else { continue };
            if found.decimals >= 1 && (number - 1.0).abs() > 1e-9 {
                products.prices.push(number);
            }
            if found.decimals == 2 && number >= LEAST_PRODUCT {
                products.amounts.push(number);
            }
        }
        products.amounts.sort_by(f64::total_cmp);
        products
    }

    /// Gives an ambiguous number the meaning with which it is a factor of an amount, if the other meaning is none. Returns
    /// whether it is decided.
    pub fn resolve(&self, found: &mut Found) -> bool {
        let Some(other) = found.other.as_ref().and_then(super::Value::number) else { return false };
        let Some(number) = found.number() else { return false };
        match (self.is_factor(number), self.is_factor(other)) {
            (true, false) => found.other = None,
            (false, true) => found.exchange(),
            _ => return false,
        }
        true
    }

    fn is_factor(&self, number: Decimal) -> bool {
        let Some(number) = size(number).filter(|number| *number > 0.0) else { return false };
        self.prices.iter().any(|price| {
            let product = number * price;
            let from = self.amounts.partition_point(|amount| *amount < product - TOLERANCE);
            self.amounts.get(from).is_some_and(|amount| *amount <= product + TOLERANCE)
        })
    }
}

fn size(number: Decimal) -> Option<f64> {
    number.abs().to_string().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::page_of_rows;
    use crate::scan::Scan;

    fn quantity(rows: &[&str]) -> Decimal {
        let mut scan = Scan::new();
        scan.add(&page_of_rows(rows));
        scan.finish();
        scan.mentions[0].found.number().unwrap()
    }

    #[test]
    fn a_product_tells_what_a_separator_means() {
        let decimal = quantity(&["38.879 Anteile", "Kurs 17,49 EUR", "Betrag 679,99 EUR"]);
        assert_eq!(decimal.to_string(), "38.879");
        let thousands = quantity(&["2.065 Anteile", "Kurs 2,020901 EUR", "Betrag 4.173,16 EUR"]);
        assert_eq!(thousands.to_string(), "2065");
    }

    #[test]
    fn without_a_product_the_other_numbers_of_the_document_decide() {
        let grouped = quantity(&["38.879 Anteile", "Betrag 12,00 EUR"]);
        assert_eq!(grouped.to_string(), "38879");
    }
}
