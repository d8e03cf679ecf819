//! Slides and sheets that a file names and does not have.
//!
//! A remark names each of them. A file without any of the named parts is damaged, because it would otherwise look like
//! an empty document.

use crate::ReadError;
use crate::flow::Flow;

/// The number of remarks with a name; further parts are only counted.
const TOLD: u32 = 20;
/// The longest name in a remark.
const LONGEST_NAME: usize = 100;

/// The parts of one kind that a file names.
#[derive(Debug)]
pub(super) struct NamedParts {
    /// The kind: `slide` or `sheet`.
    what: &'static str,
    absent: u32,
    found: u32,
}

impl NamedParts {
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
