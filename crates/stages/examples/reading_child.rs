//! The reading child for the tests of this crate; Docket itself starts `docket read-worker`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(2).peekable();
    if arguments.next_if(|argument| argument == "--run").is_some() {
        return reading::sandbox::run_program(arguments);
    }
    match reading::reader::run_child(false, extraction::sandboxed::register) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
