//! The library that reads and draws PDF, found and opened once.
//!
//! It is looked for in this order: the file that `DOCKET_PDFIUM` names, the folder of the running
//! program, and where `scripts/pdfium` puts it (`DOCKET_TOOLS`, else `~/.cache/docket/tools`). A
//! process that shuts itself in calls [`open`] before it does.
//!
//! The library reads one document at a time whatever the threads: every call takes one lock.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

use pdfium_render::prelude::Pdfium;

use crate::{ReadError, tools};

/// The wheel that `scripts/pdfium` takes the library from.
const VERSION: &str = "5.14.0";
const FILE: &str = "libpdfium.so";

static LIBRARY: OnceLock<Option<Pdfium>> = OnceLock::new();

/// The library. Opened by the first call, whose outcome stays.
pub fn open() -> Result<&'static Pdfium, ReadError> {
    LIBRARY
        .get_or_init(|| find().and_then(|file| Pdfium::bind_to_library(file).ok()).map(Pdfium::new))
        .as_ref()
        .ok_or_else(|| ReadError::Missing { what: "pdfium".to_owned() })
}

/// Where the library is, if it is anywhere.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("DOCKET_PDFIUM").filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named)).filter(|file| file.is_file());
    }
    let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.join(FILE)));
    let installed = tools::folder().map(|tools| tools.join("pdfium").join(VERSION).join(FILE));
    [beside, installed].into_iter().flatten().find(|file| file.is_file())
}
