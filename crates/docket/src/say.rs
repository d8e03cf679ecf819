//! Output for the user of a command.

use std::fmt;
use std::io::{self, Write};

use crate::logging;

/// Prints a line on standard output. A closed pipe is not an error.
pub fn say(line: impl fmt::Display) {
    match logging::standard_output() {
        Some(output) => output.push(format!("{line}\n").into_bytes()),
        None => drop(writeln!(io::stdout(), "{line}")),
    }
}

/// Prints a line on standard error.
pub fn complain(line: impl fmt::Display) {
    match logging::standard_error() {
        Some(log) => log.push(format!("docket: {line}\n").into_bytes()),
        None => drop(writeln!(io::stderr(), "docket: {line}")),
    }
}
