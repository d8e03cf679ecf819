//! Configuration: defaults < file < environment < flags, checked at start.
//!
//! [`Layers`] knows where every value came from; [`Config`] is what is left when each has been
//! understood. An error names the key, the value, where it came from and what to write instead.

mod error;
mod layers;
mod other_names;
mod search;
mod shown;

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::num::{NonZero, NonZeroU32};
use std::path::PathBuf;
use std::time::Duration;

use api::TrustedProxies;
use api_types::ConfigView;
use blob::BlobUrl;
use domain::{FileKind, Pipeline, Secret, StageName};
use engine::StaleAfter;
use ipnet::IpNet;
use ops::PublicKey;
use reading::sandbox::SandboxPolicy;
use store::{DatabaseUrl, DatabaseUrls, StatementTimeouts, Store};

pub(crate) use error::ConfigError;
pub(crate) use layers::{Flags, Layers};
pub(crate) use other_names::names_of_other_deployments;
pub(crate) use search::{EmbeddingChoice, ModelService, Protocol, RerankChoice, SearchConfig};
pub(crate) use shown::explained_groups;

/// What the operator decided.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) data_dir: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) database: DatabaseConfig,
    pub(crate) auth: AuthConfig,
    pub(crate) audit: AuditConfig,
    pub(crate) limits: LimitsConfig,
    pub(crate) intake: IntakeConfig,
    pub(crate) read: ReadConfig,
    pub(crate) search: SearchConfig,
    pub(crate) work: WorkConfig,
    pub(crate) shutdown_grace: Duration,
    pub(crate) log: LogConfig,
    /// All of it as people may see it.
    pub(crate) shown: ConfigView,
}

#[derive(Debug)]
pub(crate) struct DatabaseConfig {
    /// `None`: the private server.
    pub(crate) url: Option<DatabaseUrl>,
    /// `None`: Docket decides as whom it works.
    pub(crate) users: Option<DatabaseUrls>,
    pub(crate) max_connections: u32,
    pub(crate) statement_timeouts: StatementTimeouts,
    pub(crate) postgres_user: String,
    /// How long the private server outlives the last process that used it, when that was killed.
    pub(crate) postgres_orphan_grace: Duration,
}

#[derive(Debug)]
pub(crate) struct AuthConfig {
    pub(crate) enabled: bool,
    /// `None`: the one in the data folder.
    pub(crate) jwt_secret: Option<Secret>,
    /// Of passwords of documents; `None`: the one in the data folder.
    pub(crate) secrets_key: Option<Secret>,
    pub(crate) secrets_key_previous: Option<Secret>,
    pub(crate) jwt_expiry_hours: u32,
    pub(crate) login_attempts_per_minute: u32,
    pub(crate) unknown_keys_per_minute: NonZeroU32,
}

#[derive(Debug)]
pub(crate) struct AuditConfig {
    /// `None`: the one in the data folder.
    pub(crate) signing_key: Option<Secret>,
    pub(crate) trusted_keys: Vec<PublicKey>,
    pub(crate) checkpoint_every: chrono::Duration,
}

#[derive(Debug)]
pub(crate) struct LimitsConfig {
    pub(crate) rate_limit_per_second: NonZeroU32,
    pub(crate) rate_limit_burst: NonZeroU32,
    pub(crate) request_timeout: Duration,
    pub(crate) json_max_bytes: usize,
    pub(crate) metrics_for_everybody: bool,
    pub(crate) metrics_token: Option<Secret>,
    pub(crate) trusted_proxies: TrustedProxies,
    /// Of a worker; `None`: nowhere.
    pub(crate) metrics_listen: Option<SocketAddr>,
}

#[derive(Debug)]
pub(crate) struct IntakeConfig {
    /// `None`: the folder in the data folder.
    pub(crate) blob_url: Option<BlobUrl>,
    pub(crate) max_bytes: u64,
    pub(crate) accepted: BTreeSet<FileKind>,
    pub(crate) queue_quota: u32,
    pub(crate) concurrent_uploads: u32,
    /// `None`: no limit.
    pub(crate) storage_quota: Option<u64>,
    pub(crate) keep_orphans: Duration,
    pub(crate) keep_failed: Duration,
}

#[derive(Debug)]
pub(crate) struct ReadConfig {
    /// How many processes read at once.
    pub(crate) children: usize,
    pub(crate) languages: Vec<String>,
    pub(crate) sandbox: SandboxPolicy,
}

#[derive(Debug)]
pub(crate) struct WorkConfig {
    /// Workers run inside `docket serve` too.
    pub(crate) while_serving: bool,
    pub(crate) max_jobs: usize,
    /// Empty: all the stages there are.
    pub(crate) pipeline: Vec<StageName>,
    pub(crate) stale: StaleAfter,
    pub(crate) keep_finished_jobs: Duration,
    pub(crate) keep_events: Duration,
}

#[derive(Debug)]
pub(crate) struct LogConfig {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Auto,
    Text,
    Json,
}

pub(crate) const MIN_SECRET_BYTES: usize = 32;
const MIN_TOKEN_BYTES: usize = 16;

impl Config {
    pub(crate) fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let config = Self {
            data_dir: data_dir(layers)?,
            listen: address(layers, "listen")?,
            database: DatabaseConfig::from_layers(layers)?,
            auth: AuthConfig::from_layers(layers)?,
            audit: AuditConfig::from_layers(layers)?,
            limits: LimitsConfig::from_layers(layers)?,
            intake: IntakeConfig::from_layers(layers)?,
            read: ReadConfig::from_layers(layers)?,
            search: SearchConfig::from_layers(layers)?,
            work: WorkConfig::from_layers(layers)?,
            shutdown_grace: seconds(layers, "shutdown_grace_seconds")?,
            log: LogConfig::from_layers(layers)?,
            shown: layers.view(),
        };
        if !config.auth.enabled && !config.listen.ip().is_loopback() {
            return Err(layers.refuse(
                "auth_enabled",
                "without authentication Docket answers on a loopback address only; set listen to \
                 127.0.0.1:8080, or leave auth_enabled on",
            ));
        }
        Ok(config)
    }
}

impl DatabaseConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let url = database_url(layers, "database_url")?;
        let postgres_user = layers.text("postgres_user")?;
        if postgres_user.is_empty() {
            return Err(layers.refuse("postgres_user", "name an account of its own: docket"));
        }
        // The private server takes 200, from all processes together.
        let most = if url.is_some() { 1000 } else { 150 };
        Ok(Self {
            users: database_users(layers, url.as_ref())?,
            url,
            max_connections: max_connections(layers, most)?,
            statement_timeouts: StatementTimeouts {
                requests: seconds(layers, "database_statement_timeout_seconds")?,
                background: seconds(layers, "database_background_timeout_seconds")?,
            },
            postgres_user: postgres_user.to_owned(),
            postgres_orphan_grace: seconds(layers, "postgres_orphan_grace_seconds")?,
        })
    }
}

impl AuthConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        Ok(Self {
            enabled: layers.flag("auth_enabled")?,
            jwt_secret: secret(layers, "jwt_secret")?,
            secrets_key: secret(layers, "secrets_key")?,
            secrets_key_previous: secret(layers, "secrets_key_previous")?,
            jwt_expiry_hours: layers.number("jwt_expiry_hours", 1, 24 * 365)?,
            login_attempts_per_minute: layers.number("login_attempts_per_minute", 1, 1_000_000)?,
            unknown_keys_per_minute: positive(layers, "unknown_keys_per_minute")?,
        })
    }
}

impl AuditConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let trusted = layers.words("audit_trusted_keys")?;
        let trusted: Result<Vec<PublicKey>, _> = trusted.into_iter().map(str::parse).collect();
        let minutes = layers.number("audit_checkpoint_minutes", 1, 60 * 24)?;
        Ok(Self {
            signing_key: secret(layers, "audit_signing_key")?,
            trusted_keys: trusted.map_err(|error| layers.refuse("audit_trusted_keys", error))?,
            checkpoint_every: chrono::Duration::minutes(minutes.into()),
        })
    }
}

impl LimitsConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        Ok(Self {
            rate_limit_per_second: positive(layers, "rate_limit_per_second")?,
            rate_limit_burst: positive(layers, "rate_limit_burst")?,
            request_timeout: seconds(layers, "request_timeout_seconds")?,
            json_max_bytes: layers.number("json_max_size_kb", 1, 100_000)? as usize * 1024,
            metrics_for_everybody: layers.flag("metrics_for_everybody")?,
            metrics_token: metrics_token(layers)?,
            trusted_proxies: trusted_proxies(layers)?,
            metrics_listen: metrics_listen(layers)?,
        })
    }
}

impl IntakeConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let number = |key, most| Ok(u64::from(layers.number(key, 1, most)?));
        Ok(Self {
            blob_url: blob_url(layers)?,
            max_bytes: number("upload_max_size_mb", 100_000)? * 1024 * 1024,
            accepted: accepted_types(layers)?,
            queue_quota: layers.number("queue_quota", 1, 10_000_000)?,
            concurrent_uploads: layers.number("concurrent_uploads", 1, 100_000)?,
            storage_quota: match layers.number("storage_quota_gb", 0, 100_000_000)? {
                0 => None,
                gigabytes => Some(u64::from(gigabytes) << 30),
            },
            keep_orphans: Duration::from_hours(number("upload_cleanup_ttl_hours", 24 * 365)?),
            keep_failed: Duration::from_hours(24 * number("upload_failed_ttl_days", 3650)?),
        })
    }
}

impl ReadConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let cores = || std::thread::available_parallelism().map_or(2, NonZero::get);
        let children = match layers.number("read_children", 0, 256)? {
            0 => cores(),
            some => some as usize,
        };
        let languages = layers.words("ocr_languages")?;
        let is_name = |name: &&str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if languages.is_empty() || !languages.iter().all(is_name) {
            return Err(layers.refuse("ocr_languages", "write names of tesseract, such as eng"));
        }
        let languages = languages.into_iter().map(str::to_owned).collect();
        let sandbox = layers.text("sandbox")?.parse();
        let sandbox =
            sandbox.map_err(|()| layers.refuse("sandbox", "write required or best_effort"))?;
        Ok(Self { children, languages, sandbox })
    }
}

impl WorkConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let number = |key, most| Ok(u64::from(layers.number(key, 1, most)?));
        if layers.text("ingest_mode")? != "database" {
            let fix =
                "write database: workers fetch their jobs there, and this Docket has no other way";
            return Err(layers.refuse("ingest_mode", fix));
        }
        Ok(Self {
            while_serving: !layers.flag("no_workers")?,
            max_jobs: layers.number("worker_max_concurrent_jobs", 1, 1000)? as usize,
            pipeline: pipeline(layers)?,
            stale: StaleAfter {
                queued: Duration::from_hours(number("crash_guard_queued_ttl_hours", 24 * 365)?),
                running: Duration::from_mins(number("crash_guard_running_stale_min", 60 * 24)?),
            },
            keep_finished_jobs: Duration::from_hours(24 * number("finished_jobs_kept_days", 3650)?),
            keep_events: Duration::from_hours(24 * number("events_kept_days", 3650)?),
        })
    }
}

impl LogConfig {
    fn from_layers(layers: &Layers) -> Result<Self, ConfigError> {
        let filter = layers.text("log_level")?;
        if tracing_subscriber::EnvFilter::try_new(filter).is_err() {
            return Err(layers.refuse("log_level", "write error, warn, info, debug or trace"));
        }
        let format = match layers.text("log_format")? {
            "auto" => LogFormat::Auto,
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            _ => return Err(layers.refuse("log_format", "write auto, text or json")),
        };
        Ok(Self { filter: filter.to_owned(), format })
    }
}

fn database_url(layers: &Layers, key: &'static str) -> Result<Option<DatabaseUrl>, ConfigError> {
    match layers.text(key)? {
        "" => Ok(None),
        url => url.parse().map(Some).map_err(|error| layers.refuse(key, error)),
    }
}

fn max_connections(layers: &Layers, most: u32) -> Result<u32, ConfigError> {
    const KEY: &str = "database_max_connections";
    let least = Store::MIN_CONNECTIONS;
    match layers.number(KEY, 0, most)? {
        too_few if too_few < least => Err(layers.refuse(
            KEY,
            format!(
                "write a whole number from {least} to {most}: two connections only listen for \
                 changes, one does work across tenants, and requests need one"
            ),
        )),
        enough => Ok(enough),
    }
}

fn database_users(
    layers: &Layers,
    url: Option<&DatabaseUrl>,
) -> Result<Option<DatabaseUrls>, ConfigError> {
    const SYSTEM: &str = "system_database_url";
    const MIGRATION: &str = "migration_database_url";
    let migration = database_url(layers, MIGRATION)?;
    match (url, database_url(layers, SYSTEM)?) {
        (Some(app), Some(system)) => Ok(Some(DatabaseUrls { app: app.clone(), system, migration })),
        (None, Some(_)) => Err(layers.refuse(SYSTEM, "set database_url as well")),
        (_, None) if migration.is_some() => {
            Err(layers.refuse(MIGRATION, "set database_url and system_database_url as well"))
        }
        _ => Ok(None),
    }
}

fn data_dir(layers: &Layers) -> Result<PathBuf, ConfigError> {
    let folder = layers.text("data_dir")?;
    if folder.is_empty() {
        return Err(layers.refuse("data_dir", "name a folder; it is made when it is missing"));
    }
    std::path::absolute(folder).map_err(|error| layers.refuse("data_dir", error))
}

fn address(layers: &Layers, key: &'static str) -> Result<SocketAddr, ConfigError> {
    let text = layers.text(key)?;
    let resolved = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    resolved.ok_or_else(|| {
        layers.refuse(key, "write an address of this machine and a port: 127.0.0.1:8080")
    })
}

fn metrics_listen(layers: &Layers) -> Result<Option<SocketAddr>, ConfigError> {
    const KEY: &str = "metrics_listen";
    if layers.text(KEY)?.is_empty() { Ok(None) } else { address(layers, KEY).map(Some) }
}

fn metrics_token(layers: &Layers) -> Result<Option<Secret>, ConfigError> {
    const KEY: &str = "metrics_token";
    match layers.text(KEY)? {
        "" => Ok(None),
        short if short.len() < MIN_TOKEN_BYTES => Err(layers
            .refuse(KEY, "it must be 16 bytes or more; make one with: openssl rand -base64 24")),
        token => Ok(Some(Secret::new(token))),
    }
}

/// Networks, or single addresses.
fn trusted_proxies(layers: &Layers) -> Result<TrustedProxies, ConfigError> {
    const KEY: &str = "trusted_proxies";
    let network = |word: &str| {
        let address = word.parse::<IpAddr>().map(IpNet::from);
        address.or_else(|_| word.parse::<IpNet>()).map_err(|_| {
            layers.refuse(KEY, "write addresses or networks, such as 127.0.0.1 or 10.0.0.0/8")
        })
    };
    let networks: Result<Vec<IpNet>, ConfigError> =
        layers.words(KEY)?.into_iter().map(network).collect();
    Ok(TrustedProxies::new(networks?))
}

/// Whether the stages exist is checked where they are known: see `stages.rs`.
fn pipeline(layers: &Layers) -> Result<Vec<StageName>, ConfigError> {
    let words = layers.words("pipeline")?;
    let stages: Result<Vec<StageName>, _> = words.into_iter().map(str::parse).collect();
    let stages = stages.map_err(|error| layers.refuse("pipeline", error))?;
    if stages.is_empty() {
        return Ok(stages);
    }
    let pipeline = Pipeline::try_from(stages);
    Ok(pipeline.map_err(|error| layers.refuse("pipeline", error))?.into())
}

/// Empty: the folder in the data folder.
fn blob_url(layers: &Layers) -> Result<Option<BlobUrl>, ConfigError> {
    let text = layers.text("blob_url")?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        layers.refuse("blob_url", "write file:///folder, s3://bucket/prefix or gs://bucket/prefix")
    })
}

fn accepted_types(layers: &Layers) -> Result<BTreeSet<FileKind>, ConfigError> {
    let words = layers.words("accepted_types")?;
    let kinds: Result<BTreeSet<FileKind>, _> = words.into_iter().map(str::parse).collect();
    let kinds = kinds.map_err(|error| layers.refuse("accepted_types", error))?;
    if kinds.is_empty() {
        return Err(layers.refuse("accepted_types", "name at least one kind of file, such as pdf"));
    }
    Ok(kinds)
}

/// `None`: not set.
fn secret(layers: &Layers, key: &'static str) -> Result<Option<Secret>, ConfigError> {
    let text = layers.text(key)?;
    if !text.is_empty() && text.len() < MIN_SECRET_BYTES {
        return Err(layers
            .refuse(key, "it must be 32 bytes or more; make one with: openssl rand -base64 32"));
    }
    Ok((!text.is_empty()).then(|| Secret::new(text)))
}

fn positive(layers: &Layers, key: &'static str) -> Result<NonZeroU32, ConfigError> {
    let number = layers.number(key, 1, 10_000_000)?;
    Ok(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
}

fn seconds(layers: &Layers, key: &'static str) -> Result<Duration, ConfigError> {
    Ok(Duration::from_secs(layers.number(key, 1, 3600)?.into()))
}
