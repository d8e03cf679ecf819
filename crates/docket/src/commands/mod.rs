//! One file per command. Each prints its result and says how it went by its exit code.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod config;
pub(crate) mod dlq;
pub(crate) mod docs;
pub(crate) mod doctor;
pub(crate) mod ingest;
pub(crate) mod jobs;
pub(crate) mod login;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod passwords;
pub(crate) mod read;
pub(crate) mod rename;
pub(crate) mod rerun;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod tenants;
pub(crate) mod users;
pub(crate) mod watchdog;
pub(crate) mod worker;
