//! Environment variables of other deployments: those that stand for a setting of ours, and those that nothing here has
//! a use for. docs/configuration.md has both as a table for people.

use super::ConfigError;

/// A name that other deployments use for one of our settings. Our own name wins when both are set.
#[derive(Debug)]
pub(super) struct OtherName {
    pub(super) name: &'static str,
    pub(super) key: &'static str,
    form: Form,
}

/// How the value is written under the other name.
#[derive(Clone, Copy, Debug)]
enum Form {
    AsOurs,
    /// The path of a folder, where ours is an address.
    Folder,
}

const fn as_ours(name: &'static str, key: &'static str) -> OtherName {
    OtherName { name, key, form: Form::AsOurs }
}

pub(super) const OTHER_NAMES: [OtherName; 14] = [
    as_ours("AUTH_ENABLED", "auth_enabled"),
    as_ours("CRASH_GUARD_QUEUED_TTL_HOURS", "crash_guard_queued_ttl_hours"),
    as_ours("CRASH_GUARD_RUNNING_STALE_MIN", "crash_guard_running_stale_min"),
    as_ours("DATABASE_URL", "database_url"),
    as_ours("EMBEDDING_DIM", "embedding_dimension"),
    as_ours("EMBEDDING_MODEL", "embedding_model"),
    as_ours("INGEST_MODE", "ingest_mode"),
    as_ours("JWT_EXPIRY_HOURS", "jwt_expiry_hours"),
    as_ours("JWT_SECRET", "jwt_secret"),
    as_ours("UPLOAD_CLEANUP_TTL_HOURS", "upload_cleanup_ttl_hours"),
    as_ours("UPLOAD_FAILED_TTL_DAYS", "upload_failed_ttl_days"),
    as_ours("UPLOAD_MAX_SIZE_MB", "upload_max_size_mb"),
    OtherName { name: "UPLOAD_STORE_PATH", key: "blob_url", form: Form::Folder },
    as_ours("WORKER_MAX_CONCURRENT_JOBS", "worker_max_concurrent_jobs"),
];

/// Names without a meaning here, and what to do instead.
const REPLACED: [(&str, &str); 7] = [
    ("INGEST_WORKER_URL", NO_PUSH),
    (
        "INGEST_WORKER_TIMEOUT_MS",
        "a worker that stops answering loses its lease and another one goes on; \
         crash_guard_running_stale_min is the last resort. Remove the variable",
    ),
    (
        "INTERNAL_AUTH_TOKEN",
        "workers sign in to the database (database_url) and nobody calls them. Remove the variable",
    ),
    ("SQS_QUEUE_URL", NO_QUEUE),
    ("SQS_REGION", NO_QUEUE),
    (
        "SQS_DLQ_URL",
        "what was given up stays in the database: see `docket dlq list`. Remove the variable",
    ),
    ("SQS_MAX_RECEIVE_COUNT", "each stage has its own number of attempts. Remove the variable"),
];

const NO_PUSH: &str = "workers fetch their jobs from the database: start `docket worker` with the same \
                       database_url, and remove the variable";
const NO_QUEUE: &str =
    "jobs are queued in the database (ingest_mode = \"database\"). Remove the variable";

/// Every name with what it means here, for the documentation.
pub(crate) fn names_of_other_deployments() -> Vec<(&'static str, String)> {
    let known = OTHER_NAMES.iter().map(|other| {
        let form = match other.form {
            Form::AsOurs => "",
            Form::Folder => ", as the whole path of a folder",
        };
        (other.name, format!("sets `{}`{form}", other.key))
    });
    let refused = REPLACED.iter().map(|(name, instead)| (*name, format!("refused: {instead}")));
    let mut names: Vec<_> = known.chain(refused).collect();
    names.sort();
    names
}

impl OtherName {
    pub(super) fn value_of(&self, text: String) -> String {
        match self.form {
            Form::Folder if !text.is_empty() => format!("file://{text}"),
            Form::AsOurs | Form::Folder => text,
        }
    }
}

/// Fails on a variable that the operator means something by, and that would have no effect.
pub(super) fn refuse_replaced(
    environment: impl Fn(&str) -> Option<String>,
) -> Result<(), ConfigError> {
    let is_set = |name: &str| environment(name).is_some_and(|text| !text.is_empty());
    match REPLACED.iter().find(|(name, _)| is_set(name)) {
        Some((name, instead)) => Err(ConfigError::Replaced { name, instead }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Config, Layers};
    use super::*;

    /// Every name of the specification of ingestion, with the value it has there or one like it.
    const SPECIFIED: [(&str, &str); 21] = [
        ("AUTH_ENABLED", "true"),
        ("CRASH_GUARD_QUEUED_TTL_HOURS", "1"),
        ("CRASH_GUARD_RUNNING_STALE_MIN", "15"),
        ("DATABASE_URL", "postgres://docket:secret@postgres:5432/docket?sslmode=disable"),
        ("EMBEDDING_DIM", "768"),
        ("EMBEDDING_MODEL", "/models/bge-base-en-v1.5"),
        ("INGEST_MODE", "database"),
        ("INGEST_WORKER_TIMEOUT_MS", "300000"),
        ("INGEST_WORKER_URL", "http://ingest-worker:8002"),
        ("INTERNAL_AUTH_TOKEN", "a-long-secret-of-at-least-32-bytes"),
        ("JWT_EXPIRY_HOURS", "24"),
        ("JWT_SECRET", "a-long-secret-of-at-least-32-bytes"),
        ("SQS_DLQ_URL", "http://localstack:4566/000000000000/dead"),
        ("SQS_MAX_RECEIVE_COUNT", "3"),
        ("SQS_QUEUE_URL", "http://localstack:4566/000000000000/ingest_jobs"),
        ("SQS_REGION", "ap-southeast-2"),
        ("UPLOAD_CLEANUP_TTL_HOURS", "24"),
        ("UPLOAD_FAILED_TTL_DAYS", "7"),
        ("UPLOAD_MAX_SIZE_MB", "50"),
        ("UPLOAD_STORE_PATH", "/data/uploads"),
        ("WORKER_MAX_CONCURRENT_JOBS", "3"),
    ];

    fn start(name: &str, value: &str) -> Result<(Layers, Config), ConfigError> {
        let environment = |wanted: &str| (wanted == name).then(|| value.to_owned());
        let layers = Layers::load(None, environment, Vec::new())?;
        let config = Config::from_layers(&layers)?;
        Ok((layers, config))
    }

    #[test]
    fn every_specified_name_works_or_is_refused_with_what_to_do() {
        for (name, value) in SPECIFIED {
            let other = OTHER_NAMES.iter().find(|other| other.name == name);
            match (other, start(name, value)) {
                (Some(other), Ok((layers, _))) => {
                    let from = layers.settings[other.key].origin.to_string();
                    assert_eq!(from, name, "{name} sets {}", other.key);
                }
                (None, Err(error)) => {
                    let text = error.to_string();
                    assert!(
                        text.starts_with(name) && text.ends_with("emove the variable"),
                        "{text}"
                    );
                    start(name, "").unwrap();
                }
                (other, started) => panic!("{name}: {other:?}, {:?}", started.map(|_| "started")),
            }
        }
    }

    #[test]
    fn the_documentation_lists_every_name() {
        let page = include_str!("../../../../docs/configuration.md");
        let listed: BTreeSet<&str> =
            page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let specified: BTreeSet<&str> = SPECIFIED.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, specified);
        let known = OTHER_NAMES.iter().map(|other| other.name);
        let known: BTreeSet<&str> = known.chain(REPLACED.iter().map(|(name, _)| *name)).collect();
        assert_eq!(known, specified);
    }

    #[test]
    fn values_have_our_meaning() {
        let (layers, _) = start("UPLOAD_STORE_PATH", "/data/uploads").unwrap();
        assert_eq!(layers.text("blob_url").unwrap(), "file:///data/uploads");
        for transport in ["http", "queue", "carrier pigeon"] {
            let text = start("INGEST_MODE", transport).unwrap_err().to_string();
            assert!(text.contains("(from INGEST_MODE)") && text.contains("database"), "{text}");
        }
        let text = start("EMBEDDING_MODEL", "BAAI/bge-base-en-v1.5").unwrap_err().to_string();
        assert!(text.contains("the folder of the model"), "{text}");
    }
}
