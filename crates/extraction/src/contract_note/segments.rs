//! The rows of each trade. A document with several securities has a trade for each.

use std::collections::BTreeMap;
use std::ops::Range;

use domain::FieldKind;

use crate::candidates::Value;
use crate::scan::Scan;

/// The most trades of a document.
const MAX_TRADES: usize = 500;

/// The rows of one trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub rows: Range<usize>,
    /// The security, when the document has several.
    pub isin: Option<String>,
}

/// Divides a document into trades.
///
/// When several ISINs are named, the first row that has the same words before each of them begins a trade. Without such a
/// row the document is one trade: a note may name other securities, such as the one that a right belongs to.
pub fn segments(scan: &Scan) -> Vec<Segment> {
    let end = scan.rows.last().map_or(0, |row| row.number + 1);
    let whole = vec![Segment { rows: 0..end, isin: None }];
    let isins = first_rows(scan);
    if isins.len() < 2 {
        return whole;
    }
    let Some(starts) = starts(scan, &isins) else { return whole };
    let ends = starts.iter().skip(1).copied().chain([end]);
    let segments: Vec<Segment> = starts
        .iter()
        .zip(ends)
        .zip(&isins)
        .map(|((start, end), (_, isin))| Segment { rows: *start..end, isin: Some(isin.clone()) })
        .collect();
    if segments.iter().all(|segment| has_amounts(scan, segment)) { segments } else { whole }
}

/// The row in which each ISIN is named first.
fn first_rows(scan: &Scan) -> Vec<(usize, String)> {
    let mut rows: Vec<(usize, String)> = Vec::new();
    for mention in &scan.mentions {
        if mention.found.kind == FieldKind::Isin
            && let Value::Code(isin) = &mention.found.value
            && !rows.iter().any(|(_, known)| known == isin)
            && rows.len() < MAX_TRADES
        {
            rows.push((mention.row, isin.clone()));
        }
    }
    rows
}

/// The first row of each trade: the earliest row before each ISIN whose first word occurs once before every ISIN.
fn starts(scan: &Scan, isins: &[(usize, String)]) -> Option<Vec<usize>> {
    let mut from = 0;
    let mut common: Option<BTreeMap<String, Vec<usize>>> = None;
    for (row, _) in isins {
        let mut firsts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for text in scan.rows.iter().filter(|text| (from..=*row).contains(&text.number)) {
            if let Some(first) = text.words.first() {
                firsts.entry(first.clone()).or_default().push(text.number);
            }
        }
        firsts.retain(|_, rows| rows.len() == 1);
        common = Some(match common {
            None => firsts,
            Some(mut known) => {
                known.retain(|word, rows| match firsts.get(word) {
                    Some(more) => {
                        rows.extend(more);
                        true
                    }
                    None => false,
                });
                known
            }
        });
        from = row + 1;
    }
    let mut candidates: Vec<Vec<usize>> = common?.into_values().collect();
    // The distance to the ISIN is about the same in each trade; a word of the letterhead is not a beginning.
    candidates.sort_by_key(|rows| rows[1]);
    candidates.into_iter().next()
}

/// A trade has at least two amounts.
fn has_amounts(scan: &Scan, segment: &Segment) -> bool {
    let amounts = scan.mentions.iter().filter(|mention| {
        segment.rows.contains(&mention.row)
            && mention.found.fits(FieldKind::Money)
            && mention.found.decimals >= 2
    });
    amounts.take(2).count() == 2
}
