//! The audit chain: every row that is changed, moved or removed is detected, and writers do not wait for each other.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::sync::Arc;

use domain::{
    Action, AuditAction, AuditEntry, AuditId, Caller, ChainFault, Entity, Scope, TenantId,
};
use serde_json::json;
use sqlx::AssertSqlSafe;
use sqlx::migrate::Migrator;
use store::Store;
use testkit::{FakeClock, TestApp, TestDatabase, TestTenant, fake_environment};
use uuid::Uuid;

fn scope_of(tenant: &TestTenant) -> Scope {
    Caller::system(tenant.tenant.tenant_id).permit(Action::ReadAudit).unwrap()
}

async fn append(store: &Store, scope: &Scope, number: u64) {
    let mut tx = store.begin(scope).await.unwrap();
    tx.append_audit(AuditEntry {
        action: AuditAction::UserUpdated,
        entity: Entity::Tenant(TenantId(Uuid::nil())),
        detail: json!({ "number": number, "text": "Ünïcode \"quoted\" \u{1}" }),
    })
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

async fn faults(store: &Store, tenant: &TestTenant) -> Vec<ChainFault> {
    let mut across = store.across_tenants().await.unwrap();
    across.use_one_snapshot().await.unwrap();
    let faults = across.find_chain_faults(tenant.tenant.tenant_id).await.unwrap();
    across.commit().await.unwrap();
    faults
}

/// A tenant whose chain has ten rows in its first shard, and direct access to them.
struct Tampering {
    app: TestApp,
    tenant: TestTenant,
}

impl Tampering {
    async fn prepare() -> Self {
        let app = TestApp::start().await;
        let tenant = app.tenant("acme").await;
        let scope = scope_of(&tenant);
        for number in 0..7 {
            append(app.ops.store(), &scope, number).await;
        }
        assert_eq!(faults(app.ops.store(), &tenant).await, []);
        Self { app, tenant }
    }

    async fn id_at(&self, position: i64) -> AuditId {
        let mut superuser = self.app.database.superuser().await;
        let id = sqlx::query_scalar("SELECT audit_id FROM audit_log WHERE position = $1")
            .bind(position)
            .fetch_one(&mut superuser)
            .await
            .unwrap();
        AuditId(id)
    }

    async fn with(&self, statement: &str) -> Vec<ChainFault> {
        let mut superuser = self.app.database.superuser().await;
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut superuser).await.unwrap();
        faults(self.app.ops.store(), &self.tenant).await
    }
}

#[tokio::test]
async fn a_changed_row_is_named() {
    let tampering = Tampering::prepare().await;
    let fault = ChainFault::Changed { audit_id: tampering.id_at(5).await, shard: 0, position: 5 };
    for column in [
        "detail = '{}'",
        "ts = ts + interval '1 microsecond'",
        "action = 'USER_LOGIN'",
        "actor = 'nobody'",
        "trace_id = 'x'",
        "entity_id = gen_random_uuid()",
        "hash = sha256('x')",
    ] {
        let mut superuser = tampering.app.database.superuser().await;
        sqlx::raw_sql("DROP TABLE IF EXISTS kept; CREATE TABLE kept AS TABLE audit_log")
            .execute(&mut superuser)
            .await
            .unwrap();
        let found =
            tampering.with(&format!("UPDATE audit_log SET {column} WHERE position = 5")).await;
        assert!(found.contains(&fault), "{column}: {found:?}");
        sqlx::raw_sql("DELETE FROM audit_log; INSERT INTO audit_log SELECT * FROM kept")
            .execute(&mut superuser)
            .await
            .unwrap();
        assert_eq!(faults(tampering.app.ops.store(), &tampering.tenant).await, []);
    }
}

#[tokio::test]
async fn a_changed_row_is_named_even_when_its_hash_was_recomputed() {
    let new_hash = "hash = docket_audit_hash(prev_hash, shard, position, audit_id, tenant_id, user_id, \
                  'forger', entity_type, entity_id, action, detail, ts, trace_id)";
    for position in [5, 10] {
        let tampering = Tampering::prepare().await;
        let audit_id = tampering.id_at(position).await;
        let found = tampering
            .with(&format!(
                "UPDATE audit_log SET actor = 'forger', {new_hash} WHERE position = {position}"
            ))
            .await;
        assert_eq!(found, [ChainFault::Changed { audit_id, shard: 0, position }]);
    }
}

#[tokio::test]
async fn a_removed_row_is_named_by_its_position() {
    let tampering = Tampering::prepare().await;
    assert_eq!(
        tampering.with("DELETE FROM audit_log WHERE position = 4").await,
        [ChainFault::Missing { shard: 0, from: 4, to: 4 }]
    );
}

#[tokio::test]
async fn rows_removed_at_either_end_are_named() {
    let tampering = Tampering::prepare().await;
    assert_eq!(
        tampering.with("DELETE FROM audit_log WHERE position IN (1, 9, 10)").await,
        [
            ChainFault::Missing { shard: 0, from: 1, to: 1 },
            ChainFault::Missing { shard: 0, from: 9, to: 10 }
        ]
    );
}

#[tokio::test]
async fn rows_that_change_places_are_named() {
    let tampering = Tampering::prepare().await;
    let (third, seventh) = (tampering.id_at(3).await, tampering.id_at(7).await);
    let found = tampering
        .with(
            "UPDATE audit_log SET position = -position WHERE position IN (3, 7);
             UPDATE audit_log SET position = 10 + position WHERE position < 0",
        )
        .await;
    let moved: Vec<AuditId> = found
        .iter()
        .filter_map(|fault| match fault {
            ChainFault::Reordered { audit_id, .. } => Some(*audit_id),
            _ => None,
        })
        .collect();
    assert!(moved.contains(&third) && moved.contains(&seventh), "{found:?}");
}

#[tokio::test]
async fn an_inserted_row_is_named() {
    let tampering = Tampering::prepare().await;
    let found = tampering
        .with(
            "INSERT INTO audit_log SELECT gen_random_uuid(), tenant_id, user_id, 'forger', entity_type,
                 entity_id, action, detail, ts, trace_id, shard, 11, hash, sha256('x')
             FROM audit_log WHERE position = 10",
        )
        .await;
    assert_eq!(found.len(), 2, "the row, and the head that does not match it: {found:?}");
    assert!(matches!(found[0], ChainFault::Changed { position: 11, .. }), "{found:?}");
    assert_eq!(found[1], ChainFault::HeadDiffers { shard: 0 });
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_at_once_leave_an_unbroken_chain() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let before = count(&app, &acme).await;
    let store = Arc::new(app.ops.store().clone());
    let writers: Vec<_> = (0..32_u64)
        .map(|writer| {
            let (store, scope) = (Arc::clone(&store), scope_of(&acme));
            tokio::spawn(async move {
                for number in 0..25 {
                    append(&store, &scope, writer * 1000 + number).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(count(&app, &acme).await, before + 32 * 25);
    assert_eq!(faults(&store, &acme).await, []);
}

#[tokio::test]
async fn a_writer_does_not_wait_for_another_ones_commit() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let scope = scope_of(&acme);
    let entry = AuditEntry {
        action: AuditAction::UserUpdated,
        entity: Entity::Tenant(acme.tenant.tenant_id),
        detail: json!({}),
    };
    let mut slow = app.ops.store().begin(&scope).await.unwrap();
    slow.append_audit(entry).await.unwrap();
    // While that transaction is open, a second one commits: otherwise the test would hang here.
    append(app.ops.store(), &scope, 2).await;
    slow.commit().await.unwrap();
    assert_eq!(faults(app.ops.store(), &acme).await, []);
}

#[tokio::test]
async fn when_every_shard_is_locked_a_writer_waits() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let mut superuser = app.database.superuser().await;
    sqlx::raw_sql("DELETE FROM audit_chain_shards WHERE shard > 0")
        .execute(&mut superuser)
        .await
        .unwrap();
    let scope = scope_of(&acme);
    let mut first = app.ops.store().begin(&scope).await.unwrap();
    first
        .append_audit(AuditEntry {
            action: AuditAction::UserUpdated,
            entity: Entity::Tenant(acme.tenant.tenant_id),
            detail: json!({}),
        })
        .await
        .unwrap();
    let second = append(app.ops.store(), &scope, 2);
    let commit = async {
        while !a_writer_waits(&app).await {
            tokio::task::yield_now().await;
        }
        first.commit().await.unwrap();
    };
    tokio::join!(second, commit);
    assert_eq!(faults(app.ops.store(), &acme).await, []);
}

/// A database of a version that called the chain shards lanes: after the migration its hashes are valid, and new rows
/// continue its chains.
#[tokio::test]
async fn the_chain_of_an_earlier_version_stays_valid() {
    const RENAMED_BY: i64 = 29;
    static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");
    // Creates the roles, which belong to the server.
    drop(TestDatabase::create().await);
    let database = TestDatabase::create_bare().await;
    let mut superuser = database.superuser().await;
    let earlier = MIGRATIONS.iter().filter(|step| step.version < RENAMED_BY).cloned().collect();
    Migrator::with_migrations(earlier).run(&mut superuser).await.unwrap();
    let tenant_id = TenantId(Uuid::from_u128(7));
    sqlx::raw_sql(
        "INSERT INTO tenants (tenant_id, name, created_at)
         VALUES ('00000000-0000-0000-0000-000000000007', 'a', now());
         INSERT INTO audit_lanes (tenant_id, lane) SELECT tenant_id, 3 FROM tenants;
         SELECT docket_audit_append(
             tenant_id, ARRAY[gen_random_uuid(), gen_random_uuid()], ARRAY[NULL, NULL]::uuid[],
             ARRAY['system', 'system'], ARRAY['tenant', 'tenant'], ARRAY[tenant_id, tenant_id],
             ARRAY['TENANT_CREATED', 'USER_CREATED'], ARRAY['{}', '{\"a\": 1}']::jsonb[],
             ARRAY[now(), now()], ARRAY[NULL, NULL]::text[])
         FROM tenants",
    )
    .execute(&mut superuser)
    .await
    .unwrap();
    let hashes = "SELECT hash FROM audit_log ORDER BY position";
    let before: Vec<Vec<u8>> = sqlx::query_scalar(hashes).fetch_all(&mut superuser).await.unwrap();

    let environment = fake_environment(&Arc::new(FakeClock::default()));
    let store = database.store(environment.clock, environment.ids).await;
    let after: Vec<Vec<u8>> = sqlx::query_scalar(hashes).fetch_all(&mut superuser).await.unwrap();
    assert_eq!((after.len(), after), (2, before));
    append(&store, &Caller::system(tenant_id).permit(Action::ReadAudit).unwrap(), 1).await;
    let mut across = store.across_tenants().await.unwrap();
    across.use_one_snapshot().await.unwrap();
    assert_eq!(across.find_chain_faults(tenant_id).await.unwrap(), []);
    assert_eq!(across.count_audit_rows(tenant_id).await.unwrap(), 3);
    let heads = across.shard_heads(tenant_id).await.unwrap();
    assert_eq!(heads.iter().map(|head| (head.shard, head.length)).collect::<Vec<_>>(), [(3, 3)]);
}

async fn a_writer_waits(app: &TestApp) -> bool {
    let mut superuser = app.database.superuser().await;
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock')",
    )
    .fetch_one(&mut superuser)
    .await
    .unwrap()
}

async fn count(app: &TestApp, tenant: &TestTenant) -> i64 {
    let mut across = app.ops.store().across_tenants().await.unwrap();
    across.count_audit_rows(tenant.tenant.tenant_id).await.unwrap()
}
