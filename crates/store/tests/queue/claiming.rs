//! Which jobs a claim gets.

use std::collections::HashSet;

use chrono::Duration;
use domain::{JobId, TenantId};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use store::{JobClaim, StageSlots};
use uuid::Uuid;

use crate::harness::{Harness, lease_of, succeeded};

#[tokio::test]
async fn one_job_is_not_delayed_by_ten_thousand_of_another_tenant() {
    let harness = Harness::open().await;
    let burst = harness.tenant("burst").await;
    let single = harness.tenant("single").await;
    harness.flood(burst, "ocr", 10_000).await;
    let wanted = harness.submit(single, &["ocr"]).await;
    let claimed = harness.claim("w", "ocr", 8).await;
    assert!(claimed.iter().any(|job| job.job_id == wanted.job_id));
    assert_eq!(claimed.len(), 5, "an equal share for the other one, the rest in the next claim");
    assert_eq!(harness.claim("w", "ocr", 8).await.len(), 8, "alone, a tenant gets all the room");
}

#[tokio::test]
async fn with_one_slot_the_tenants_take_turns() {
    let harness = Harness::open().await;
    let tenants = [harness.tenant("a").await, harness.tenant("b").await, harness.tenant("c").await];
    for tenant in tenants {
        harness.flood(tenant, "ocr", 3).await;
    }
    let mut last = TenantId(Uuid::nil());
    let mut served = Vec::new();
    for _ in 0..6 {
        let claimed = harness.claim_slots("w", &[harness.slots("ocr", 1, last)], 1).await;
        last = claimed[0].tenant_id;
        served.push(last);
    }
    assert_eq!(served, [tenants, tenants].concat());
}

#[tokio::test]
async fn a_reserved_slot_is_only_for_tenants_without_running_jobs() {
    let harness = Harness::open().await;
    let (busy, idle) = (harness.tenant("busy").await, harness.tenant("idle").await);
    harness.flood(busy, "ocr", 5).await;
    assert!(harness.claim_reserved(&[busy], "ocr", 2).await.is_empty());
    let wanted = harness.submit(idle, &["ocr"]).await;
    let claimed: Vec<JobId> =
        harness.claim_reserved(&[busy], "ocr", 2).await.iter().map(|job| job.job_id).collect();
    assert_eq!(claimed, [wanted.job_id]);
    assert_eq!(harness.claim("w", "ocr", 2).await.len(), 2, "the others still wait");
}

#[tokio::test]
async fn reserved_slots_come_on_top_of_the_limit_and_each_job_gets_its_own_token() {
    let harness = Harness::open().await;
    let (busy, idle) = (harness.tenant("busy").await, harness.tenant("idle").await);
    for stage in ["ocr", "layout", "index"] {
        harness.flood(busy, stage, 3).await;
        harness.flood(idle, stage, 3).await;
    }
    let none = TenantId(Uuid::nil());
    let reserved = StageSlots { is_reserved: true, ..harness.slots("layout", 1, none) };
    let slots = [harness.slots("ocr", 3, none), reserved, harness.slots("index", 3, none)];
    let mut across = harness.store.queue_transaction().await.unwrap();
    let (worker_id, now) = ("w", harness.now());
    let claim = JobClaim { stages: &slots, max_jobs: 2, busy_tenants: &[busy], worker_id, now };
    let jobs = across.claim_jobs(&claim).await.unwrap();
    across.commit().await.unwrap();
    let reserved: Vec<TenantId> =
        jobs.iter().filter(|job| job.stage.as_str() == "layout").map(|job| job.tenant_id).collect();
    assert_eq!((jobs.len(), reserved), (3, vec![idle]));
    assert_eq!(jobs.iter().map(|job| job.token).collect::<HashSet<_>>().len(), 3);
}

#[tokio::test]
async fn within_a_tenant_priority_goes_first_then_age() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let old = harness.submit(tenant, &["ocr"]).await.job_id;
    harness.clock.advance(Duration::seconds(1));
    let young = harness.submit(tenant, &["ocr"]).await.job_id;
    let urgent = harness.submit_with_priority(tenant, &["ocr"], 5).await.job_id;
    let order: Vec<JobId> =
        harness.claim("w", "ocr", 3).await.into_iter().map(|job| job.job_id).collect();
    assert_eq!(order, [urgent, old, young]);
}

#[tokio::test]
async fn a_job_is_not_claimed_before_its_time() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("w", "ocr").await;
    assert!(harness.schedule_retry(&job, Duration::seconds(30)).await);
    harness.clock.advance(Duration::seconds(29));
    assert!(harness.claim("w", "ocr", 1).await.is_empty());
    harness.clock.advance(Duration::seconds(1));
    let again = harness.claim_one("w", "ocr").await;
    assert_eq!((again.job_id, again.tries.retries), (job.job_id, 1));
}

#[tokio::test]
async fn tenants_whose_jobs_all_wait_for_a_retry_do_not_delay_others() {
    let harness = Harness::open().await;
    for number in 0..10 {
        let tenant = harness.tenant(&format!("retrying-{number}")).await;
        harness.submit(tenant, &["ocr"]).await;
        let job = harness.claim_one("w", "ocr").await;
        harness.schedule_retry(&job, Duration::hours(1)).await;
    }
    let last = harness.tenant("last").await;
    let wanted = harness.submit(last, &["ocr"]).await.job_id;
    assert_eq!(harness.claim_one("w", "ocr").await.job_id, wanted);
}

#[tokio::test]
async fn several_stages_share_one_limit_and_later_stages_come_first() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.flood(tenant, "ocr", 5).await;
    harness.flood(tenant, "index", 5).await;
    let none = TenantId(Uuid::nil());
    let slots = [harness.slots("ocr", 5, none), harness.slots("index", 5, none)];
    let stages: Vec<String> =
        harness.claim_slots("w", &slots, 3).await.iter().map(|job| job.stage.to_string()).collect();
    assert_eq!(stages, ["index", "ocr", "index"]);
    let one_slot = [harness.slots("ocr", 0, none), harness.slots("index", 1, none)];
    assert_eq!(harness.claim_slots("w", &one_slot, 9).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_claimers_never_get_the_same_job() {
    let harness = std::sync::Arc::new(Harness::open().await);
    for name in ["a", "b", "c"] {
        let tenant = harness.tenant(name).await;
        harness.flood(tenant, "ocr", 200).await;
    }
    let claimers: Vec<_> = (0..6)
        .map(|number| {
            let harness = std::sync::Arc::clone(&harness);
            tokio::spawn(async move {
                let mut mine = Vec::new();
                // An empty claim may only mean that others have locked the remaining jobs.
                let mut empty = 0;
                while empty < 3 {
                    let jobs = harness.claim(&format!("w{number}"), "ocr", 7).await;
                    empty = if jobs.is_empty() { empty + 1 } else { 0 };
                    mine.extend(jobs.into_iter().map(|job| (job.job_id, job.token)));
                }
                mine
            })
        })
        .collect();
    let mut all = Vec::new();
    for claimer in claimers {
        all.extend(claimer.await.unwrap());
    }
    assert_eq!(all.len(), 600);
    assert_eq!(all.iter().map(|(job, _)| job).collect::<HashSet<_>>().len(), 600);
    assert_eq!(all.iter().map(|(_, token)| token).collect::<HashSet<_>>().len(), 600);
}

#[tokio::test]
async fn while_one_claim_is_open_the_next_one_finds_other_jobs() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.flood(tenant, "ocr", 10).await;
    let slots = [harness.slots("ocr", 4, TenantId(Uuid::nil()))];
    let mut first = harness.store.across_tenants().await.unwrap();
    let now = harness.now();
    let claim = JobClaim { stages: &slots, max_jobs: 4, busy_tenants: &[], worker_id: "w1", now };
    assert_eq!(first.claim_jobs(&claim).await.unwrap().len(), 4);
    assert_eq!(harness.claim("w2", "ocr", 4).await.len(), 4);
    first.commit().await.unwrap();
}

/// Whatever statistics the planner has: none, those of a queue in which all jobs are pending, or those of one in which all
/// are finished. Each plan is used while the tables change, so it must be good for all of them. Without any one of the
/// settings of `open_queue.sql`, the claim fails this on empty tables.
#[tokio::test]
async fn the_queues_statements_read_no_table_and_no_index_completely() {
    const STATEMENTS: [&str; 11] = [
        include_str!("../../sql/jobs/claim.sql"),
        include_str!("../../sql/jobs/claim_one.sql"),
        include_str!("../../sql/jobs/settle.sql"),
        include_str!("../../sql/jobs/heartbeat.sql"),
        include_str!("../../sql/jobs/expire.sql"),
        include_str!("../../sql/runs/lock.sql"),
        include_str!("../../sql/runs/versions.sql"),
        include_str!("../../sql/runs/apply_changes.sql"),
        include_str!("../../sql/runs/ended.sql"),
        include_str!("../../sql/documents/describe_served.sql"),
        include_str!("../../sql/events/append.sql"),
    ];
    // As autovacuum does: it does not analyse tables that never had a row.
    const ANALYSE: &str = "ANALYZE jobs, ingestion_runs, stages, outbox_events, audit_log";
    const FINISH: &str = "UPDATE jobs SET status = 'COMPLETED' WHERE status = 'PENDING'";
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let mut superuser = harness.database.superuser().await;
    for state in ["no statistics", "all pending", "all finished"] {
        match state {
            "all pending" => harness.flood(tenant, "ocr", 5_000).await,
            "all finished" => {
                sqlx::raw_sql(FINISH).execute(&mut superuser).await.unwrap();
            }
            _ => {}
        }
        if state != "no statistics" {
            sqlx::raw_sql(ANALYSE).execute(&mut superuser).await.unwrap();
        }
        for statement in STATEMENTS {
            let plan = plan_of(&mut superuser, statement).await;
            assert_eq!(read_completely(&plan), Vec::<&str>::new(), "{state}: {plan:#}");
        }
    }
}

async fn plan_of(connection: &mut PgConnection, statement: &str) -> Value {
    const OPENING: &str = include_str!("../../sql/setup/open_queue.sql");
    sqlx::raw_sql(OPENING).execute(&mut *connection).await.unwrap();
    let explain = format!("EXPLAIN (GENERIC_PLAN, FORMAT JSON) {statement}");
    let row: PgRow =
        sqlx::raw_sql(AssertSqlSafe(explain)).fetch_one(&mut *connection).await.unwrap();
    sqlx::raw_sql("ROLLBACK").execute(&mut *connection).await.unwrap();
    row.get::<Value, _>(0)[0]["Plan"].take()
}

/// The tables that the plan reads sequentially, the indexes that it reads without a condition, and those whose conditions
/// match all jobs of a tenant or a stage, or all versions of a tenant. The index of leased jobs is short enough to be read completely.
fn read_completely(plan: &Value) -> Vec<&str> {
    const OF_A_TENANT: [&str; 2] = ["jobs_of_tenant", "document_versions_of_blob"];
    let is_by_run = || plan["Index Cond"].as_str().is_some_and(|cond| cond.contains("run_id ="));
    let name = |key: &str| plan[key].as_str();
    let here = match name("Node Type") {
        Some("Seq Scan") => name("Relation Name"),
        Some(_) if name("Index Name").is_some_and(|index| OF_A_TENANT.contains(&index)) => {
            name("Index Name")
        }
        Some(_) if name("Index Name") == Some("jobs_run_id_stage_key") && !is_by_run() => {
            name("Index Name")
        }
        Some(_) if plan["Index Cond"].is_null() => name("Index Name"),
        _ => None,
    };
    let below = plan["Plans"].as_array().into_iter().flatten().flat_map(read_completely);
    here.filter(|index| *index != "jobs_leased").into_iter().chain(below).collect()
}

#[tokio::test]
async fn the_job_of_a_dead_worker_is_claimed_next() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let interrupted = harness.submit(tenant, &["ocr"]).await;
    harness.claim_one("dies", "ocr").await;
    harness.clock.advance(Duration::seconds(1));
    harness.flood(tenant, "ocr", 50).await;
    harness.clock.advance(crate::harness::LEASE);
    assert_eq!(harness.expire_leases(3).await, (1, 0));
    assert_eq!(harness.claim_one("successor", "ocr").await.job_id, interrupted.job_id);
}

#[tokio::test]
async fn an_unreadable_value_of_one_job_does_not_affect_others() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let unreadable = harness.submit(tenant, &["ocr", "layout"]).await;
    let first = harness.claim_one("worker", "ocr").await;
    assert!(harness.settle(lease_of(&first), succeeded(Some(harness.next("layout", false)))).await);
    let mut superuser = harness.database.superuser().await;
    sqlx::raw_sql("UPDATE stages SET artifacts = '[{\"version\": \"?\", \"name\": 7}]'")
        .execute(&mut superuser)
        .await
        .unwrap();
    let other = harness.submit(tenant, &["layout"]).await;
    let claimed = harness.claim("worker", "layout", 2).await;
    let read: Vec<_> = claimed.iter().map(|job| (job.run_id, job.config.is_ok())).collect();
    assert_eq!(read, [(unreadable.run_id, false), (other.run_id, true)]);
}
