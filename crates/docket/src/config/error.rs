//! What is wrong with a setting, in one sentence.

use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum ConfigError {
    #[error("{key} = {value} (from {origin}) does not work: {fix}")]
    Refused { key: String, value: String, origin: String, fix: String },
    #[error("{name} is set and has no effect: {instead}")]
    Replaced { name: &'static str, instead: &'static str },
    #[error("{file} has an unknown key '{key}'{suggestion} (`docket config` lists every key)")]
    UnknownKey { file: String, key: String, suggestion: String },
    #[error(
        "cannot read the configuration file {file}: {reason}. Name another one with --config or \
         DOCKET_CONFIG, or make this one readable"
    )]
    Unreadable { file: String, reason: String },
    #[error(
        "the configuration file {file} is not understood in line {line}: {reason}. Write one \
         setting per line, such as listen = \"127.0.0.1:8080\""
    )]
    NotUnderstood { file: String, line: usize, reason: String },
    #[error("DOCKET_ADMIN_PASSWORD does not work as a password: {problem}")]
    Password { problem: String },
    #[error("{0}")]
    Argument(String),
}

impl ConfigError {
    /// Something on the command line that cannot be right.
    pub(crate) fn argument(problem: impl ToString) -> Self {
        Self::Argument(problem.to_string())
    }
}
