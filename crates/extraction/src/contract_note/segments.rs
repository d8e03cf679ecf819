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

/// The first row of each trade: the earliest row whose first word also begins a row before every other ISIN. Before the
/// second ISIN the last such row counts, because the words of the letterhead may be in a footer too.
fn starts(scan: &Scan, isins: &[(usize, String)]) -> Option<Vec<usize>> {
    let mut from = 0;
    let mut common: Option<BTreeMap<&str, Vec<usize>>> = None;
    for (row, _) in isins {
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        for text in scan.rows.iter().filter(|text| (from..=*row).contains(&text.number)) {
            if let Some(first) = text.words.first() {
                last.insert(first, text.number);
            }
        }
        common = Some(match common {
            None => last.into_iter().map(|(word, row)| (word, vec![row])).collect(),
            Some(mut known) => {
                known.retain(|word, rows| {
                    rows.extend(last.get(word));
                    last.contains_key(word)
                });
                known
            }
        });
        from = row + 1;
    }
    common?.into_values().min_by_key(|rows| rows[1])
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::page_of_rows;

    fn segments_of(rows: &[&str]) -> Vec<Segment> {
        let mut scan = Scan::new();
        scan.add(&page_of_rows(rows));
        scan.finish();
        segments(&scan)
    }

    #[test]
    fn each_security_is_a_trade() {
        let found = segments_of(&[
            "Musterbank AG",
            "Auftrag Kauf",
            "ISIN DE0005190003",
            "Kurswert EUR 10,00",
            "Betrag EUR 11,00",
            "Auftrag Verkauf",
            "ISIN US0378331005",
            "Kurswert EUR 20,00",
            "Betrag EUR 19,00",
        ]);
        let rows: Vec<_> = found.iter().map(|segment| segment.rows.clone()).collect();
        assert_eq!(rows, [1..5, 5..9]);
        assert_eq!(found[1].isin.as_deref(), Some("US0378331005"));
    }

    #[test]
    fn a_second_security_without_amounts_is_no_trade() {
        let found = segments_of(&[
            "Kauf",
            "ISIN DE0005190003",
            "Kurswert EUR 10,00",
            "Betrag EUR 11,00",
            "Bezugsrecht ISIN US0378331005",
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].isin, None);
    }
}
