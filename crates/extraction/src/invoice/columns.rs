//! The header of a table of line items: which column contains what.

use std::ops::Range;

use pages::Area;

use crate::labels::{Found, Labels};
use crate::numbers::{Number, Separator, numbers};
use crate::rows::{Row, Token, around};
use crate::types::DocumentType;

/// Headers of columns that are told apart from the wanted ones.
const OTHERS: [(Column, &[&str]); 5] = [
    (
        Column::Position,
        &[
            "Pos", "Position", "Pos.-Nr.", "Lfd. Nr.", "#", "Ligne", "Riga", "Item no", "Line",
            "Regel",
        ],
    ),
    (
        Column::Id,
        &[
            "Art-Nr",
            "Artikelnummer",
            "Artikelnr",
            "Artikel-Nr.",
            "Art.-Nr.",
            "Art-Nr-Kunde",
            "Art-Nr-Lief",
            "Art-Nr-Lieferant",
            "GTIN",
            "EAN",
            "SKU",
            "Item code",
            "Item #",
            "Product code",
            "Part no",
            "Code",
            "Code article",
            "Référence",
            "Réf",
            "Referenzen",
            "Codice",
            "Cod.",
            "Referencia",
            "Ref.",
            "Codigo",
            "Artikelcode",
            "Article no",
        ],
    ),
    (
        Column::Unit,
        &[
            "Einheit",
            "ME",
            "Unit",
            "UOM",
            "Units of measure",
            "Unité",
            "U.M.",
            "UM",
            "Unidad",
            "Eenheid",
            "VKE/Geb",
            "Preiseinheit",
            "PE",
        ],
    ),
    (
        Column::Discount,
        &[
            "Rabatt",
            "Rabatt %",
            "Nachlass",
            "Discount",
            "Disc.",
            "Disc.%",
            "Disc",
            "Remise",
            "Sconto",
            "Descuento",
            "Dto.",
            "Korting",
        ],
    ),
    (
        Column::Tax,
        &[
            "USt",
            "USt.",
            "USt %",
            "MwSt",
            "MwSt-%",
            "MwSt %",
            "MwSt-Satz",
            "Steuer",
            "Steuersatz",
            "Steuer %",
            "VAT",
            "VAT %",
            "VAT rate",
            "Tax",
            "Taxes",
            "Tax rate",
            "TVA",
            "% TVA",
            "Taux TVA",
            "IVA",
            "% IVA",
            "Aliquota",
            "BTW",
            "BTW %",
            "GST",
        ],
    ),
];

/// The most rows of a header.
const MAX_HEADER_ROWS: usize = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Position,
    Id,
    Name,
    Quantity,
    Unit,
    UnitPrice,
    Discount,
    Tax,
    LineTotal,
}

/// A column of the table.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) column: Column,
    pub(crate) area: Area,
    /// Amounts include tax.
    is_gross: bool,
}

/// The header of a table.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) rows: Range<usize>,
    pub(crate) places: Vec<Place>,
    /// In which row of the item the name is: 1 when the header has another label above the one of the name.
    pub(crate) name_depth: usize,
    /// The column of the name contains a description as well, after a dash: `Item & description`.
    pub(crate) name_has_description: bool,
}

impl Header {
    pub(crate) fn has(&self, column: Column) -> bool {
        self.places.iter().any(|place| place.column == column)
    }
}

pub(crate) struct ColumnLabels(Vec<(Column, Labels)>);

impl ColumnLabels {
    pub(crate) fn new(document_type: &DocumentType) -> Self {
        let wanted = [
            (Column::Name, "lines[].name"),
            (Column::Quantity, "lines[].quantity"),
            (Column::UnitPrice, "lines[].unit_price"),
            (Column::LineTotal, "lines[].line_total"),
        ];
        let wanted = wanted.map(|(column, field)| (column, Labels::of(document_type, field)));
        let others = OTHERS.map(|(column, labels)| (column, Labels::new(labels.iter().copied())));
        Self(wanted.into_iter().chain(others).collect())
    }

    /// The labels in the tokens of a cell, longer ones first, without overlaps.
    fn find(&self, tokens: &[Token]) -> Vec<(Column, Found)> {
        let mut found: Vec<(Column, Found)> = Vec::new();
        for (column, labels) in &self.0 {
            found.extend(
                labels
                    .find_all(tokens)
                    .into_iter()
                    .filter(|found| found.exact)
                    .map(|found| (*column, found)),
            );
        }
        found.sort_by_key(|(_, found)| std::cmp::Reverse(found.length));
        let mut kept: Vec<(Column, Found)> = Vec::new();
        for (column, candidate) in found {
            let apart = kept.iter().all(|(_, other)| {
                candidate.tokens.end <= other.tokens.start
                    || candidate.tokens.start >= other.tokens.end
            });
            if apart {
                kept.push((column, candidate));
            }
        }
        kept.sort_by_key(|(_, found)| found.tokens.start);
        kept
    }

    fn matches(&self, tokens: &[Token]) -> bool {
        self.0.iter().any(|(_, labels)| labels.find(tokens).is_some_and(|found| found.exact))
    }
}

/// The header that begins with the row at `start`.
pub(crate) fn header_at(rows: &[Row], start: usize, labels: &ColumnLabels) -> Option<Header> {
    let first = rows.get(start)?;
    if first.tokens.len() > 40 || !labels.matches(&first.tokens) {
        return None;
    }
    let end = band_end(rows, start);
    let mut header = read(rows, start..end, labels)?;
    // Rows at the end that name no column are data.
    while header.rows.len() > 1 {
        let Some(shorter) = read(rows, start..header.rows.end - 1, labels) else { break };
        if shorter.places.len() < header.places.len() || shorter.name_depth != header.name_depth {
            break;
        }
        let last = &rows[header.rows.end - 1];
        // A part of a header that continues below the others is short.
        if last.tokens.iter().any(|token| token.key.len() > 2)
            && last.tokens.len() <= 6
            && overlaps(last, &header)
        {
            break;
        }
        header = shorter;
    }
    Some(header)
}

fn overlaps(row: &Row, header: &Header) -> bool {
    row.tokens.iter().all(|token| {
        header.places.iter().any(|place| {
            token.area.left < place.area.right + 1.0 && token.area.right > place.area.left - 1.0
        })
    })
}

/// Rows without numbers that follow closely belong to the header as well.
fn band_end(rows: &[Row], start: usize) -> usize {
    let mut end = start + 1;
    let mut bottom = rows[start].area.bottom;
    while end < rows.len() && end - start < MAX_HEADER_ROWS {
        let row = &rows[end];
        let near = row.page == rows[start].page
            && row.area.top - bottom < 0.6 * row.height()
            && row.area.top - rows[start].area.top < 80.0;
        let has_digits =
            row.tokens.iter().any(|token| token.text.chars().any(|char| char.is_ascii_digit()));
        let is_prose = row.ranges().iter().any(|range| range.len() > 6);
        if !near || has_digits || is_prose {
            break;
        }
        bottom = bottom.max(row.area.bottom);
        end += 1;
    }
    end
}

fn read(rows: &[Row], range: Range<usize>, labels: &ColumnLabels) -> Option<Header> {
    let first = &rows[range.start];
    if !numbers(&first.tokens, Separator(None)).is_empty() && first.tokens.len() < 12 {
        let money = numbers(&first.tokens, Separator(None)).iter().any(Number::looks_like_money);
        if money {
            return None;
        }
    }
    // Segments that overlap horizontally are one cell.
    let mut cells: Vec<(Area, Vec<Token>)> = Vec::new();
    for row in &rows[range.clone()] {
        for segment in row.ranges() {
            let tokens = &row.tokens[segment];
            let area = around(tokens);
            let cell = cells.iter_mut().find(|(cell, _)| {
                let common = cell.right.min(area.right) - cell.left.max(area.left);
                common > 0.3 * cell.width().min(area.width()).max(1.0)
            });
            if let Some((cell, found)) = cell {
                *cell = cell.around(&area);
                found.extend(tokens.iter().cloned());
            } else {
                cells.push((area, tokens.to_vec()));
            }
        }
    }
    let mut places: Vec<Place> = Vec::new();
    let mut name_depth = 0;
    let mut name_has_description = false;
    for (area, tokens) in &cells {
        let found = labels.find(tokens);
        name_has_description |=
            found.iter().any(|(column, _)| *column == Column::Name) && names_both(tokens);
        let top = |found: &Found| tokens[found.tokens.start].area.top;
        let Some(highest) = found.iter().map(|(_, found)| top(found)).min_by(f32::total_cmp) else {
            continue;
        };
        let height = tokens[0].area.height().max(1.0);
        let in_first_row = |found: &Found| top(found) - highest < 0.6 * height;
        let name = found.iter().find(|(column, _)| *column == Column::Name);
        if let Some((_, name)) = name.filter(|(_, name)| !in_first_row(name)) {
            name_depth = usize::from(
                found.iter().any(|(column, found)| *column == Column::Id && in_first_row(found)),
            );
            places.push(place(Column::Name, tokens, name, *area));
            continue;
        }
        let top_row: Vec<&(Column, Found)> =
            found.iter().filter(|(_, found)| in_first_row(found)).collect();
        if let [(column, only)] = top_row.as_slice() {
            places.push(place(*column, tokens, only, *area));
        } else {
            for (column, found) in top_row {
                let own = around(&tokens[found.tokens.clone()]);
                places.push(place(*column, tokens, found, own));
            }
        }
    }
    places.sort_by(|a, b| a.area.left.total_cmp(&b.area.left));
    places.truncate(30);
    let has = |column: Column| places.iter().any(|place| place.column == column);
    let amounts = [Column::Quantity, Column::UnitPrice, Column::LineTotal]
        .into_iter()
        .filter(|column| has(*column))
        .count();
    let is_header = amounts >= 2 && places.len() >= 3
        || amounts >= 1 && has(Column::Name) && has(Column::LineTotal);
    if !is_header {
        return None;
    }
    quantity_by_place(&mut places);
    single(&mut places, Column::LineTotal);
    single(&mut places, Column::UnitPrice);
    Some(Header { rows: range, places, name_depth, name_has_description })
}

/// Whether a header names both a name and a description.
fn names_both(tokens: &[Token]) -> bool {
    const NAMES: [&str; 12] = [
        "nom", "name", "item", "article", "artikel", "produkt", "product", "produit", "nome",
        "articolo", "articulo", "nombre",
    ];
    const DESCRIPTIONS: [&str; 8] = [
        "designation",
        "description",
        "beschreibung",
        "bezeichnung",
        "descrizione",
        "descripcion",
        "omschrijving",
        "beschrijving",
    ];
    let has = |words: &[&str]| tokens.iter().any(|token| words.contains(&token.key.as_str()));
    has(&NAMES) && has(&DESCRIPTIONS)
}

fn place(column: Column, tokens: &[Token], found: &Found, area: Area) -> Place {
    let is_gross = tokens[found.tokens.start..].iter().any(|token| {
        matches!(
            token.key.as_str(),
            "brutto"
                | "ttc"
                | "gross"
                | "inkl"
                | "incl"
                | "bruttopreis"
                | "bruttobetrag"
                | "inclusief"
        )
    });
    Place { column, area, is_gross }
}

/// `Amount | Product | Price | Total`: an amount left of the price is the quantity when no other column is.
fn quantity_by_place(places: &mut [Place]) {
    let is = |place: &Place, column: Column| place.column == column;
    let price = places.iter().position(|place| is(place, Column::UnitPrice));
    let totals = places.iter().filter(|place| is(place, Column::LineTotal)).count();
    let Some(price) =
        price.filter(|_| totals > 1 && !places.iter().any(|place| is(place, Column::Quantity)))
    else {
        return;
    };
    if let Some(first) = places[..price].iter_mut().find(|place| is(place, Column::LineTotal)) {
        first.column = Column::Quantity;
    }
}

/// Of several columns of amounts, the net one counts; otherwise the last. The others are of no interest.
fn single(places: &mut [Place], column: Column) {
    let at: Vec<usize> = (0..places.len()).filter(|at| places[*at].column == column).collect();
    let keep = at.iter().rev().find(|at| !places[**at].is_gross).or(at.last()).copied();
    for other in at {
        if Some(other) != keep {
            places[other].column = Column::Discount;
        }
    }
}
