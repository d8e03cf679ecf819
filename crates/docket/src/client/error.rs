//! Why a request to the server failed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use api_types::Problem;
use thiserror::Error;
use url::Url;

#[derive(Debug, Error)]
pub enum ClientError {
    #[error(
        "cannot reach Docket at {server} ({reason}). Start it with `docket serve`, or name another \
         address with --server or DOCKET_SERVER"
    )]
    Unreachable { server: Url, reason: String },
    #[error(
        "you are not signed in at {server}. Run `docket login --server {server}`, or set DOCKET_TOKEN \
         to a token or an API key"
    )]
    NotSignedIn { server: Url },
    #[error("{}", sentence(.0))]
    Refused(Box<Problem>),
    /// Refused for now: the server says when to try again.
    #[error("{}", sentence(.problem))]
    Busy { problem: Box<Problem>, wait: Duration },
    #[error(
        "{server} answers, but it is not a Docket server (status {status}). Give the address of Docket with \
         --server"
    )]
    NotDocket { server: Url, status: u16 },
    /// What the user named does not exist, or is not the only one.
    #[error("{0}")]
    WrongName(String),
    #[error("no connection can be made from this machine: {0}")]
    Unusable(#[source] reqwest::Error),
    #[error(
        "cannot use the file {} with your sign-in: {source}. Remove it and sign in again", .file.display()
    )]
    Credentials { file: PathBuf, source: io::Error },
    #[error(
        "cannot use the file {} with the list of uploaded files: {source}. Remove it; then files are \
         uploaded again, which the server recognises", .file.display()
    )]
    Receipts { file: PathBuf, source: io::Error },
    #[error("cannot read {}: {source}", .file.display())]
    Unreadable { file: PathBuf, source: io::Error },
    #[error(
        "there is no folder to store a sign-in in: neither HOME nor DOCKET_CONFIG_HOME is set. Set one, or \
         use DOCKET_TOKEN"
    )]
    NoHome,
}

impl ClientError {
    /// 2: the request is wrong; 3: the server cannot be reached; 4: not signed in, or not allowed; 1: anything else.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Unreachable { .. } => 3,
            Self::NotSignedIn { .. } => 4,
            Self::Refused(problem) if matches!(problem.status, 401 | 403) => 4,
            Self::Refused(problem) if matches!(problem.status, 400 | 422) => 2,
            _ => 1,
        }
    }
}

fn sentence(problem: &Problem) -> String {
    let Problem { detail, status, code, trace_id, errors, .. } = problem;
    if !errors.is_empty() {
        let lines = errors.iter().map(|error| format!("\n  {}: {}", error.path, error.message));
        let first = detail.split_once(". ").map_or(detail.as_str(), |(first, _)| first);
        return format!("{first}:{}", lines.collect::<String>());
    }
    match status {
        401 if code == "unauthenticated" => {
            "this sign-in or API key is invalid or has expired. Run `docket login`, or set DOCKET_TOKEN to a valid key"
                .to_owned()
        }
        500.. if code == "internal" => format!("{detail} (trace_id {trace_id})"),
        _ => detail.clone(),
    }
}
