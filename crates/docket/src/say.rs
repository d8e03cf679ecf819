//! Words for the person at the terminal.

use std::fmt;
use std::io::{self, Write};

/// A line on standard output. A reader that has gone away is no reason to fail.
pub(crate) fn say(line: impl fmt::Display) {
    writeln!(io::stdout(), "{line}").ok();
}

/// A line on standard error.
pub(crate) fn complain(line: impl fmt::Display) {
    writeln!(io::stderr(), "docket: {line}").ok();
}
