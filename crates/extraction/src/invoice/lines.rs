//! Line items: from the header of the table down to the totals.
//!
//! An *anchor* is a row with the amounts of an item. The rows until the next anchor belong to it; those that continue its
//! name are added to the name.

use pages::Area;
use rust_decimal::Decimal;

use super::columns::{Column, ColumnLabels, Header, header_at};
use crate::labels::Labels;
use crate::numbers::{Number, Separator, numbers};
use crate::rows::{Row, Rows, Token, around, text_of};

/// More items are ignored: the work stays bounded.
const MAX_ITEMS: usize = 2_000;
/// The most rows over which a name continues.
const MAX_NAME_ROWS: usize = 12;

/// A value with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell<T> {
    pub(crate) value: T,
    pub(crate) raw: String,
    pub(crate) area: Area,
    pub(crate) page: u32,
    pub(crate) currency: Option<&'static str>,
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
        let Some(product) = quantity.value.checked_mul(price.value) else { return false };
        (product - total.value).abs() <= Decimal::new(1, 2)
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
    let anchors: Vec<usize> = (0..data.len()).filter(|at| is_anchor(&data, *at, header)).collect();
    for (index, anchor) in anchors.iter().enumerate() {
        let next = anchors.get(index + 1).copied().unwrap_or(data.len());
        let before = index.checked_sub(1).map_or(0, |previous| anchors[previous] + 1);
        items.push(item(&data, before, *anchor, next, header));
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
fn is_anchor(data: &[Data<'_>], at: usize, header: &Header) -> bool {
    let row = &data[at];
    let has = |column: Column| header.places.iter().any(|place| place.column == column);
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
        (Some(_), Some(_), Some(_)) => true,
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

fn item(data: &[Data<'_>], before: usize, anchor: usize, next: usize, header: &Header) -> Item {
    let row = &data[anchor];
    let cell = |column: Column| {
        let own = number(row, column).map(|number| (row.row, number));
        let near = || {
            if column != Column::LineTotal {
                return None;
            }
            [anchor + 1, anchor.wrapping_sub(1)].iter().find_map(|at| {
                let other = data.get(*at)?;
                let gap = (other.row.area.top - row.row.area.bottom)
                    .max(row.row.area.top - other.row.area.bottom);
                let close =
                    gap < 0.6 * row.row.height() && number(other, Column::Quantity).is_none();
                close.then(|| number(other, column).map(|number| (other.row, number))).flatten()
            })
        };
        let (row, number) = own.or_else(near)?;
        let tokens = &row.tokens[number.tokens.clone()];
        Some(Cell {
            value: number.value,
            raw: text_of(tokens),
            area: around(tokens),
            page: row.page,
            currency: number.currency,
        })
    };
    Item {
        name: name(data, before, anchor, next, header),
        quantity: cell(Column::Quantity),
        unit_price: cell(Column::UnitPrice),
        line_total: cell(Column::LineTotal),
    }
}

/// The name of an item: the text of its column in the anchor's row and the rows that continue it.
fn name(
    data: &[Data<'_>],
    before: usize,
    anchor: usize,
    next: usize,
    header: &Header,
) -> Option<Cell<String>> {
    let page = data[anchor].row.page;
    let anchor_area = data[anchor].row.area;
    // A name that is centred beside its amounts begins above them.
    let first = (before..anchor)
        .rev()
        .take_while(|at| {
            data[*at].row.page == page && data[*at].row.area.bottom > anchor_area.top + 0.5
        })
        .last()
        .unwrap_or(anchor);
    let rows: Vec<(usize, &[Token])> = (first..next)
        .take(MAX_NAME_ROWS + header.name_depth)
        .filter(|at| data[*at].row.page == page && (header.name_depth == 0 || *at > anchor))
        .filter_map(|at| {
            data[at]
                .name
                .first()
                .map(|run| (at, if at == anchor { *run } else { flowing(data[at].row, run) }))
        })
        .collect();
    let (start, mut last) = rows.first().copied()?;
    if start > anchor
        && header.name_depth == 0
        && data[start].row.area.top - anchor_area.bottom > anchor_area.height()
    {
        return None;
    }
    let limit = column_right(data, header);
    let mut tokens: Vec<&[Token]> = vec![last];
    // The rest of the first row, when the name flows into the next column.
    for (_, run) in &rows[1..] {
        if !continues(last, run, limit) {
            break;
        }
        tokens.push(run);
        last = run;
    }
    let text = tokens.iter().map(|run| text_of(run)).collect::<Vec<_>>().join(" ");
    let area = tokens.iter().map(|run| around(run)).reduce(|all, area| all.around(&area))?;
    let value = text.trim_matches([':', ' ', ';', ',']).to_owned();
    (!value.is_empty()).then_some(Cell { value, raw: text, area, page, currency: None })
}

/// Below its amounts a name may flow into the columns beside it.
fn flowing<'a>(row: &'a Row, run: &[Token]) -> &'a [Token] {
    let left = around(run).left;
    let start = row.tokens.iter().position(|token| token.area.left >= left - 0.1).unwrap_or(0);
    let mut end = start + 1;
    while let Some(next) = row.tokens.get(end) {
        let last = &row.tokens[end - 1];
        if next.area.left - last.area.right > 0.9 * last.area.height().max(1.0) {
            break;
        }
        end += 1;
    }
    &row.tokens[start..end]
}

/// How far names reach to the right.
fn column_right(data: &[Data<'_>], header: &Header) -> f32 {
    let next = header
        .places
        .iter()
        .skip_while(|place| place.column != Column::Name)
        .skip(1)
        .map(|place| place.area.left)
        .next()
        .unwrap_or(f32::MAX);
    let own = header
        .places
        .iter()
        .find(|place| place.column == Column::Name)
        .map_or(0.0, |place| place.area.right);
    let widest = data
        .iter()
        .filter_map(|data| data.name.first())
        .map(|run| around(run).right)
        .filter(|right| *right < next)
        .fold(own, f32::max);
    widest.min(next)
}

/// Whether a row of text is the continuation of the row above it: aligned, close, no label, and the row above has no room
/// for its first word.
fn continues(above: &[Token], run: &[Token], limit: f32) -> bool {
    let (first, second) = (around(above), around(run));
    let height = first.height().max(1.0);
    let aligned = (first.left - second.left).abs() < 0.4 * height;
    let gap = second.top - first.bottom;
    let label = run.iter().position(|token| token.text.ends_with(':'));
    let is_date = |token: &Token| {
        token.key.len() >= 6
            && token.key.chars().all(|char| char.is_ascii_digit())
            && token.text.len() > token.key.len() + 1
    };
    let is_label = label.is_some_and(|at| at <= 2 && run[0].text.starts_with(char::is_alphabetic))
        || run[0].key.ends_with("nr")
        || run.iter().any(is_date);
    let is_bullet = run[0].key.is_empty() && run[0].text != "-" && run[0].text != "&";
    let Some(word) = run.first() else { return false };
    #[expect(clippy::cast_precision_loss, reason = "names are short")]
    let characters =
        above.iter().map(|token| token.text.chars().count() + 1).sum::<usize>().max(2) as f32 - 1.0;
    let character = first.width() / characters;
    let needs = first.right + word.area.width() + 2.0 * character;
    aligned && gap < 0.5 * height && !is_label && !is_bullet && needs >= limit - 0.5
}
