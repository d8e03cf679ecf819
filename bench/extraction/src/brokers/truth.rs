//! The expected values of contract notes, from the test assertions of the project that collected them.
//!
//! - `purchase`, `sale` and `dividend` are trades; other items (deposits, refunds that the project books apart) are not.
//! - The date of a dividend is its payment date, as in the field `trade_date`.
//! - All amounts are in the currency of settlement. The project computes `grossValue` from the others when the page gives
//!   it in another currency only.
//! - Of a bond the project counts a hundredth of the nominal amount as `shares`. The page says the nominal amount, so that
//!   amount is right too.

use std::fs;
use std::path::Path;

use anyhow::Context;
use rust_decimal::Decimal;
use serde_json::Value;

pub(crate) const FIELDS: [&str; 9] = [
    "isin",
    "side",
    "trade_date",
    "quantity",
    "net_amount",
    "gross_amount",
    "fees",
    "taxes",
    "wkn",
];
pub(crate) const MAIN: [&str; 5] = ["isin", "side", "trade_date", "quantity", "net_amount"];

/// An expected trade.
#[derive(Clone, Debug)]
pub(crate) struct Trade {
    pub(crate) side: &'static str,
    pub(crate) isin: Option<String>,
    pub(crate) wkn: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) quantity: Option<Decimal>,
    pub(crate) net_amount: Option<Decimal>,
    pub(crate) gross_amount: Option<Decimal>,
    /// The gross amount in the currency of the security.
    pub(crate) foreign_gross: Option<Decimal>,
    pub(crate) fees: Option<Decimal>,
    pub(crate) taxes: Option<Decimal>,
    pub(crate) currency: Option<String>,
    pub(crate) note: String,
}

impl Trade {
    fn number(&self, field: &str) -> Option<Decimal> {
        match field {
            "quantity" => self.quantity,
            "net_amount" => self.net_amount,
            "gross_amount" => self.gross_amount,
            "fees" => self.fees,
            "taxes" => self.taxes,
            _ => None,
        }
    }

    fn text(&self, field: &str) -> Option<&str> {
        match field {
            "isin" => self.isin.as_deref(),
            "wkn" => self.wkn.as_deref(),
            "trade_date" => self.date.as_deref(),
            "side" => Some(self.side),
            _ => None,
        }
    }

    pub(crate) fn expected(&self, field: &str) -> String {
        self.number(field)
            .map(|number| number.to_string())
            .or_else(|| self.text(field).map(str::to_owned))
            .unwrap_or_default()
    }

    /// Whether a found value is right. `None` when the expected value is not known.
    pub(crate) fn is_right(&self, field: &str, found: Option<&str>) -> Option<bool> {
        if let Some(expected) = self.number(field) {
            let found = found.and_then(|found| found.parse::<Decimal>().ok());
            return Some(found.is_some_and(|found| is_equal(field, expected, found)));
        }
        let expected = self.text(field)?;
        Some(found == Some(expected))
    }
}

pub(crate) fn is_equal(field: &str, expected: Decimal, found: Decimal) -> bool {
    let found = found.abs();
    if field == "quantity" {
        return (expected - found).abs() < Decimal::new(1, 6)
            || expected * Decimal::ONE_HUNDRED == found;
    }
    (expected - found).abs() < Decimal::new(1, 2)
}

pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Trade>> {
    let json: Value = serde_json::from_slice(
        &fs::read(path).with_context(|| format!("{} is missing", path.display()))?,
    )?;
    let items = json["items"].as_array().context("the expected values have no items")?;
    let securities: Vec<&Value> = items.iter().filter(|item| item["kind"] == "security").collect();
    let trades: Vec<&Value> = items.iter().filter(|item| side(item).is_some()).collect();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut read = Vec::new();
    for (at, item) in trades.iter().enumerate() {
        let security = securities.get(if securities.len() == trades.len() { at } else { 0 });
        let security = security.copied().unwrap_or(&Value::Null);
        let money = |name: &str| item[name]["value"].as_f64().and_then(decimal);
        read.push(Trade {
            side: side(item).unwrap_or_default(),
            isin: text(&security["isin"]),
            wkn: text(&security["wkn"]),
            date: item["date"].as_str().map(|date| date.chars().take(10).collect()),
            quantity: item["shares"].as_f64().and_then(decimal),
            net_amount: money("amount"),
            gross_amount: money("grossValue"),
            foreign_gross: money("forexGrossValue"),
            fees: money("fees"),
            taxes: money("taxes"),
            currency: text(&item["amount"]["currency"]),
            note: text(&item["note"]).unwrap_or_default(),
        });
    }
    Ok(read)
}

fn side(item: &Value) -> Option<&'static str> {
    match item["kind"].as_str()? {
        "purchase" => Some("buy"),
        "sale" => Some("sell"),
        "dividend" => Some("dividend"),
        _ => None,
    }
}

fn decimal(number: f64) -> Option<Decimal> {
    number.to_string().parse().ok()
}
