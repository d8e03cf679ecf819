//! Signed checkpoints: an attacker with full access to the database cannot rewrite the audit log unnoticed.

use std::sync::Arc;

use chrono::Duration;
use domain::{ChainReport, CheckpointFault, CheckpointOrigin, Secret, SignedCheckpoint};
use futures_util::TryStreamExt;
use ops::{AuditKey, AuditSettings};
use sqlx::AssertSqlSafe;
use testkit::{TestApp, TestSettings, TestTenant};

/// Renumbers the remaining rows and recomputes their hashes, as a careful attacker does.
const REWRITE_CHAIN: &str = "
    DO $$
    DECLARE
        shard_row audit_chain_shards;
        entry audit_log;
        last_hash bytea;
        place bigint;
    BEGIN
        UPDATE audit_log SET position = position + 1000000;
        FOR shard_row IN SELECT * FROM audit_chain_shards LOOP
            last_hash := decode(repeat('00', 32), 'hex');
            place := 0;
            FOR entry IN SELECT * FROM audit_log AS log
                WHERE log.tenant_id = shard_row.tenant_id AND log.shard = shard_row.shard ORDER BY position
            LOOP
                place := place + 1;
                UPDATE audit_log SET prev_hash = last_hash, position = place, hash = docket_audit_hash(
                    last_hash, shard, place, audit_id, tenant_id, user_id, actor, entity_type, entity_id, action,
                    detail, ts, trace_id)
                WHERE audit_id = entry.audit_id RETURNING hash INTO last_hash;
            END LOOP;
            UPDATE audit_chain_shards AS l SET length = place, head = last_hash
            WHERE l.tenant_id = shard_row.tenant_id AND l.shard = shard_row.shard;
        END LOOP;
    END
    $$;";

/// A tenant with some audit rows that a checkpoint covers.
struct Attack {
    app: TestApp,
    tenant: TestTenant,
}

impl Attack {
    async fn prepare() -> Self {
        let app = TestApp::start().await;
        let tenant = app.tenant("acme").await;
        for _ in 0..3 {
            app.login("admin@acme.test").await;
        }
        assert_eq!(app.ops.audit.take_checkpoints(app.ops.clock().now()).await.unwrap(), 1);
        let attack = Self { app, tenant };
        let report = attack.verify(&[]).await;
        assert!(report.is_intact(), "{report:?}");
        assert_eq!(report.checkpoints.compared, 1);
        attack
    }

    /// Changes the database as a superuser.
    async fn tamper(&self, statements: &str) {
        let mut superuser = self.app.database.superuser().await;
        let statements = AssertSqlSafe(statements.to_owned());
        sqlx::raw_sql(statements).execute(&mut superuser).await.unwrap();
    }

    /// Tampers and repairs the hash chain afterwards.
    async fn rewrite(&self, statements: &str) {
        self.tamper(&format!("{statements}; {REWRITE_CHAIN}")).await;
        let report = self.verify(&[]).await;
        assert_eq!(report.faults, [], "the chain alone detects nothing");
    }

    async fn verify(&self, against: &[SignedCheckpoint]) -> ChainReport {
        let reports = self.app.ops.audit.verify_audit(against).await.unwrap();
        let own = self.tenant.tenant.tenant_id;
        reports.into_iter().find(|report| report.tenant_id == own).unwrap()
    }

    /// The attacker controls the object store too.
    async fn remove_stored_checkpoints(&self) {
        let places: Vec<_> = self.app.blobs.list_checkpoints(None).try_collect().await.unwrap();
        assert!(!places.is_empty());
        for place in places {
            self.app.blobs.delete_checkpoint(&place).await.unwrap();
        }
    }
}

#[track_caller]
fn assert_contradicted(report: &ChainReport) {
    let faults = &report.checkpoints.faults;
    assert!(
        matches!(faults[..], [CheckpointFault::Contradicted { number: 1, shard: 0, .. }]),
        "{faults:?}"
    );
}

#[tokio::test]
async fn removing_the_last_rows_is_detected_although_the_head_was_reset() {
    let attack = Attack::prepare().await;
    attack.rewrite("DELETE FROM audit_log WHERE position > 2").await;
    assert_contradicted(&attack.verify(&[]).await);
}

#[tokio::test]
async fn removed_rows_are_detected_although_the_chain_was_rewritten() {
    let attack = Attack::prepare().await;
    attack.rewrite("DELETE FROM audit_log WHERE action = 'USER_LOGIN'").await;
    assert_contradicted(&attack.verify(&[]).await);
}

#[tokio::test]
async fn a_changed_row_is_detected_although_the_chain_was_rewritten() {
    let attack = Attack::prepare().await;
    attack.rewrite("UPDATE audit_log SET actor = 'somebody else' WHERE position = 1").await;
    assert_contradicted(&attack.verify(&[]).await);
}

#[tokio::test]
async fn an_emptied_log_is_detected_although_its_checkpoints_were_removed() {
    let attack = Attack::prepare().await;
    attack.rewrite("DELETE FROM audit_log; DELETE FROM audit_checkpoints").await;
    let report = attack.verify(&[]).await;
    assert_eq!(report.rows, 0);
    assert_contradicted(&report);
}

#[tokio::test]
async fn an_exported_checkpoint_detects_tampering_with_database_and_object_store() {
    let attack = Attack::prepare().await;
    let exported = attack.app.ops.audit.export_checkpoints().await.unwrap();
    attack.rewrite("DELETE FROM audit_log; DELETE FROM audit_checkpoints").await;
    attack.remove_stored_checkpoints().await;
    assert!(attack.verify(&[]).await.is_intact(), "nothing else can detect it");
    assert_contradicted(&attack.verify(&exported).await);
}

#[tokio::test]
async fn a_missing_tenant_is_reported() {
    let attack = Attack::prepare().await;
    let gone = attack.tenant.tenant.tenant_id;
    attack
        .tamper(
            "SET session_replication_role = replica;
             DELETE FROM audit_log; DELETE FROM audit_chain_shards; DELETE FROM audit_checkpoints; DELETE FROM tenants",
        )
        .await;
    let reports = attack.app.ops.audit.verify_audit(&[]).await.unwrap();
    let [report] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!(report.tenant_id, gone);
    assert_eq!(report.checkpoints.faults, [CheckpointFault::TenantMissing]);
}

#[tokio::test]
async fn a_checkpoint_signed_by_the_attacker_is_rejected() {
    let attack = Attack::prepare().await;
    let mut settings = TestSettings::default();
    settings.ops.audit.key = AuditKey::new(&Secret::new("the forger's"), &[]);
    let forger = attack.app.another_process_with(&settings).await;
    attack.rewrite("DELETE FROM audit_log WHERE position > 2; DELETE FROM audit_checkpoints").await;
    assert_eq!(forger.audit.take_checkpoints(attack.app.ops.clock().now()).await.unwrap(), 1);
    let faults = attack.verify(&[]).await.checkpoints.faults;
    assert!(
        matches!(
            &faults[..],
            [
                CheckpointFault::UnknownKey { origin: CheckpointOrigin::Database, number: 1, .. },
                CheckpointFault::Contradicted { number: 1, .. }
            ]
        ),
        "{faults:?}"
    );
}

#[tokio::test]
async fn an_altered_checkpoint_is_rejected() {
    let attack = Attack::prepare().await;
    attack
        .tamper("UPDATE audit_checkpoints SET statement = replace(statement, '\"rows\":', '\"rows\":1')").await;
    let faults = attack.verify(&[]).await.checkpoints.faults;
    let origin = CheckpointOrigin::Database;
    assert_eq!(faults, [CheckpointFault::Forged { origin, number: Some(1) }]);
}

#[tokio::test]
async fn a_missing_checkpoint_is_reported() {
    let attack = Attack::prepare().await;
    for number in 2..=3 {
        attack.app.login("admin@acme.test").await;
        assert_eq!(
            attack.app.ops.audit.take_checkpoints(attack.app.ops.clock().now()).await.unwrap(),
            1,
            "{number}"
        );
    }
    let places: Vec<_> = attack.app.blobs.list_checkpoints(None).try_collect().await.unwrap();
    let second = places.iter().find(|place| place.number == 2).unwrap();
    attack.app.blobs.delete_checkpoint(second).await.unwrap();
    assert!(attack.verify(&[]).await.is_intact(), "the database still has it");
    attack.tamper("DELETE FROM audit_checkpoints WHERE number = 2").await;
    let faults = attack.verify(&[]).await.checkpoints.faults;
    assert_eq!(faults, [CheckpointFault::Missing { from: 2, to: 2 }]);
}

#[tokio::test]
async fn checkpoints_are_taken_at_intervals_if_there_are_new_rows() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let due = || app.ops.clock().now() - Duration::minutes(15);
    assert_eq!(app.ops.audit.take_checkpoints(due()).await.unwrap(), 1, "the first at once");
    app.login("admin@acme.test").await;
    assert_eq!(app.ops.audit.take_checkpoints(due()).await.unwrap(), 0, "not yet");
    app.clock.advance(Duration::minutes(16));
    assert_eq!(app.ops.audit.take_checkpoints(due()).await.unwrap(), 1);
    app.clock.advance(Duration::minutes(16));
    assert_eq!(app.ops.audit.take_checkpoints(due()).await.unwrap(), 0, "nothing new");
}

#[tokio::test]
async fn checkpoints_continue_after_the_clock_was_set_back() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let due = || app.ops.clock().now() - Duration::minutes(15);
    app.clock.advance(Duration::days(8));
    assert_eq!(app.ops.audit.take_checkpoints(due()).await.unwrap(), 1);
    app.clock.advance(-Duration::days(8));
    app.login("admin@acme.test").await;
    assert_eq!(app.ops.audit.take_checkpoints(due()).await.unwrap(), 1);
    app.login("admin@acme.test").await;
    assert_eq!(
        app.ops.audit.take_checkpoints(due()).await.unwrap(),
        0,
        "not more often than before"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_of_two_servers_takes_the_checkpoint() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let other = app.another_process().await;
    let due = app.ops.clock().now() - Duration::minutes(15);
    let (one, two) =
        tokio::join!(app.ops.audit.take_checkpoints(due), other.audit.take_checkpoints(due));
    assert_eq!(one.unwrap() + two.unwrap(), 1);
}

#[tokio::test]
async fn an_earlier_key_is_accepted_if_trusted() {
    let attack = Attack::prepare().await;
    let exported = attack.app.ops.audit.export_checkpoints().await.unwrap();
    let renewed = |trusted| {
        let mut settings = TestSettings::default();
        let key = AuditKey::new(&Secret::new("a new key"), trusted);
        settings.ops.audit = AuditSettings { key, ..settings.ops.audit };
        settings
    };
    let ignorant = attack.app.another_process_with(&renewed(&[])).await;
    assert!(!is_intact(&ignorant).await);
    let earlier = exported[0].public_key.parse().unwrap();
    let knowing = attack.app.another_process_with(&renewed(&[earlier])).await;
    assert!(is_intact(&knowing).await);
}

async fn is_intact(ops: &Arc<ops::Ops>) -> bool {
    ops.audit.verify_audit(&[]).await.unwrap().iter().all(ChainReport::is_intact)
}

#[tokio::test]
async fn an_auditor_exports_checkpoints_and_verifies_the_log() {
    let attack = Attack::prepare().await;
    let (app, admin_token) = (&attack.app, &attack.tenant.admin_token);
    let page = app.get("/v1/audit/checkpoints").bearer(admin_token).send().await.body;
    let first = &page["items"][0];
    assert_eq!(first["number"], 1);
    let kept: SignedCheckpoint = serde_json::from_value(serde_json::json!({
        "statement": first["statement"],
        "signature": first["signature"],
        "public_key": first["public_key"],
    }))
    .unwrap();
    assert!(attack.verify(&[kept]).await.is_intact());
    let after = app.get("/v1/audit/checkpoints?after=1").bearer(admin_token).send().await.body;
    assert_eq!(after["items"], serde_json::json!([]));
    let none = app.get("/v1/audit/checkpoints?limit=0").bearer(admin_token).send().await;
    assert_eq!(none.status, 400);

    let whole = app.get("/v1/audit/verify").bearer(admin_token).send().await.body;
    assert_eq!((&whole["is_whole"], &whole["checkpoints"]), (&true.into(), &1.into()), "{whole}");
    attack.rewrite("DELETE FROM audit_log WHERE position > 2").await;
    let broken = app.get("/v1/audit/verify").bearer(admin_token).send().await.body;
    assert_eq!(broken["is_whole"], false, "{broken}");
    assert!(broken["faults"][0].as_str().unwrap().contains("contradicts its signed checkpoint 1"));
}
