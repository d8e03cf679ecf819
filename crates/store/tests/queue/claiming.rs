//! Who gets what.

use std::collections::HashSet;

use chrono::Duration;
use domain::{JobId, TenantId};
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, Row};
use store::{Claim, StageRoom};
use uuid::Uuid;

use crate::desk::{Desk, held, succeeded};

#[tokio::test]
async fn one_waiting_job_is_not_delayed_by_another_tenants_ten_thousand() {
    let desk = Desk::open().await;
    let burst = desk.tenant("burst").await;
    let single = desk.tenant("single").await;
    desk.flood(burst, "ocr", 10_000).await;
    let wanted = desk.submit(single, &["ocr"]).await;
    let claimed = desk.claim("w", "ocr", 8).await;
    assert!(claimed.iter().any(|job| job.job_id == wanted.job_id));
    assert_eq!(claimed.len(), 5, "an equal share for the other one, the rest in the next claim");
    assert_eq!(desk.claim("w", "ocr", 8).await.len(), 8, "alone, a tenant gets all the room");
}

#[tokio::test]
async fn with_room_for_one_the_tenants_take_turns() {
    let desk = Desk::open().await;
    let tenants = [desk.tenant("a").await, desk.tenant("b").await, desk.tenant("c").await];
    for tenant in tenants {
        desk.flood(tenant, "ocr", 3).await;
    }
    let mut last = TenantId(Uuid::nil());
    let mut served = Vec::new();
    for _ in 0..6 {
        let claimed = desk.claim_rooms("w", &[desk.room("ocr", 1, last)], 1).await;
        last = claimed[0].tenant_id;
        served.push(last);
    }
    assert_eq!(served, [tenants, tenants].concat());
}

#[tokio::test]
async fn a_reserved_slot_is_only_for_tenants_with_nothing_under_way() {
    let desk = Desk::open().await;
    let (busy, idle) = (desk.tenant("busy").await, desk.tenant("idle").await);
    desk.flood(busy, "ocr", 5).await;
    assert!(desk.claim_reserved(&[busy], "ocr", 2).await.is_empty());
    let wanted = desk.submit(idle, &["ocr"]).await;
    let claimed: Vec<JobId> =
        desk.claim_reserved(&[busy], "ocr", 2).await.iter().map(|job| job.job_id).collect();
    assert_eq!(claimed, [wanted.job_id]);
    assert_eq!(desk.claim("w", "ocr", 2).await.len(), 2, "the others still wait");
}

#[tokio::test]
async fn reserved_slots_come_on_top_of_the_limit_and_each_job_gets_a_token_of_its_own() {
    let desk = Desk::open().await;
    let (busy, idle) = (desk.tenant("busy").await, desk.tenant("idle").await);
    for stage in ["ocr", "layout", "index"] {
        desk.flood(busy, stage, 3).await;
        desk.flood(idle, stage, 3).await;
    }
    let nobody = TenantId(Uuid::nil());
    let reserved = StageRoom { is_reserved: true, ..desk.room("layout", 1, nobody) };
    let rooms = [desk.room("ocr", 3, nobody), reserved, desk.room("index", 3, nobody)];
    let mut across = desk.store.on_the_queue().await.unwrap();
    let (worker_id, now) = ("w", desk.now());
    let claim = Claim { rooms: &rooms, most: 2, busy_tenants: &[busy], worker_id, now };
    let jobs = across.claim_jobs(&claim).await.unwrap();
    across.commit().await.unwrap();
    let reserved: Vec<TenantId> =
        jobs.iter().filter(|job| job.stage.as_str() == "layout").map(|job| job.tenant_id).collect();
    assert_eq!((jobs.len(), reserved), (3, vec![idle]));
    assert_eq!(jobs.iter().map(|job| job.token).collect::<HashSet<_>>().len(), 3);
}

#[tokio::test]
async fn within_a_tenant_priority_goes_first_then_age() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    let old = desk.submit(tenant, &["ocr"]).await.job_id;
    desk.clock.advance(Duration::seconds(1));
    let young = desk.submit(tenant, &["ocr"]).await.job_id;
    let urgent = desk.submit_with_priority(tenant, &["ocr"], 5).await.job_id;
    let order: Vec<JobId> =
        desk.claim("w", "ocr", 3).await.into_iter().map(|job| job.job_id).collect();
    assert_eq!(order, [urgent, old, young]);
}

#[tokio::test]
async fn a_job_is_not_claimed_before_its_time() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    desk.submit(tenant, &["ocr"]).await;
    let job = desk.claim_one("w", "ocr").await;
    assert!(desk.put_off(&job, Duration::seconds(30)).await);
    desk.clock.advance(Duration::seconds(29));
    assert!(desk.claim("w", "ocr", 1).await.is_empty());
    desk.clock.advance(Duration::seconds(1));
    let again = desk.claim_one("w", "ocr").await;
    assert_eq!((again.job_id, again.tries.retries), (job.job_id, 1));
}

#[tokio::test]
async fn tenants_whose_jobs_are_all_put_off_stand_in_nobodys_way() {
    let desk = Desk::open().await;
    for number in 0..10 {
        let tenant = desk.tenant(&format!("put-off-{number}")).await;
        desk.submit(tenant, &["ocr"]).await;
        let job = desk.claim_one("w", "ocr").await;
        desk.put_off(&job, Duration::hours(1)).await;
    }
    let last = desk.tenant("last").await;
    let wanted = desk.submit(last, &["ocr"]).await.job_id;
    assert_eq!(desk.claim_one("w", "ocr").await.job_id, wanted);
}

#[tokio::test]
async fn several_stages_share_one_limit_and_what_was_begun_goes_first() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    desk.flood(tenant, "ocr", 5).await;
    desk.flood(tenant, "index", 5).await;
    let nobody = TenantId(Uuid::nil());
    let rooms = [desk.room("ocr", 5, nobody), desk.room("index", 5, nobody)];
    let stages: Vec<String> =
        desk.claim_rooms("w", &rooms, 3).await.iter().map(|job| job.stage.to_string()).collect();
    assert_eq!(stages, ["index", "ocr", "index"]);
    let no_room = [desk.room("ocr", 0, nobody), desk.room("index", 1, nobody)];
    assert_eq!(desk.claim_rooms("w", &no_room, 9).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_claimers_never_get_the_same_job() {
    let desk = std::sync::Arc::new(Desk::open().await);
    for name in ["a", "b", "c"] {
        let tenant = desk.tenant(name).await;
        desk.flood(tenant, "ocr", 200).await;
    }
    let claimers: Vec<_> = (0..6)
        .map(|number| {
            let desk = std::sync::Arc::clone(&desk);
            tokio::spawn(async move {
                let mut mine = Vec::new();
                // An empty answer may only mean that the others hold what is left.
                let mut empty = 0;
                while empty < 3 {
                    let jobs = desk.claim(&format!("w{number}"), "ocr", 7).await;
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
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    desk.flood(tenant, "ocr", 10).await;
    let rooms = [desk.room("ocr", 4, TenantId(Uuid::nil()))];
    let mut first = desk.store.across_tenants().await.unwrap();
    let now = desk.now();
    let claim = Claim { rooms: &rooms, most: 4, busy_tenants: &[], worker_id: "w1", now };
    assert_eq!(first.claim_jobs(&claim).await.unwrap().len(), 4);
    assert_eq!(desk.claim("w2", "ocr", 4).await.len(), 4);
    first.commit().await.unwrap();
}

/// Whatever the planner believes about the tables: before there are statistics, and after. Without the settings of
/// `open_queue.sql`, or one of them, the claim fails this on empty tables.
#[tokio::test]
async fn the_queues_statements_read_no_table_and_no_index_from_end_to_end() {
    const STATEMENTS: [&str; 5] = [
        include_str!("../../sql/jobs/claim.sql"),
        include_str!("../../sql/jobs/claim_one.sql"),
        include_str!("../../sql/jobs/settle.sql"),
        include_str!("../../sql/jobs/heartbeat.sql"),
        include_str!("../../sql/jobs/expire.sql"),
    ];
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    let mut superuser = desk.database.superuser().await;
    for statistics in ["SELECT 1", "ANALYZE"] {
        sqlx::raw_sql(statistics).execute(&mut superuser).await.unwrap();
        for statement in STATEMENTS {
            let plan = plan_of(&mut superuser, statement).await;
            assert_eq!(read_whole(&plan), Vec::<&str>::new(), "{plan:#}");
        }
        desk.flood(tenant, "ocr", 5_000).await;
        let finish = "UPDATE jobs SET status = 'COMPLETED' WHERE status = 'PENDING'";
        sqlx::raw_sql(finish).execute(&mut superuser).await.unwrap();
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

/// The tables that the plan reads row by row, and the indexes that it walks without a condition. What is leased is an
/// index of its own, short enough to be walked.
fn read_whole(plan: &Value) -> Vec<&str> {
    let name = |key: &str| plan[key].as_str();
    let here = match name("Node Type") {
        Some("Seq Scan") => name("Relation Name"),
        Some(_) if plan["Index Cond"].is_null() => name("Index Name"),
        _ => None,
    };
    let below = plan["Plans"].as_array().into_iter().flatten().flat_map(read_whole);
    here.filter(|index| *index != "jobs_leased").into_iter().chain(below).collect()
}

#[tokio::test]
async fn what_a_dead_worker_had_is_next_in_line() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    let interrupted = desk.submit(tenant, &["ocr"]).await;
    desk.claim_one("dies", "ocr").await;
    desk.clock.advance(Duration::seconds(1));
    desk.flood(tenant, "ocr", 50).await;
    desk.clock.advance(crate::desk::LEASE);
    assert_eq!(desk.rescue(3).await, (1, 0));
    assert_eq!(desk.claim_one("heir", "ocr").await.job_id, interrupted.job_id);
}

#[tokio::test]
async fn what_cannot_be_read_of_one_job_holds_up_no_other() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("a").await;
    let spoilt = desk.submit(tenant, &["ocr", "layout"]).await;
    let first = desk.claim_one("worker", "ocr").await;
    assert!(desk.settle(held(&first), succeeded(Some(desk.next("layout", false)))).await);
    let mut superuser = desk.database.superuser().await;
    sqlx::raw_sql("UPDATE stages SET artifacts = '[{\"version\": \"?\", \"name\": 7}]'")
        .execute(&mut superuser)
        .await
        .unwrap();
    let other = desk.submit(tenant, &["layout"]).await;
    let claimed = desk.claim("worker", "layout", 2).await;
    let read: Vec<_> = claimed.iter().map(|job| (job.run_id, job.config.is_ok())).collect();
    assert_eq!(read, [(spoilt.run_id, false), (other.run_id, true)]);
}
