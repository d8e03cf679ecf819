//! Reports panics: the location, and the message only if it cannot quote a document (`domain::panic_message`). Nothing
//! here blocks or panics.

use std::panic::{PanicHookInfo, set_hook};
use std::thread;

use domain::panic_message;

use crate::logging;
use crate::say::complain;

/// Also for reading children: their parent may log what they write on standard error.
pub(crate) fn report_without_content() {
    set_hook(Box::new(report));
}

fn report(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map_or_else(
        || "an unknown place".to_owned(),
        |place| format!("{}:{}", place.file(), place.line()),
    );
    let message = panic_message(panic.payload());
    let thread = thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    if logging::standard_error().is_some() {
        tracing::error!(location, reason = message, thread, "Docket panicked: this is a bug");
    } else {
        complain(format_args!("panicked at {location}: {message}"));
    }
}
