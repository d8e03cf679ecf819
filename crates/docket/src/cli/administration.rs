//! The commands for operators: audit log, tenants, secrets, users.

use std::path::PathBuf;

use clap::Subcommand;

use super::DatabaseArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Verify the audit log of every tenant, and name each row that was changed, moved or removed.
    ///
    /// Also compares the log with its signed checkpoints. Exits with 1 when something does not match.
    Verify {
        /// Checkpoints that you exported before and stored elsewhere. Someone who can change the database and the
        /// object store cannot change these.
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
        #[command(flatten)]
        database: DatabaseArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Sign checkpoints of all tenants' logs now, and print all checkpoints: one JSON document per line.
    ///
    /// Store the output where the database administrator cannot change it.
    Export {
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TenantsCommand {
    /// List all tenants.
    List {
        #[command(flatten)]
        database: DatabaseArgs,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Create a tenant and its first administrator.
    ///
    /// The administrator's password is taken from DOCKET_ADMIN_PASSWORD; otherwise one is generated and printed once.
    Create {
        /// The tenant's name.
        name: String,
        /// The administrator's email address.
        #[arg(long, value_name = "EMAIL")]
        admin_email: String,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Set limits for a tenant; options that you leave out use the general limit.
    Limit {
        /// The tenant's name.
        name: String,
        /// The largest file that the tenant may upload, in MB (1024 × 1024 bytes).
        #[arg(long, value_name = "MB")]
        max_upload_mb: Option<u64>,
        /// How many of its documents may be queued.
        #[arg(long, value_name = "N")]
        queue_quota: Option<u32>,
        /// How many requests per second it may send.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        requests_per_second: Option<u32>,
        /// How many of its uploads each server accepts at the same time.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        concurrent_uploads: Option<u32>,
        /// How much it may store, in MB (1024 × 1024 bytes).
        #[arg(long, value_name = "MB")]
        storage_quota_mb: Option<u64>,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Encrypt all secrets with a new key.
    ///
    /// May run while servers and workers run, and again after an interruption. Without the setting secrets_key, Docket
    /// replaces the key in the data folder. With it, secrets_key is the new key and secrets_key_previous the old one.
    Rotate {
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Set a new password for a user and sign them out everywhere.
    ///
    /// The password is taken from DOCKET_ADMIN_PASSWORD; otherwise one is generated and printed once.
    ResetPassword {
        /// The user's email address.
        email: String,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}
