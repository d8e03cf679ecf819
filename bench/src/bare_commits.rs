//! The peer of an audited write: clients that insert one row each and wait until it is on the disk,
//! straight on the same PostgreSQL server.

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::types::Uuid;
use sqlx::{ConnectOptions, Connection, PgConnection};

use crate::load::Rates;

const TABLE: &str = "
    CREATE TABLE bare_keys (
        api_key_id    uuid PRIMARY KEY,
        tenant_id     uuid NOT NULL,
        name          text NOT NULL,
        role          text NOT NULL,
        prefix        text NOT NULL,
        secret_sha256 bytea NOT NULL,
        created_by    text NOT NULL,
        created_at    timestamptz NOT NULL
    )";
const INSERT: &str = "
    INSERT INTO bare_keys VALUES ($1, $2, $3, $4, $5, $6, $7, now())";

#[derive(Debug)]
pub(crate) struct BareCommits {
    clients: Vec<Client>,
}

#[derive(Debug)]
pub(crate) struct Client {
    connection: PgConnection,
    number: u64,
    rows: u64,
}

/// A superuser's session with a database of the private server.
pub(crate) async fn connect(cluster: &Path, database: &str) -> anyhow::Result<PgConnection> {
    let options = PgConnectOptions::new_without_pgpass()
        .socket(cluster)
        .port(5432)
        .username("docket")
        .database(database)
        .ssl_mode(PgSslMode::Disable);
    Ok(options.connect().await?)
}

impl BareCommits {
    /// A database of its own, with a table whose rows are like those of API keys.
    pub(crate) async fn prepare(cluster: &Path, clients: usize) -> anyhow::Result<Self> {
        let mut first = connect(cluster, "postgres").await?;
        sqlx::raw_sql("CREATE DATABASE bench").execute(&mut first).await?;
        first.close().await?;
        let mut owner = connect(cluster, "bench").await?;
        sqlx::raw_sql(TABLE).execute(&mut owner).await?;
        owner.close().await?;
        let connected = (0..clients).map(|number| async move {
            let connection = connect(cluster, "bench").await?;
            anyhow::Ok(Client { connection, number: number as u64, rows: 0 })
        });
        Ok(Self { clients: try_join_all(connected).await? })
    }

    pub(crate) fn into_clients(self) -> Vec<Client> {
        self.clients
    }

    pub(crate) async fn load(&mut self, duration: Duration) -> anyhow::Result<Rates> {
        let until = Instant::now() + duration;
        let working = self.clients.drain(..).map(|mut client| {
            tokio::spawn(async move {
                let latencies = client.insert_until(until).await?;
                anyhow::Ok((client, latencies))
            })
        });
        let mut latencies = Vec::new();
        for done in try_join_all(working).await? {
            let (client, own) = done?;
            self.clients.push(client);
            latencies.extend(own);
        }
        Ok(Rates::of(latencies, duration))
    }
}

impl Client {
    /// Commits one row.
    pub(crate) async fn insert(&mut self) -> anyhow::Result<()> {
        self.rows += 1;
        sqlx::query(INSERT)
            .bind(Uuid::from_u64_pair(self.rows, self.number))
            .bind(Uuid::from_u64_pair(0, 1))
            .bind("bench")
            .bind("viewer")
            .bind("dk_0123456789ab")
            .bind([7_u8; 32].as_slice())
            .bind("user:01a1e06d-02c2-7720-b340-c0827b1c87e1")
            .execute(&mut self.connection)
            .await?;
        Ok(())
    }

    async fn insert_until(&mut self, until: Instant) -> anyhow::Result<Vec<Duration>> {
        let mut latencies = Vec::new();
        let mut begun = Instant::now();
        while begun < until {
            self.insert().await?;
            let done = Instant::now();
            latencies.push(done - begun);
            begun = done;
        }
        Ok(latencies)
    }
}
