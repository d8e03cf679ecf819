//! Loads pdfium, the library that reads and draws PDF, once per process.
//!
//! Search order: the file in `DOCKET_PDFIUM`, the folder of the running program, and the folder of `scripts/pdfium`
//! (`DOCKET_TOOLS`, else `~/.cache/docket/tools`). A sandboxed process calls [`open`] before it restricts itself.
//!
//! pdfium is not thread-safe: every call takes one lock.

use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

use pdfium_render::prelude::Pdfium;

use crate::{ReadError, tools};

/// The Python wheel from which `scripts/pdfium` takes the library.
const VERSION: &str = "5.14.0";
const FILE: &str = "libpdfium.so";

static LIBRARY: OnceLock<Option<Pdfium>> = OnceLock::new();

/// The library. The first call loads it, and its result is kept.
pub fn open() -> Result<&'static Pdfium, ReadError> {
    LIBRARY
        .get_or_init(|| find().and_then(|file| Pdfium::bind_to_library(file).ok()).map(Pdfium::new))
        .as_ref()
        .ok_or_else(|| ReadError::Missing { what: "pdfium".to_owned() })
}

/// The path of the library, if it is installed.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("DOCKET_PDFIUM").filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named)).filter(|file| file.is_file());
    }
    let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.join(FILE)));
    let installed = tools::folder().map(|tools| tools.join("pdfium").join(VERSION).join(FILE));
    [beside, installed].into_iter().flatten().find(|file| file.is_file())
}
