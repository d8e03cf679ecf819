//! What is wrong with a setting, in one sentence.

use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("{key} = {value} (from {origin}) does not work: {fix}")]
    Refused { key: String, value: String, origin: String, fix: String },
    #[error("{file} has an unknown key '{key}'{suggestion}. `docket config` lists every key")]
    UnknownKey { file: String, key: String, suggestion: String },
    #[error("cannot read the configuration file {file}: {reason}")]
    Unreadable { file: String, reason: String },
}
