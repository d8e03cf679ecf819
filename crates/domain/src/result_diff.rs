//! How two results of a document differ, field by field.
//!
//! Trades and lines have no ids, so the first step is to find out which trade of one result is which trade of the other: a
//! line that was inserted must not make all later ones differ. [`aligned`] pairs them by the values that tell them
//! apart, and what is left by its place between its neighbours.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::string_enum::string_enum;
use crate::{Extraction, Field, FieldGroup, FieldStatus};

/// The difference between two results, field by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultDiff {
    /// Fields of the document by name; then the trades, then the lines, in the order of the second result.
    pub changes: Vec<FieldChange>,
    /// How many values are the same in both.
    pub unchanged: u32,
}

/// A field that has different values in two results.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// `seller.name`, `trades.0.isin`: the path in the second result; in the first one, when only that has a value.
    pub path: String,
    /// The path in the first result, when its trade or line has another position there.
    pub path_before: Option<String>,
    pub kind: ChangeKind,
    pub before: Option<ComparedField>,
    pub after: Option<ComparedField>,
}

string_enum! {
    "kind of change"
    pub enum ChangeKind {
        /// Only the second result has a value.
        Added = "added",
        /// Only the first result has a value.
        Removed = "removed",
        Changed = "changed",
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct ComparedField {
    pub value: String,
    pub confidence: f64,
    pub status: FieldStatus,
}

impl ComparedField {
    fn of(field: &Field) -> Option<Self> {
        let value = field.value.clone()?;
        Some(Self { value, confidence: field.confidence, status: field.status })
    }
}

/// The fields by which a trade is the same in two results, the most certain ones first.
const TRADE_KEYS: &[&[&str]] = &[
    &["isin", "trade_date", "quantity"],
    &["isin", "order_number"],
    &["isin", "quantity"],
    &["isin", "trade_date"],
    &["isin"],
    &["order_number"],
    &["security_name"],
];

const LINE_KEYS: &[&[&str]] = &[
    &["name", "quantity", "line_total"],
    &["name", "line_total"],
    &["name", "quantity"],
    &["name"],
];

impl ResultDiff {
    pub fn of(before: &Extraction, after: &Extraction) -> Self {
        let mut diff = Self::default();
        diff.add(&before.fields, &after.fields, |name| (name.to_owned(), None));
        diff.add_groups("trades", &before.trades, &after.trades, TRADE_KEYS);
        diff.add_groups("lines", &before.lines, &after.lines, LINE_KEYS);
        diff
    }

    fn add_groups(
        &mut self,
        name: &str,
        before: &[FieldGroup],
        after: &[FieldGroup],
        keys: &[&[&str]],
    ) {
        let none = FieldGroup::new();
        let pairs = aligned(before, after, keys);
        for (position, (group, pair)) in after.iter().zip(&pairs).enumerate() {
            let old = pair.and_then(|index| before.get(index)).unwrap_or(&none);
            self.add(old, group, |field| {
                let moved = pair.filter(|index| *index != position);
                let path_before = moved.map(|index| format!("{name}.{index}.{field}"));
                (format!("{name}.{position}.{field}"), path_before)
            });
        }
        for (index, group) in before.iter().enumerate() {
            if !pairs.contains(&Some(index)) {
                self.add(group, &none, |field| (format!("{name}.{index}.{field}"), None));
            }
        }
    }

    /// Compares the fields of two groups. `paths` gives the path of a field, and the one before when it is another one.
    fn add(
        &mut self,
        before: &FieldGroup,
        after: &FieldGroup,
        paths: impl Fn(&str) -> (String, Option<String>),
    ) {
        let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let side = |group: &FieldGroup| group.get(name).and_then(ComparedField::of);
            let (before, after) = (side(before), side(after));
            let kind = match (&before, &after) {
                (None, None) => continue,
                (None, Some(_)) => ChangeKind::Added,
                (Some(_), None) => ChangeKind::Removed,
                (Some(before), Some(after)) if before.value == after.value => {
                    self.unchanged += 1;
                    continue;
                }
                (Some(_), Some(_)) => ChangeKind::Changed,
            };
            let (path, path_before) = paths(name);
            self.changes.push(FieldChange { path, path_before, kind, before, after });
        }
    }
}

/// For each group of the second result its counterpart in the first one.
///
/// Groups with the same values are pairs, then those with the same values of the `keys`, one key after the other. Of the rest,
/// those are pairs that follow the same pair, in their order: a corrected ISIN is a change, not another trade.
fn aligned(before: &[FieldGroup], after: &[FieldGroup], keys: &[&[&str]]) -> Vec<Option<usize>> {
    let mut is_free = vec![true; before.len()];
    let mut pairs = vec![None; after.len()];
    pair_by(before, after, all_values, &mut is_free, &mut pairs);
    for key in keys {
        pair_by(before, after, |group| values_of(group, key), &mut is_free, &mut pairs);
    }
    pair_by_place(&mut is_free, &mut pairs);
    pairs
}

fn pair_by<'a>(
    before: &'a [FieldGroup],
    after: &'a [FieldGroup],
    key: impl Fn(&'a FieldGroup) -> Option<Vec<(&'a str, &'a str)>>,
    is_free: &mut [bool],
    pairs: &mut [Option<usize>],
) {
    let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (index, group) in before.iter().enumerate().filter(|(index, _)| is_free[*index]) {
        if let Some(key) = key(group) {
            free.entry(key).or_default().push_back(index);
        }
    }
    for (group, pair) in after.iter().zip(pairs).filter(|(_, pair)| pair.is_none()) {
        let same = key(group).and_then(|key| free.get_mut(&key)?.pop_front());
        if let Some(index) = same {
            is_free[index] = false;
            *pair = Some(index);
        }
    }
}

fn pair_by_place(is_free: &mut [bool], pairs: &mut [Option<usize>]) {
    // The free groups of the first result, by the pair that they follow.
    let mut following: BTreeMap<Option<usize>, VecDeque<usize>> = BTreeMap::new();
    let mut last = None;
    for (index, free) in is_free.iter().enumerate() {
        if *free {
            following.entry(last).or_default().push_back(index);
        } else {
            last = Some(index);
        }
    }
    let mut last = None;
    for pair in pairs {
        match *pair {
            Some(index) => last = Some(index),
            None => *pair = following.get_mut(&last).and_then(VecDeque::pop_front),
        }
    }
}

/// The values of all fields; `None` when there is none.
fn all_values(group: &FieldGroup) -> Option<Vec<(&str, &str)>> {
    let with_value =
        group.iter().filter_map(|(name, field)| Some((name.as_str(), field.value.as_deref()?)));
    let values: Vec<_> = with_value.collect();
    (!values.is_empty()).then_some(values)
}

/// The values of these fields; `None` when one of them has none.
fn values_of<'a>(group: &'a FieldGroup, names: &[&'a str]) -> Option<Vec<(&'a str, &'a str)>> {
    let value = |name: &&'a str| Some((*name, group.get(*name)?.value.as_deref()?));
    names.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(values: &[(&str, &str)]) -> FieldGroup {
        let field = |value: &str| Field {
            value: Some(value.to_owned()),
            confidence: 0.9,
            status: FieldStatus::Accepted,
            ..Field::missing()
        };
        values.iter().map(|(name, value)| ((*name).to_owned(), field(value))).collect()
    }

    fn line(name: &str, total: &str) -> FieldGroup {
        group(&[("name", name), ("line_total", total)])
    }

    fn trade(isin: &str, quantity: &str, date: &str) -> FieldGroup {
        group(&[("isin", isin), ("quantity", quantity), ("trade_date", date)])
    }

    /// Path, path before, kind.
    fn changes(before: &Extraction, after: &Extraction) -> Vec<String> {
        let diff = ResultDiff::of(before, after);
        let text = |change: &FieldChange| {
            let moved = change.path_before.as_ref().map(|path| format!(" from {path}"));
            format!("{} {}{}", change.kind, change.path, moved.unwrap_or_default())
        };
        diff.changes.iter().map(text).collect()
    }

    fn of_lines(lines: &[FieldGroup]) -> Extraction {
        Extraction { lines: lines.to_vec(), ..Extraction::default() }
    }

    fn of_trades(trades: &[FieldGroup]) -> Extraction {
        Extraction { trades: trades.to_vec(), ..Extraction::default() }
    }

    #[test]
    fn a_diff_lists_added_removed_and_changed_values() {
        let before = Extraction {
            fields: group(&[("total", "10"), ("date", "2026-01-02"), ("company", "A")]),
            ..Extraction::default()
        };
        let mut after = Extraction {
            fields: group(&[("total", "12"), ("company", "A")]),
            lines: vec![group(&[("name", "Tea")])],
            ..Extraction::default()
        };
        after.fields.insert("address".to_owned(), Field::missing());
        assert_eq!(
            changes(&before, &after),
            ["removed date", "changed total", "added lines.0.name"]
        );
        let diff = ResultDiff::of(&before, &after);
        assert_eq!(diff.unchanged, 1);
        let total = &diff.changes[1];
        let values = [&total.before, &total.after].map(|side| side.as_ref().unwrap().value.clone());
        assert_eq!(values, ["10", "12"]);
    }

    #[test]
    fn an_inserted_or_removed_line_changes_no_other_line() {
        let lines = [line("Tea", "1"), line("Milk", "2"), line("Bread", "3")];
        let mut longer = lines.to_vec();
        longer.insert(1, line("Sugar", "4"));
        let (before, after) = (of_lines(&lines), of_lines(&longer));
        assert_eq!(changes(&before, &after), ["added lines.1.line_total", "added lines.1.name"]);
        assert_eq!(
            changes(&after, &before),
            ["removed lines.1.line_total", "removed lines.1.name"]
        );
        assert_eq!(ResultDiff::of(&before, &after).unchanged, 6);
    }

    #[test]
    fn a_line_that_moved_is_compared_with_itself() {
        let before = of_lines(&[line("Tea", "1"), line("Milk", "2")]);
        let after = of_lines(&[line("Sugar", "4"), line("Milk", "9"), line("Tea", "1")]);
        assert_eq!(
            changes(&before, &after),
            ["added lines.0.line_total", "added lines.0.name", "changed lines.1.line_total"]
        );
        let shifted = of_lines(&[line("Sugar", "4"), line("Tea", "1"), line("Milk", "9")]);
        assert_eq!(
            changes(&before, &shifted)[2..],
            ["changed lines.2.line_total from lines.1.line_total".to_owned()]
        );
    }

    #[test]
    fn a_value_that_identifies_a_trade_can_change_itself() {
        let (first, second) = (trade("A", "5", "2026-01-02"), trade("B", "7", "2026-01-03"));
        let before = of_trades(&[first.clone(), second.clone()]);
        let corrected = of_trades(&[first, trade("C", "7", "2026-01-03")]);
        assert_eq!(changes(&before, &corrected), ["changed trades.1.isin"]);
        let corrected = of_trades(&[trade("A", "6", "2026-01-02"), second]);
        assert_eq!(changes(&before, &corrected), ["changed trades.0.quantity"]);
    }

    #[test]
    fn executions_of_one_security_are_told_apart_by_quantity_and_date() {
        let parts = [trade("A", "5", "2026-01-02"), trade("A", "7", "2026-01-02")];
        let turned = of_trades(&[parts[1].clone(), parts[0].clone()]);
        assert_eq!(changes(&of_trades(&parts), &turned), [""; 0]);
        // Equal lines are paired one by one.
        let twice = of_lines(&[line("Tea", "1"), line("Tea", "1")]);
        let once = of_lines(&[line("Tea", "1")]);
        assert_eq!(changes(&twice, &once), ["removed lines.1.line_total", "removed lines.1.name"]);
    }
}
