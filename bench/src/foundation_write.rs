//! One audited write (`POST /v1/api-keys`) from many clients, against bare single-row commits; and
//! what the shards of the audit chain are worth.

use std::time::Duration;

use anyhow::ensure;

use crate::Bench;
use crate::bare_commits::{self, BareCommits};
use crate::docket::{ADMIN, Docket, request};
use crate::load::{self, Rates};
use crate::machine::{cpu_time, family_of, postmaster};
use crate::report::{Figure, Target, Unit};

const NAME: &str = "foundation write";
const BARE: &str = "bare commits";

/// All contestants, in the order in which they take turns.
#[derive(Debug, Default)]
struct Samples {
    one_tenant: Vec<Sample>,
    bare: Vec<Sample>,
    many_tenants: Vec<Sample>,
    one_shard: Vec<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    rates: Rates,
    docket_cpu: Duration,
    postgres_cpu: Duration,
}

pub(crate) async fn run(bench: &Bench) -> anyhow::Result<Vec<Figure>> {
    let docket = Docket::start(&bench.docket, &bench.folder.path().join("write"))?;
    let one_tenant = vec![key_request(&docket, ADMIN).await?; Bench::CONNECTIONS];
    let mut many_tenants = Vec::new();
    for number in 0..Bench::CONNECTIONS {
        let admin = docket.create_tenant(&format!("tenant-{number}"))?;
        many_tenants.push(key_request(&docket, &admin).await?);
    }
    let admin = docket.create_tenant("one-shard")?;
    leave_one_shard(&docket).await?;
    let one_shard = vec![key_request(&docket, &admin).await?; Bench::CONNECTIONS];
    let mut bare = BareCommits::prepare(&docket.cluster(), Bench::CONNECTIONS).await?;

    let mut samples = Samples::default();
    for round in 0..=bench.rounds {
        let turn = Samples {
            one_tenant: vec![over_http(bench, &docket, &one_tenant).await?],
            bare: vec![measured(&docket, bare.load(bench.load)).await?],
            many_tenants: vec![over_http(bench, &docket, &many_tenants).await?],
            one_shard: vec![over_http(bench, &docket, &one_shard).await?],
        };
        if round > 0 {
            samples.one_tenant.extend(turn.one_tenant);
            samples.bare.extend(turn.bare);
            samples.many_tenants.extend(turn.many_tenants);
            samples.one_shard.extend(turn.one_shard);
        }
    }
    Ok(figures(&samples))
}

fn figures(samples: &Samples) -> Vec<Figure> {
    let Samples { one_tenant, bare, many_tenants, one_shard } = samples;
    let compare = |what, unit, peer, ours: &[Sample], theirs: &[Sample], of: fn(&Sample) -> f64| {
        let ours: Vec<f64> = ours.iter().map(of).collect();
        let theirs: Vec<f64> = theirs.iter().map(of).collect();
        Figure::alone(NAME, what, unit, &ours).beside(peer, &ours, &theirs)
    };
    let per_second = |sample: &Sample| sample.rates.per_second;
    let p50 = |sample: &Sample| sample.rates.p50_ms;
    let p99 = |sample: &Sample| sample.rates.p99_ms;
    let cpu = |sample: &Sample| sample.microseconds_of(sample.docket_cpu);
    let postgres_cpu = |sample: &Sample| sample.microseconds_of(sample.postgres_cpu);
    let (each, ms, us) = (Unit::PerSecond, Unit::Milliseconds, Unit::Microseconds);
    vec![
        compare("writes, one tenant", each, BARE, one_tenant, bare, per_second)
            .with_target(Target::AtLeast(0.5)),
        compare("p50, one tenant", ms, BARE, one_tenant, bare, p50),
        compare("p99, one tenant", ms, BARE, one_tenant, bare, p99),
        compare("PostgreSQL CPU per write", us, BARE, one_tenant, bare, postgres_cpu),
        Figure::alone(
            NAME,
            "Docket CPU per write",
            us,
            &one_tenant.iter().map(cpu).collect::<Vec<_>>(),
        ),
        compare(
            "one tenant against many",
            each,
            "32 tenants",
            one_tenant,
            many_tenants,
            per_second,
        ),
        compare("64 shards against one", each, "one shard", one_tenant, one_shard, per_second),
        compare("p99, 64 shards against one", ms, "one shard", one_tenant, one_shard, p99),
    ]
}

impl Sample {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 answers")]
    fn microseconds_of(&self, cpu: Duration) -> f64 {
        cpu.as_secs_f64() * 1e6 / self.rates.answers as f64
    }
}

async fn key_request(docket: &Docket, admin: &str) -> anyhow::Result<Vec<u8>> {
    let token = docket.sign_in(admin).await?;
    let body = r#"{"name":"bench","role":"viewer"}"#;
    Ok(request("POST", "/v1/api-keys", Some(&token), body))
}

/// The alternative that was not taken: one chain, in which every write waits for the one before.
async fn leave_one_shard(docket: &Docket) -> anyhow::Result<()> {
    let mut superuser = bare_commits::connect(&docket.cluster(), "docket").await?;
    let removed = sqlx::query(
        "DELETE FROM audit_chain_shards USING tenants
         WHERE audit_chain_shards.tenant_id = tenants.tenant_id AND tenants.name = 'one-shard' AND shard <> 0",
    )
    .execute(&mut superuser)
    .await?;
    ensure!(removed.rows_affected() > 0, "the tenant had no shards to remove");
    Ok(())
}

async fn over_http(bench: &Bench, docket: &Docket, requests: &[Vec<u8>]) -> anyhow::Result<Sample> {
    let load = load::http(docket.server.address, requests.to_vec(), bench.load);
    measured(docket, load).await
}

async fn measured(
    docket: &Docket,
    load: impl Future<Output = anyhow::Result<Rates>>,
) -> anyhow::Result<Sample> {
    let postmaster = postmaster(&docket.cluster())?;
    let cpu = || (cpu_time(&[docket.server.pid()]), cpu_time(&family_of(postmaster)));
    let (docket_before, postgres_before) = cpu();
    let rates = load.await?;
    let (docket_after, postgres_after) = cpu();
    Ok(Sample {
        rates,
        docket_cpu: docket_after.saturating_sub(docket_before),
        postgres_cpu: postgres_after.saturating_sub(postgres_before),
    })
}
