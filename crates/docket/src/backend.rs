//! The database behind a command: the private server or somebody else's, opened and closed again.

use anyhow::Result;
use ops::{Environment, Ops, Settings, TokenKey};
use store::Store;
use store::private::{self, PrivateServer};

use crate::config::Config;
use crate::data_dir::DataDir;
use crate::system;

/// An open database and the use cases on it.
#[derive(Debug)]
pub(crate) struct Backend {
    pub(crate) store: Store,
    pub(crate) ops: Ops,
    server: Option<PrivateServer>,
}

impl Backend {
    /// bcrypt's work factor for passwords.
    const BCRYPT_COST: u32 = 12;

    pub(crate) async fn open(config: &Config) -> Result<Self> {
        let environment = system::environment();
        let data_dir = DataDir::open(&config.data_dir)?;
        let token_key = match &config.auth.jwt_secret {
            Some(secret) => secret.0.clone(),
            None => data_dir.secret("jwt_secret", environment.random.as_ref())?,
        };
        if config.database.url.is_some() && config.auth.jwt_secret.is_none() {
            tracing::info!(
                "jwt_secret is not set: tokens made here do not count on other servers of this database"
            );
        }
        let (store, server) = open_store(config, &data_dir, &environment).await?;
        let settings = Settings {
            token_key: TokenKey::new(token_key),
            token_lifetime: chrono::Duration::hours(config.auth.jwt_expiry_hours.into()),
            bcrypt_cost: Self::BCRYPT_COST,
            login_attempts_per_minute: config.auth.login_attempts_per_minute,
        };
        let ops = Ops::new(store.clone(), &settings, environment);
        Ok(Self { store, ops, server })
    }

    /// Splits off the use cases, which outlive this value's borrowers while serving.
    pub(crate) fn into_parts(self) -> (Ops, OpenDatabase) {
        (self.ops, OpenDatabase { store: self.store, server: self.server })
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.into_parts().1.close().await
    }
}

/// What must be let go of in order.
#[derive(Debug)]
pub(crate) struct OpenDatabase {
    store: Store,
    server: Option<PrivateServer>,
}

impl OpenDatabase {
    /// Connections first: the server waits for them when it stops.
    pub(crate) async fn close(self) -> Result<()> {
        self.store.close().await;
        if let Some(server) = self.server {
            server.release().await?;
        }
        Ok(())
    }
}

async fn open_store(
    config: &Config,
    data_dir: &DataDir,
    environment: &Environment,
) -> Result<(Store, Option<PrivateServer>)> {
    let (clock, ids) = (environment.clock.clone(), environment.ids.clone());
    let connections = config.database.max_connections;
    if let Some(url) = &config.database.url {
        return Ok((Store::open(url, connections, clock, ids).await?, None));
    }
    let settings = private::Settings {
        run_as: config.database.postgres_user.clone(),
        ..private::Settings::new(data_dir.postgres_folder())
    };
    let server = PrivateServer::start_or_attach(settings).await?;
    match Store::open_private(&server, connections, clock, ids).await {
        Ok(store) => Ok((store, Some(server))),
        Err(error) => {
            server.release().await?;
            Err(error.into())
        }
    }
}
