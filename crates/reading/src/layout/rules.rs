//! Lines drawn on a page, and nets of them.

use std::collections::BTreeMap;

use pages::Area;

/// Ends that miss each other by less than this still touch.
pub(crate) const SLACK: f32 = 3.0;

/// A line: where it runs, and from where to where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) at: f32,
    pub(crate) from: f32,
    pub(crate) to: f32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) horizontal: Vec<Rule>,
    pub(crate) vertical: Vec<Rule>,
}

impl Rules {
    /// Pieces of one line are put together.
    pub(crate) fn of(areas: &[Area]) -> Self {
        let (across, down): (Vec<&Area>, Vec<&Area>) =
            areas.iter().partition(|area| area.width() >= area.height());
        let across =
            across.iter().map(|area| Rule { at: area.top, from: area.left, to: area.right });
        let down = down.iter().map(|area| Rule { at: area.left, from: area.top, to: area.bottom });
        Self { horizontal: joined(across.collect()), vertical: joined(down.collect()) }
    }

    /// Is there a line between two heights, over most of a stretch?
    pub(crate) fn between(&self, top: f32, bottom: f32, left: f32, right: f32) -> bool {
        let covered: f32 = self
            .horizontal
            .iter()
            .filter(|rule| rule.at >= top && rule.at <= bottom)
            .map(|rule| (rule.to.min(right) - rule.from.max(left)).max(0.0))
            .sum();
        covered >= 0.6 * (right - left)
    }
}

fn joined(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut all = Vec::new();
    for group in rules.chunk_by_mut(|a, b| b.at - a.at <= 1.5) {
        group.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut open: Option<Rule> = None;
        for rule in group.iter() {
            match &mut open {
                Some(open) if rule.from <= open.to + SLACK => open.to = open.to.max(rule.to),
                _ => all.extend(open.replace(*rule)),
            }
        }
        all.extend(open);
    }
    all
}

/// Lines that touch each other, directly or through others.
pub(crate) fn nets(rules: &Rules) -> Vec<Rules> {
    let (h, v) = (&rules.horizontal, &rules.vertical);
    let mut group: Vec<usize> = (0..h.len() + v.len()).collect();
    for (i, across) in h.iter().enumerate() {
        for (j, down) in v.iter().enumerate() {
            let touch = down.at >= across.from - SLACK
                && down.at <= across.to + SLACK
                && across.at >= down.from - SLACK
                && across.at <= down.to + SLACK;
            if touch {
                let (a, b) = (root(&mut group, i), root(&mut group, h.len() + j));
                group[a] = b;
            }
        }
    }
    let mut nets: BTreeMap<usize, Rules> = BTreeMap::new();
    for (i, rule) in h.iter().enumerate() {
        nets.entry(root(&mut group, i)).or_default().horizontal.push(*rule);
    }
    for (j, rule) in v.iter().enumerate() {
        nets.entry(root(&mut group, h.len() + j)).or_default().vertical.push(*rule);
    }
    nets.into_values().filter(|net| net.horizontal.len() + net.vertical.len() >= 3).collect()
}

fn root(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}
