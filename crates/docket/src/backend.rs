//! Opens and closes the database of a command: Docket's private PostgreSQL, or the one that `database_url` names.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use blob::Blobs;
use domain::{Environment, Secret};
use engine::Stages;
use ops::{AuditKey, AuditSettings, Ops, OpsError, Settings, TenantExtraction, TokenKey};
use reading::reader::Reader;
use reading::sandbox::SandboxReport;
use store::private::{self, PrivateServer};
use store::{SecretKeys, Store};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::commands;
use crate::config::Config;
use crate::data_dir::{DataDir, DataDirError};
use crate::models;
use crate::objects::{self, ObjectStoreUse};
use crate::readers;
use crate::signals::StopSignals;
use crate::stages::{self, AddStages, StageDependencies};
use crate::system;

/// An open database and the use cases on it.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) ops: Ops,
    database: OpenDatabase,
    stages: Stages,
}

/// Whether a command may be the first to use a data folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataFolder {
    CreateIfMissing,
    MustExist,
}

impl Backend {
    /// bcrypt's work factor for passwords.
    const BCRYPT_COST: u32 = 12;

    /// For `docket serve`, which also checks what its sandbox enforces.
    pub(crate) async fn open(
        config: &Config,
        folder: DataFolder,
        add_stages: AddStages,
    ) -> Result<Self> {
        let reader = readers::reader(&config.read)?;
        let sandbox = readers::check_sandbox(&reader).await;
        Self::open_with(config, folder, add_stages, reader, Some(sandbox), ObjectStoreUse::Required)
            .await
    }

    async fn open_with(
        config: &Config,
        folder: DataFolder,
        add_stages: AddStages,
        reader: Reader,
        sandbox: Option<SandboxReport>,
        objects: ObjectStoreUse,
    ) -> Result<Self> {
        let environment = system::database_environment();
        let data_dir = open_data_dir(config, folder)?;
        let token_key = match &config.auth.jwt_secret {
            Some(secret) => secret.clone(),
            None => data_dir.secret("jwt_secret", environment.random.as_ref())?,
        };
        if config.database.url.is_some() && config.auth.jwt_secret.is_none() {
            tracing::info!(
                "jwt_secret is not set: other servers of this database do not accept the tokens of this one"
            );
        }
        let audit_key = match &config.audit.signing_key {
            Some(secret) => secret.clone(),
            None => data_dir.secret("audit_signing_key", environment.random.as_ref())?,
        };
        let reads_documents = sandbox.as_ref().is_none_or(SandboxReport::reads_documents);
        let database = OpenDatabase::open(config, &data_dir, &environment).await?;
        let database = database.with_secret_keys(config, &data_dir, &environment).await?;
        let (database, blobs) =
            database.with_objects(config, &data_dir, &environment, objects).await?;
        let settings = Settings {
            token_key: TokenKey::new(token_key.reveal()),
            token_lifetime: chrono::Duration::hours(config.auth.jwt_expiry_hours.into()),
            bcrypt_cost: Self::BCRYPT_COST,
            login_attempts_per_minute: config.auth.login_attempts_per_minute,
            unknown_keys_per_minute: config.auth.unknown_keys_per_minute,
            audit: AuditSettings {
                key: AuditKey::new(&audit_key, &config.audit.trusted_keys),
                checkpoint_every: config.audit.checkpoint_every,
            },
            intake: stages::intake_settings(config, add_stages)?,
            reader: Some(reader.clone()),
            sandbox,
            search: models::search_settings(&config.search)?,
        };
        let ops = Ops::new(database.store.clone(), blobs.clone(), &settings, environment.random);
        let dependencies = StageDependencies {
            blobs: &blobs,
            ids: database.store.ids().clone(),
            reader,
            reads_documents,
            children: config.read.children,
            intake: ops.intake().clone(),
            vectors: ops.search.embeddings(),
            extraction: TenantExtraction::new(database.store.clone()),
            language_model: models::field_model(&config.search)?,
        };
        let stages = stages::registered(add_stages, dependencies);
        Ok(Self { ops, database, stages })
    }

    /// Its parts, which live for different times while the process serves.
    pub(crate) fn into_parts(self) -> (Ops, OpenDatabase, Stages) {
        (self.ops, self.database, self.stages)
    }
}

fn open_data_dir(config: &Config, folder: DataFolder) -> Result<DataDir, DataDirError> {
    let data_dir = DataDir::open(&config.data_dir, folder == DataFolder::CreateIfMissing)?;
    let needs_database = folder == DataFolder::MustExist && config.database.url.is_none();
    if needs_database && !data_dir.holds_a_database() {
        return Err(DataDirError::NothingThere { folder: config.data_dir.clone() });
    }
    Ok(data_dir)
}

/// Opens the database, runs `work` and closes the database again, also after an error or Ctrl-C: a private server must
/// not be left running.
pub(crate) async fn with_ops<T>(
    config: &Config,
    folder: DataFolder,
    work: impl AsyncFnOnce(&Ops) -> Result<T, OpsError>,
) -> Result<T> {
    with_objects(config, folder, ObjectStoreUse::Optional, work).await
}

/// The same for a command that is about the object store.
pub(crate) async fn with_objects<T>(
    config: &Config,
    folder: DataFolder,
    objects: ObjectStoreUse,
    work: impl AsyncFnOnce(&Ops) -> Result<T, OpsError>,
) -> Result<T> {
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    let reader = readers::reader(&config.read)?;
    let backend =
        Backend::open_with(config, folder, std::convert::identity, reader, None, objects).await?;
    let (ops, database, _) = backend.into_parts();
    let done = tokio::select! {
        done = work(&ops) => done.map_err(anyhow::Error::from),
        () = signals.next() => Err(anyhow::anyhow!("interrupted before it was finished")),
    };
    database.close_after(done).await
}

/// What must be closed in order.
#[derive(Debug)]
pub(crate) struct OpenDatabase {
    store: Store,
    server: Option<PrivateServer>,
    /// The task that follows the database's clock ends when this is dropped.
    clock_follower: DropGuard,
}

impl OpenDatabase {
    /// The file with the key for secrets.
    pub(crate) const SECRETS_KEY: &str = "master_key";
    /// A connection that hangs must not keep the process from ending.
    const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

    /// For a worker: with the object store, and with the key of passwords of documents.
    pub(crate) async fn attach_for_work(
        config: &Config,
        folder: DataFolder,
    ) -> Result<(Self, Blobs)> {
        let data_dir = open_data_dir(config, folder)?;
        let environment = system::database_environment();
        let database = Self::open(config, &data_dir, &environment).await?;
        let (database, blobs) = database
            .with_objects(config, &data_dir, &environment, ObjectStoreUse::Required)
            .await?;
        // A key generated here could not decrypt what the servers of a shared database have encrypted.
        let has_key = config.auth.secrets_key.is_some() || data_dir.has_secret(Self::SECRETS_KEY);
        if config.database.url.is_some() && !has_key {
            tracing::info!(
                "secrets_key is not set: documents with a password are left to workers that have it"
            );
            return Ok((database, blobs));
        }
        Ok((database.with_secret_keys(config, &data_dir, &environment).await?, blobs))
    }

    /// Encrypts secrets from now on, and those that are stored in plain text.
    async fn with_secret_keys(
        self,
        config: &Config,
        data_dir: &DataDir,
        environment: &Environment,
    ) -> Result<Self> {
        let auth = &config.auth;
        let keys = match &auth.secrets_key {
            Some(key) => {
                let keys = [Some(key), auth.secrets_key_previous.as_ref()];
                let keys: Vec<Secret> = keys.into_iter().flatten().cloned().collect();
                Ok(SecretKeys::new(Box::new(move || keys.clone())))
            }
            None => Self::keys_in_folder(data_dir, environment),
        };
        let keyed = match keys {
            Ok(keys) => {
                self.store.clone().with_secret_keys(keys).await.map_err(anyhow::Error::from)
            }
            Err(error) => Err(error.into()),
        };
        match keyed {
            Ok(store) => Ok(Self { store, ..self }),
            Err(error) => self.close_after(Err(error)).await,
        }
    }

    async fn with_objects(
        self,
        config: &Config,
        data_dir: &DataDir,
        environment: &Environment,
        wanted: ObjectStoreUse,
    ) -> Result<(Self, Blobs)> {
        let random = environment.random.as_ref();
        match objects::open(config, data_dir, &self.store, random, wanted).await {
            Ok(blobs) => Ok((self, blobs)),
            Err(error) => self.close_after(Err(error)).await,
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    async fn open(config: &Config, data_dir: &DataDir, environment: &Environment) -> Result<Self> {
        let (clock, ids) = (environment.clock.clone(), environment.ids.clone());
        let connections = config.database.max_connections;
        let timeouts = config.database.statement_timeouts;
        if let Some(url) = &config.database.url {
            let store = match &config.database.users {
                Some(users) => Store::open_with_users(users, connections, clock, ids).await?,
                None => Store::open(url, connections, clock, ids).await?,
            };
            if let Some(reason) = store.login_weakness() {
                tracing::warn!(
                    reason,
                    "all work in the database is done by the one user of database_url; \
                     docs/database-roles.md says how to give Docket users with fewer rights"
                );
            }
            return Self::follow_clock(store.with_statement_timeouts(timeouts), None).await;
        }
        let settings = private::Settings {
            run_as: config.database.postgres_user.clone(),
            watchdog: Some(commands::watchdog::command(config.database.postgres_orphan_grace)),
            ..private::Settings::new(data_dir.postgres_folder())
        };
        let server = PrivateServer::start_or_attach(settings).await?;
        match Store::open_private(&server, connections, clock, ids).await {
            Ok(store) => {
                Self::follow_clock(store.with_statement_timeouts(timeouts), Some(server)).await
            }
            Err(error) => {
                if let Err(error) = server.release().await {
                    tracing::warn!(%error, "the private server was not stopped");
                }
                Err(error.into())
            }
        }
    }

    /// Reads the database's time before anything else uses the clock.
    async fn follow_clock(store: Store, server: Option<PrivateServer>) -> Result<Self> {
        let stop = CancellationToken::new();
        let opened =
            Self { store: store.clone(), server, clock_follower: stop.clone().drop_guard() };
        if let Err(error) = store.synchronise_clock().await {
            let error = anyhow::Error::from(error).context("the database's clock cannot be read");
            return opened.close_after(Err(error)).await;
        }
        tokio::spawn(async move { store.follow_clock(stop).await });
        Ok(opened)
    }

    /// The keys in the data folder, which are read again when they are replaced.
    fn keys_in_folder(
        data_dir: &DataDir,
        environment: &Environment,
    ) -> Result<SecretKeys, DataDirError> {
        data_dir.secret(Self::SECRETS_KEY, environment.random.as_ref())?;
        let last_read = Mutex::new(data_dir.secret_and_previous(Self::SECRETS_KEY)?);
        let data_dir = data_dir.clone();
        Ok(SecretKeys::new(Box::new(move || {
            let mut keys = last_read.lock().unwrap_or_else(PoisonError::into_inner);
            match data_dir.secret_and_previous(Self::SECRETS_KEY) {
                Ok(read) => *keys = read,
                Err(error) => tracing::error!(%error, "the keys that were read before stay in use"),
            }
            keys.clone()
        })))
    }

    /// Closes, and returns the result of the work: if both failed, the error of the work.
    pub(crate) async fn close_after<T>(self, done: Result<T>) -> Result<T> {
        match (done, self.close().await) {
            (Ok(value), Ok(())) => Ok(value),
            (Ok(_), Err(error)) | (Err(error), Ok(())) => Err(error),
            (Err(error), Err(closing)) => {
                tracing::warn!(%closing, "the database was not closed");
                Err(error)
            }
        }
    }

    /// Connections first: the server waits for them when it stops.
    async fn close(self) -> Result<()> {
        drop(self.clock_follower);
        if tokio::time::timeout(Self::CLOSE_TIMEOUT, self.store.close()).await.is_err() {
            tracing::warn!("some connections to the database did not close in time");
        }
        if let Some(server) = self.server {
            server.release().await?;
        }
        Ok(())
    }
}
