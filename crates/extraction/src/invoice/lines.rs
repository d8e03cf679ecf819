//! Line items: from the header of the table down to the totals.
//!
//! An *amount row* is a row with the amounts of an item. The rows until the next amount row belong to it; those that
//! continue its name are added to the name ([`name`]). Amounts that are not printed follow from the others ([`missing`]).

mod missing;
mod name;

use pages::Area;
use rust_decimal::Decimal;

use super::columns::{Column, ColumnLabels, Header, header_at};
use crate::labels::Labels;
use crate::numbers::{Number, Separator, numbers, parse};
use crate::rows::{Row, Rows, Token, around, text_of};
use missing::is_product;
use name::ItemRows;

/// More items are ignored: the work stays bounded.
const MAX_ITEMS: usize = 2_000;
/// Rows with these words repeat a sum at the end or the beginning of a page. Compared without spaces and accents.
const CARRIED: [&str; 13] = [
    "ubertrag",
    "zwischensumme",
    "carriedforward",
    "broughtforward",
    "carryforward",
    "areporter",
    "report",
    "soustotal",
    "riporto",
    "ariportare",
    "sumaysigue",
    "sumaanterior",
    "tussentotaal",
];

/// A value with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell<T> {
    pub(crate) value: T,
    pub(crate) raw: String,
    pub(crate) area: Area,
    pub(crate) page: u32,
    pub(crate) currency: Option<&'static str>,
    /// It follows from other values: nothing on the page says it.
    pub(crate) is_derived: bool,
}

impl<T> Cell<T> {
    /// A value that follows from other cells of its row.
    fn derived<U>(value: T, from: &Cell<U>) -> Self {
        let (raw, area, page) = (String::new(), from.area, from.page);
        Self { value, raw, area, page, currency: from.currency, is_derived: true }
    }
}

/// A line item.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub(crate) name: Option<Cell<String>>,
    pub(crate) quantity: Option<Cell<Decimal>>,
    pub(crate) unit_price: Option<Cell<Decimal>>,
    pub(crate) line_total: Option<Cell<Decimal>>,
}

impl Item {
    /// Whether quantity × unit price = total.
    pub(crate) fn multiplies(&self) -> bool {
        let (Some(quantity), Some(price), Some(total)) =
            (&self.quantity, &self.unit_price, &self.line_total)
        else {
            return false;
        };
        is_product(quantity.value, price.value, total.value)
    }
}

/// A row below a header, with its numbers by column.
struct Data<'a> {
    row: &'a Row,
    numbers: Vec<(Column, Number)>,
    /// Text that is in the column of the name.
    name: Vec<&'a [Token]>,
}

pub(crate) struct LineLabels {
    pub(crate) columns: ColumnLabels,
    /// The labels of all totals.
    pub(crate) totals: Labels,
}

pub(crate) fn items(rows: &Rows, labels: &LineLabels, separator: Separator) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < rows.list.len() && items.len() < MAX_ITEMS {
        let Some(header) = header_at(&rows.list, at, &labels.columns) else {
            at += 1;
            continue;
        };
        let (found, end) = table(&rows.list, &header, labels, separator);
        items.extend(found);
        at = end.max(header.rows.end);
    }
    items.truncate(MAX_ITEMS);
    items
}

/// The items below a header, and the row after the table.
fn table(
    rows: &[Row],
    header: &Header,
    labels: &LineLabels,
    separator: Separator,
) -> (Vec<Item>, usize) {
    let mut items: Vec<Item> = Vec::new();
    let mut data: Vec<Data<'_>> = Vec::new();
    let mut after_totals = false;
    let mut at = header.rows.end;
    while at < rows.len() && data.len() < 20_000 {
        let row = &rows[at];
        let last_page = data.last().map_or(rows[header.rows.start].page, |last| last.row.page);
        if row.page > last_page + 1 {
            break;
        }
        if header_at(rows, at, &labels.columns).is_some() || is_section(row, header) {
            break;
        }
        let read = assign(row, header, separator);
        if number(&read, Column::Quantity).is_none() && is_carried(row) {
            at += 1;
            continue;
        }
        let is_total = is_total(row, &read, labels);
        after_totals |= is_total;
        let complete = [Column::Quantity, Column::UnitPrice, Column::LineTotal]
            .iter()
            .all(|column| number(&read, *column).is_some());
        if !is_total && (!after_totals || complete) {
            data.push(read);
        }
        at += 1;
    }
    if !header.has(Column::Quantity) {
        missing::positions_are_quantities(&mut data);
    }
    let found: Vec<usize> =
        (0..data.len()).filter(|at| is_amount_row(&data, *at, header)).collect();
    for (index, amounts) in found.iter().enumerate() {
        let rows = ItemRows {
            first: index.checked_sub(1).map_or(0, |previous| found[previous] + 1),
            amounts: *amounts,
            end: found.get(index + 1).copied().unwrap_or(data.len()),
        };
        items.push(item(&data, rows, header, separator));
    }
    (items, at)
}

fn number<'a>(data: &'a Data<'_>, column: Column) -> Option<&'a Number> {
    data.numbers.iter().find(|(found, _)| *found == column).map(|(_, number)| number)
}

/// The numbers and texts of a row by column.
fn assign<'a>(row: &'a Row, header: &Header, separator: Separator) -> Data<'a> {
    let height = row.height();
    let mut found = Vec::new();
    let mut taken = vec![false; row.tokens.len()];
    for number in numbers(&row.tokens, separator) {
        let area = around(&row.tokens[number.tokens.clone()]);
        let Some(column) = column_of_number(header, &area, &number) else { continue };
        if column == Column::Name {
            continue;
        }
        taken[number.tokens.clone()].fill(true);
        found.push((column, number));
    }
    if found.iter().all(|(column, _)| *column != Column::Quantity) {
        let attached = row.tokens.iter().enumerate().find_map(|(at, token)| {
            let number = quantity_with_unit(&token.text, separator)?;
            let number = Number { tokens: at..at + 1, ..number };
            (column_of_number(header, &token.area, &number) == Some(Column::Quantity))
                .then_some(number)
        });
        if let Some(number) = attached {
            taken[number.tokens.clone()].fill(true);
            found.push((Column::Quantity, number));
        }
    }
    // Runs of text between the numbers and wide gaps. A number of an article may touch the name: it ends where the column
    // of the name begins.
    let left = header
        .places
        .iter()
        .find(|place| place.column == Column::Name)
        .map(|place| place.area.left);
    let begins_name =
        |token: &Token| left.is_some_and(|left| (token.area.left - left).abs() < 0.2 * height);
    let mut name = Vec::new();
    let mut add = |run: &'a [Token]| {
        let has_text = run.iter().any(|token| !token.key.is_empty());
        if has_text && is_in_name(header, around(run).left, height) {
            name.push(run);
        }
    };
    for range in row.ranges() {
        let mut start = range.start;
        for at in range.clone() {
            if taken[at] {
                add(&row.tokens[start..at]);
                start = at + 1;
            } else if at > start && begins_name(&row.tokens[at]) {
                add(&row.tokens[start..at]);
                start = at;
            }
        }
        add(&row.tokens[start..range.end]);
    }
    Data { row, numbers: found, name }
}

/// A number with a unit that touches it: `10Stk.`, `2x`, `3,5h`.
fn quantity_with_unit(text: &str, separator: Separator) -> Option<Number> {
    let digits = text.trim_end_matches(|char: char| char.is_alphabetic() || char == '.');
    let unit = text.get(digits.len()..)?.trim_end_matches('.');
    let is_unit = (1..=5).contains(&unit.chars().count()) && !unit.starts_with('.');
    is_unit.then(|| parse(digits, separator)).flatten().filter(|number| number.currency.is_none())
}

fn column_of_number(header: &Header, area: &Area, number: &Number) -> Option<Column> {
    let cost = |place: &Area| {
        let apart = (place.left - area.right).max(area.left - place.right).max(0.0);
        let edges = (place.left - area.left).abs().min((place.right - area.right).abs());
        apart + 0.01 * edges
    };
    header
        .places
        .iter()
        .filter(|place| {
            !number.is_percent
                || matches!(place.column, Column::Tax | Column::Discount | Column::Name)
        })
        .min_by(|a, b| cost(&a.area).total_cmp(&cost(&b.area)))
        .filter(|place| place.column == Column::Name || cost(&place.area) < 60.0)
        .map(|place| place.column)
}

fn is_in_name(header: &Header, left: f32, height: f32) -> bool {
    let distance = |area: &Area| (area.left - left).max(left - area.right).max(0.0);
    let name = header
        .places
        .iter()
        .filter(|place| place.column == Column::Name)
        .map(|place| distance(&place.area))
        .min_by(f32::total_cmp);
    let other = header
        .places
        .iter()
        .filter(|place| place.column != Column::Name)
        .map(|place| distance(&place.area))
        .min_by(f32::total_cmp);
    match (name, other) {
        (Some(name), Some(other)) => name <= height || name < other,
        (Some(_), None) => true,
        // No column has the name's header: text left of the amounts is the name.
        (None, Some(other)) => other > 0.0,
        (None, None) => false,
    }
}

/// A row that ends the items: a label of a total with an amount, and no quantity and price.
fn is_total(row: &Row, data: &Data<'_>, labels: &LineLabels) -> bool {
    let complete =
        number(data, Column::Quantity).is_some() && number(data, Column::UnitPrice).is_some();
    let has_number =
        row.tokens.iter().any(|token| token.text.chars().any(|char| char.is_ascii_digit()));
    if complete || !has_number {
        return false;
    }
    row.ranges().into_iter().any(|range| {
        let tokens = &row.tokens[range];
        labels.totals.find(tokens).is_some_and(|found| found.exact && found.tokens.start <= 1)
    })
}

/// A row that repeats a sum from another page.
fn is_carried(row: &Row) -> bool {
    let mut words = String::new();
    for token in &row.tokens {
        words.extend(token.key.chars().filter(|char| char.is_alphabetic()));
        if words.len() > 40 {
            return false;
        }
    }
    CARRIED.iter().filter_map(|word| words.strip_prefix(word)).any(|rest| {
        matches!(rest, "" | "eur" | "euro" | "usd" | "gbp" | "chf")
            || ["seite", "von", "page"].iter().any(|word| rest.starts_with(word))
    })
}

/// The heading of another section, at the left of the table.
fn is_section(row: &Row, header: &Header) -> bool {
    const BEGINNINGS: [&str; 22] = [
        "zahlungsb",
        "zahlungsart",
        "steuerauf",
        "umsatzsteuerauf",
        "belegsumme",
        "zuundabschlag",
        "bankverb",
        "payment",
        "conditions",
        "reglement",
        "modalites",
        "pagament",
        "condizioni",
        "riepilogo",
        "pago",
        "condiciones",
        "betaling",
        "taxsummary",
        "vatsummary",
        "detailtva",
        "rechnungsrabatt",
        "steuerubersicht",
    ];
    let ranges = row.ranges();
    let left = header.places.first().map_or(0.0, |place| place.area.left);
    let [range] = ranges.as_slice() else { return false };
    let tokens = &row.tokens[range.clone()];
    if tokens.len() > 4 || row.area.left > left + 8.0 {
        return false;
    }
    let joined: String = tokens.iter().map(|token| token.key.as_str()).collect();
    if joined.chars().any(|char| char.is_ascii_digit()) {
        return false;
    }
    let colon = tokens.last().is_some_and(|token| token.text.ends_with(':'));
    let is_first_column_name =
        header.places.first().is_some_and(|place| place.column == Column::Name);
    BEGINNINGS.iter().any(|beginning| joined.starts_with(beginning))
        || colon && !is_first_column_name
}

/// A row with the amounts of an item.
fn is_amount_row(data: &[Data<'_>], at: usize, header: &Header) -> bool {
    let row = &data[at];
    let has = |column: Column| header.has(column);
    let quantity = number(row, Column::Quantity);
    let price = number(row, Column::UnitPrice);
    let total = number(row, Column::LineTotal);
    let has_letters =
        |run: &&[Token]| run.iter().any(|token| token.key.chars().any(char::is_alphabetic));
    let is_named = row.name.iter().any(has_letters);
    // The total may be one row further down.
    let total_is_near = || {
        [at.wrapping_sub(1), at + 1].iter().any(|other| {
            data.get(*other).is_some_and(|other| {
                let gap = (other.row.area.top - row.row.area.bottom)
                    .max(row.row.area.top - other.row.area.bottom);
                number(other, Column::LineTotal).is_some()
                    && number(other, Column::Quantity).is_none()
                    && number(other, Column::UnitPrice).is_none()
                    && gap < 0.6 * row.row.height()
            })
        })
    };
    match (quantity, price, total) {
        (Some(quantity), Some(price), Some(total)) => {
            total.looks_like_money() || is_product(quantity.value, price.value, total.value)
        }
        (Some(_), Some(_), None) => !has(Column::LineTotal) || total_is_near(),
        (Some(_), None, None) => is_named && total_is_near(),
        (Some(_), None, Some(total)) | (None, Some(_), Some(total)) => {
            total.looks_like_money() && (is_named || !has(Column::Name))
        }
        (None, None, Some(total)) => {
            !has(Column::Quantity)
                && !has(Column::UnitPrice)
                && total.looks_like_money()
                && is_named
        }
        _ => false,
    }
}

fn item(data: &[Data<'_>], rows: ItemRows, header: &Header, separator: Separator) -> Item {
    let row = &data[rows.amounts];
    let own = |column: Column| number(row, column).map(|number| cell(row.row, number));
    // The total may be one row further down or up.
    let near = || {
        [rows.amounts + 1, rows.amounts.wrapping_sub(1)].iter().find_map(|at| {
            let other = data.get(*at)?;
            let gap = (other.row.area.top - row.row.area.bottom)
                .max(row.row.area.top - other.row.area.bottom);
            let close = gap < 0.6 * row.row.height() && number(other, Column::Quantity).is_none();
            let total = number(other, Column::LineTotal).filter(|_| close)?;
            Some(cell(other.row, total))
        })
    };
    let mut item = Item {
        name: name::name(data, rows, header),
        quantity: own(Column::Quantity),
        unit_price: own(Column::UnitPrice),
        line_total: own(Column::LineTotal).or_else(near),
    };
    missing::complete(&mut item, data, rows, separator);
    item
}

fn cell(row: &Row, number: &Number) -> Cell<Decimal> {
    let tokens = &row.tokens[number.tokens.clone()];
    Cell {
        value: number.value,
        raw: text_of(tokens),
        area: around(tokens),
        page: row.page,
        currency: number.currency,
        is_derived: false,
    }
}
