//! A child with two handlers, for `tests/handlers.rs`.

use std::convert::Infallible;
use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

use sandbox::pool::HandlerName;
use sandbox::worker::{Handler, Handlers, Opened, Replies, serve};

const ADD: HandlerName = HandlerName { name: "add", version: 1 };
const LENGTHS: HandlerName = HandlerName { name: "lengths", version: 7 };

fn main() -> ExitCode {
    let handlers = Handlers::default().with(ADD, Adder::default()).with(LENGTHS, Lengths);
    match serve(|| Ok::<_, Infallible>(Opened { handlers, readable: Vec::new() })) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Adds each number to the sum of those before.
#[derive(Default)]
struct Adder {
    sum: u64,
}

impl Handler for Adder {
    type Request = u64;
    type Error = String;

    fn handle(
        &mut self,
        number: u64,
        _: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<(), String> {
        self.sum = self.sum.checked_add(number).ok_or_else(|| "the sum is too large".to_owned())?;
        replies.send_value(b's', &self.sum).map_err(|_| "the parent is gone".to_owned())
    }
}

/// Answers with the length of each file, after a word.
struct Lengths;

impl Handler for Lengths {
    type Request = String;
    type Error = ();

    fn handle(
        &mut self,
        word: String,
        files: Vec<File>,
        replies: &mut Replies<'_>,
    ) -> Result<(), ()> {
        for mut file in files {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(|_| ())?;
            replies.send_value(b'l', &(&word, bytes.len())).map_err(|_| ())?;
        }
        Ok(())
    }
}
