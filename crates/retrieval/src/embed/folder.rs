//! The folder of the default model.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Installed by `scripts/embedding-model`.
const DEFAULT: &str = "embedding/all-MiniLM-L6-v2";

/// The folder in `DOCKET_EMBEDDING_MODEL`, or the model that the project's scripts installed (in `DOCKET_TOOLS` or
/// `~/.cache/docket/tools`). `None` when the folder contains no model.
pub fn default_folder() -> Option<PathBuf> {
    let named = variable("DOCKET_EMBEDDING_MODEL").map(PathBuf::from);
    let installed = || tools().map(|tools| tools.join(DEFAULT));
    named.or_else(installed).filter(|folder| folder.join("config.json").is_file())
}

/// The folder of the tools that the project's scripts install.
fn tools() -> Option<PathBuf> {
    variable("DOCKET_TOOLS").map(PathBuf::from).or_else(|| {
        let cache = variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(Path::new(&variable("HOME")?).join(".cache")))?;
        Some(cache.join("docket").join("tools"))
    })
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
