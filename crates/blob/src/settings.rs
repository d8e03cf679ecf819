//! Settings of a store besides its URL.

use std::fmt;
use std::time::Duration;

/// How to reach a store, and how long to wait for it.
#[derive(Clone, Default)]
pub struct Settings {
    /// `AWS_…` and `GOOGLE_…` variables, as (name, value). Others are ignored.
    pub environment: Vec<(String, String)>,
    pub timeouts: Timeouts,
    /// Do not create a missing folder: it may be a disk that is not mounted.
    pub folder_must_exist: bool,
}

impl Settings {
    /// The environment of this process: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`,
    /// `AWS_ENDPOINT_URL`, …; `GOOGLE_APPLICATION_CREDENTIALS`, `GOOGLE_SERVICE_ACCOUNT`, ….
    pub fn from_environment() -> Self {
        Self::with_environment(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }))
    }

    pub fn with_environment(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let ours = |(name, _): &(String, String)| {
            name.starts_with("AWS_") || name.starts_with("GOOGLE_") || name == "SERVICE_ACCOUNT"
        };
        let environment = variables.into_iter().filter(ours).collect();
        Self { environment, ..Self::default() }
    }
}

/// Shows the names only: the values are secrets.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.environment.iter().map(|(name, _)| name.as_str()).collect();
        let Self { environment: _, timeouts, folder_must_exist } = self;
        f.debug_struct("Settings")
            .field("environment", &names)
            .field("timeouts", timeouts)
            .field("folder_must_exist", folder_must_exist)
            .finish()
    }
}

/// How long a bucket may take. A request fails at the latest after `retry_for` + `response` and the
/// last pause, whatever the server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// From the request to the first byte of the response, and between two bytes of it.
    pub response: Duration,
    /// How often a request is repeated after a 5xx, a timeout or a broken connection.
    pub retries: usize,
    /// No retry starts later than this after the first attempt.
    pub retry_for: Duration,
    /// For all of [`crate::Blobs::check`].
    pub check: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            response: Duration::from_secs(20),
            retries: 3,
            retry_for: Duration::from_secs(30),
            check: Duration::from_secs(5),
        }
    }
}
