//! Slides and sheets that a file names and does not have.
//!
//! Each is told of. A file that has none of those it names is damaged: what would be served is empty, and looks as
//! if it had been so.

use crate::ReadError;
use crate::flow::Flow;

/// Remarks that say which; the others are counted.
const TOLD: u32 = 20;
/// Of a name, which can be anything.
const LONGEST_NAME: usize = 100;

/// What a file names of one kind.
#[derive(Debug)]
pub(super) struct Named {
    /// Of what: `slide`, `sheet`.
    what: &'static str,
    absent: u32,
    found: u32,
}

impl Named {
    pub(super) fn new(what: &'static str) -> Self {
        Self { what, absent: 0, found: 0 }
    }

    pub(super) fn found(&mut self) {
        self.found += 1;
    }

    pub(super) fn absent(&mut self, which: &str, flow: &mut Flow) {
        self.absent += 1;
        if self.absent <= TOLD {
            let which: String = which.chars().take(LONGEST_NAME).collect();
            flow.remark(format!("The {} {which} is not in the file.", self.what));
        }
    }

    pub(super) fn check(&self, flow: &mut Flow) -> Result<(), ReadError> {
        let Self { what, absent, found } = self;
        if *absent > 0 && *found == 0 {
            return Err(ReadError::damaged(format!("none of its {what}s is in the file")));
        }
        if *absent > TOLD {
            flow.remark(format!("{absent} {what}s are not in the file in all."));
        }
        Ok(())
    }
}
