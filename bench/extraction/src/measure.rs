//! Counts of right values by field, and what was wrong.

use std::collections::BTreeMap;
use std::io::{Write, stdout};

/// How often a field was right, of how often it has an expected value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    fields: BTreeMap<String, (usize, usize)>,
    mismatches: Vec<String>,
}

impl Counts {
    pub(crate) fn add(
        &mut self,
        document: &str,
        field: &str,
        expected: &str,
        found: Option<&str>,
        right: bool,
    ) {
        let count = self.fields.entry(field.to_owned()).or_default();
        count.0 += usize::from(right);
        count.1 += 1;
        if !right {
            let found = found.unwrap_or("nothing");
            self.mismatches
                .push(format!("{document}  {field}: expected {expected:?}, found {found:?}"));
        }
    }

    /// Right and expected values of all fields together.
    pub(crate) fn all(&self) -> (usize, usize) {
        self.fields.values().fold((0, 0), |(right, all), count| (right + count.0, all + count.1))
    }

    pub(crate) fn print(&self, title: &str, details: bool) -> anyhow::Result<()> {
        let mut out = stdout().lock();
        writeln!(out, "{title}")?;
        for (field, (right, all)) in &self.fields {
            writeln!(out, "  {field:<20} {right:>4} of {all:<4} {}", share(*right, *all))?;
        }
        let (right, all) = self.all();
        writeln!(out, "  {:<20} {right:>4} of {all:<4} {}", "all", share(right, all))?;
        if details {
            for mismatch in &self.mismatches {
                writeln!(out, "  - {mismatch}")?;
            }
        }
        Ok(())
    }
}

pub(crate) fn share(right: usize, all: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let share = right as f64 / all.max(1) as f64;
    format!("{share:.3}")
}

/// Words in lower case, with one space between them and no punctuation around them.
pub(crate) fn text(value: &str) -> String {
    let lower = value.to_lowercase();
    let words = lower.split_whitespace().map(|word| word.trim_matches([',', ';', ':', '.']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Letters and digits only, in lower case.
pub(crate) fn letters(value: &str) -> String {
    value.to_lowercase().chars().filter(|char| char.is_alphanumeric()).collect()
}
