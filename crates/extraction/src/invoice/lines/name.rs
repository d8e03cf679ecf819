//! The name of a line item: the text of its column in the amount row, and the rows below that continue it.

use pages::Area;

use super::{Cell, Data};
use crate::invoice::columns::{Column, Header};
use crate::rows::{Row, Token, around, text_of};

/// The most rows over which a name continues.
const MAX_NAME_ROWS: usize = 12;

/// The rows of an item among the rows of its table.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemRows {
    /// The row after the amount row of the item above.
    pub(super) first: usize,
    pub(super) amounts: usize,
    /// The amount row of the item below.
    pub(super) end: usize,
}

/// The name of an item.
pub(super) fn name(data: &[Data<'_>], rows: ItemRows, header: &Header) -> Option<Cell<String>> {
    let page = data[rows.amounts].row.page;
    let amounts_area = data[rows.amounts].row.area;
    // A name that is centred beside its amounts begins above them.
    let first = (rows.first..rows.amounts)
        .rev()
        .take_while(|at| {
            data[*at].row.page == page && data[*at].row.area.bottom > amounts_area.top + 0.5
        })
        .last()
        .unwrap_or(rows.amounts);
    let runs: Vec<(usize, &[Token])> = (first..rows.end)
        .take(MAX_NAME_ROWS + header.name_depth)
        .filter(|at| data[*at].row.page == page && (header.name_depth == 0 || *at > rows.amounts))
        .filter_map(|at| {
            let run = data[at].name.first()?;
            Some((at, if at == rows.amounts { *run } else { flowing(data[at].row, run) }))
        })
        .collect();
    let (start, mut last) = runs.first().copied()?;
    if start > rows.amounts
        && header.name_depth == 0
        && data[start].row.area.top - amounts_area.bottom > amounts_area.height()
    {
        return None;
    }
    // Text beside the amounts ends where their columns begin. Below them it may be as wide as the widest row of its block.
    let limit = column_right(data, header);
    let widest = block(&runs)
        .filter(|(at, _)| *at > rows.amounts)
        .map(|(_, run)| around(run).right)
        .fold(limit, f32::max);
    let mut above = start;
    let mut tokens: Vec<&[Token]> = vec![last];
    for (at, run) in &runs[1..] {
        if !continues(last, run, if above > rows.amounts { widest } else { limit }) {
            break;
        }
        tokens.push(run);
        (above, last) = (*at, run);
    }
    if header.name_has_description
        && let Some(at) = tokens[0].iter().position(is_dash).filter(|at| *at > 0)
    {
        tokens = vec![&tokens[0][..at]];
    }
    let text = tokens.iter().map(|run| text_of(run)).collect::<Vec<_>>().join(" ");
    let area = tokens.iter().map(|run| around(run)).reduce(|all, area| all.around(&area))?;
    let value = text.trim_matches([':', ' ', ';', ',']).to_owned();
    (!value.is_empty()).then_some(Cell {
        value,
        raw: text,
        area,
        page,
        currency: None,
        is_derived: false,
    })
}

/// The first rows that are aligned and close to each other.
fn block<'r, 't>(
    runs: &'r [(usize, &'t [Token])],
) -> impl Iterator<Item = &'r (usize, &'t [Token])> {
    let mut above = None;
    runs.iter().take_while(move |(_, run)| {
        let area = around(run);
        let follows = above.is_none_or(|above| is_below(&above, &area));
        above = Some(area);
        follows
    })
}

/// Whether a row is aligned with the row above it, and close to it.
fn is_below(above: &Area, row: &Area) -> bool {
    let height = above.height().max(1.0);
    (above.left - row.left).abs() < 0.4 * height && row.top - above.bottom < 0.5 * height
}

/// A dash between a name and its description.
fn is_dash(token: &Token) -> bool {
    matches!(token.text.as_str(), "-" | "–" | "—")
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
    is_below(&first, &second) && !is_label && !is_bullet && needs >= limit - 0.5
}
