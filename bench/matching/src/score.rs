//! Precision, recall and F1 of pairs; output; CPU time.

use std::io::{Write, stdout};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairScore {
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) missed: usize,
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
impl PairScore {
    pub(crate) fn add(&mut self, is_match: bool, is_judged_match: bool) {
        match (is_match, is_judged_match) {
            (true, true) => self.right += 1,
            (false, true) => self.wrong += 1,
            (true, false) => self.missed += 1,
            (false, false) => {}
        }
    }

    /// A query that has a record was given the right one, a wrong one, or none.
    pub(crate) fn assign(&mut self, is_right: Option<bool>) {
        self.right += usize::from(is_right == Some(true));
        self.wrong += usize::from(is_right == Some(false));
        self.missed += usize::from(is_right != Some(true));
    }

    pub(crate) fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    pub(crate) fn recall(&self) -> f64 {
        self.right as f64 / (self.right + self.missed).max(1) as f64
    }

    pub(crate) fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (2 * self.right + self.wrong + self.missed).max(1) as f64
    }
}

impl std::fmt::Display for PairScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (precision, recall) = (self.precision(), self.recall());
        write!(f, "precision {precision:.3}, recall {recall:.3}, F1 {:.3}", self.f1())
    }
}

pub(crate) fn say(line: impl std::fmt::Display) -> anyhow::Result<()> {
    writeln!(stdout().lock(), "{line}")?;
    Ok(())
}

/// The CPU time that this process has used, in seconds.
#[expect(clippy::cast_precision_loss, reason = "seconds since the process started")]
pub(crate) fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// A share of a count, such as recall.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
pub(crate) fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}
