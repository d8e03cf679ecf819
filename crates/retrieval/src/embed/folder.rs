//! Where the default model lies.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What `scripts/embedding-model` leaves.
const DEFAULT: &str = "embedding/all-MiniLM-L6-v2";

/// The folder that `DOCKET_EMBEDDING_MODEL` names, else the model that the project's scripts installed
/// (under `DOCKET_TOOLS`, else `~/.cache/docket/tools`). Nothing when there is no model in it.
pub fn default_folder() -> Option<PathBuf> {
    let named = variable("DOCKET_EMBEDDING_MODEL").map(PathBuf::from);
    let installed = || tools().map(|tools| tools.join(DEFAULT));
    named.or_else(installed).filter(|folder| folder.join("config.json").is_file())
}

/// Where the project's scripts put what they fetch.
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
