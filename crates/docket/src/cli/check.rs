//! `docket check`

use clap::Args;

use super::DatabaseArgs;
use super::serve::given;
use crate::config::Flags;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Check only that every object exists and has the right size; do not read the objects.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Accept the object store as the one that belongs to this database, then check it: after you moved it, or when it
    /// lost its marker.
    #[arg(long)]
    pub(crate) adopt: bool,
    #[command(flatten)]
    database: DatabaseArgs,
    /// The object store for documents [env: DOCKET_BLOB_URL].
    #[arg(long, value_name = "URL")]
    blob_url: Option<String>,
    /// Print a line of JSON for each finding, and one for the summary.
    #[arg(long)]
    pub(crate) json: bool,
}

impl CheckArgs {
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.database.flags();
        flags.extend(given([("blob_url", &self.blob_url)]));
        flags
    }
}
