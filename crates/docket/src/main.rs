//! The `docket` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    docket::main(std::convert::identity)
}
