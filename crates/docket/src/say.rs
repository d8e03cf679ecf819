//! Words for the person at the terminal.

use std::fmt;
use std::io::{self, Write};

use crate::logging;

/// A line on standard output. A reader that has gone away is no reason to fail.
pub fn say(line: impl fmt::Display) {
    match logging::standard_output() {
        Some(output) => output.push(format!("{line}\n").into_bytes()),
        None => drop(writeln!(io::stdout(), "{line}")),
    }
}

/// A line on standard error.
pub fn complain(line: impl fmt::Display) {
    match logging::standard_error() {
        Some(log) => log.push(format!("docket: {line}\n").into_bytes()),
        None => drop(writeln!(io::stderr(), "docket: {line}")),
    }
}
