//! Killed in the middle of a thousand audited writes, Docket keeps what it acknowledged.

use std::collections::HashSet;

use rustix::process::Signal;
use sqlx::{Connection, PgConnection};
use testkit::TestDatabase;

use crate::support::{Client, DataFolder, Docket, Server, Writers, Written, kill};

#[tokio::test]
async fn docket_is_killed() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let admin = Client::admin(&server).await;
    let mut writers = Writers::start(&admin);
    writers.until_somewhere_in_the_middle().await;
    server.kill().await;
    let written = writers.finish().await;
    assert!(written.acknowledged.len() < Writers::WRITES, "killed too late to interrupt anything");

    let server = Docket::serve(&folder).start().await;
    assert_nothing_was_lost(&written, &admin.at(&server), folder.superuser().await).await;
    assert_verifies(Docket::on(&folder, ["audit", "verify"])).await;
    stop_and_verify_again(server, &folder).await;
}

#[tokio::test]
async fn docket_on_somebody_elses_postgresql_is_killed() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let serve = || Docket::serve(&folder).database_url(database.url());
    let server = serve().start().await;
    let admin = Client::admin(&server).await;
    let mut writers = Writers::start(&admin);
    writers.until_somewhere_in_the_middle().await;
    server.kill().await;
    let written = writers.finish().await;
    assert!(written.acknowledged.len() < Writers::WRITES, "killed too late to interrupt anything");

    let server = serve().start().await;
    assert_nothing_was_lost(&written, &admin.at(&server), database.superuser().await).await;
    let verify = Docket::on(&folder, ["audit", "verify"]).database_url(database.url());
    assert_verifies(verify).await;
    server.stop().await.succeeded();
}

#[tokio::test]
async fn postgresql_is_killed_and_docket_brings_it_back_by_itself() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let admin = Client::admin(&server).await;
    let mut writers = Writers::start(&admin);
    writers.until_somewhere_in_the_middle().await;
    let killed = folder.postmaster().expect("PostgreSQL runs");
    kill(killed, Signal::KILL);

    let written = writers.finish().await;
    assert!(written.acknowledged.len() >= Writers::WRITES, "a client lost its connection");
    for refusal in &written.refusals {
        assert!(refusal.says_come_back_later(), "{refusal:?}");
    }
    let again = folder.postmaster().expect("PostgreSQL is back");
    assert_ne!(again, killed);
    assert_eq!(admin.get("/readyz").await.status, 200);
    assert_nothing_was_lost(&written, &admin, folder.superuser().await).await;
    assert_verifies(Docket::on(&folder, ["audit", "verify"])).await;

    assert_eq!(server.stop().await.code, Some(0));
    folder.is_left_alone().await;
}

#[tokio::test]
async fn docket_and_postgresql_are_killed() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let admin = Client::admin(&server).await;
    let mut writers = Writers::start(&admin);
    writers.until_somewhere_in_the_middle().await;
    let postmaster = folder.postmaster().expect("PostgreSQL runs");
    server.signal(Signal::KILL);
    kill(postmaster, Signal::KILL);
    server.kill().await;
    let written = writers.finish().await;
    assert!(written.acknowledged.len() < Writers::WRITES, "killed too late to interrupt anything");

    let server = Docket::serve(&folder).start().await;
    assert_ne!(folder.postmaster().expect("PostgreSQL is back"), postmaster);
    assert_nothing_was_lost(&written, &admin.at(&server), folder.superuser().await).await;
    assert_verifies(Docket::on(&folder, ["audit", "verify"])).await;
    stop_and_verify_again(server, &folder).await;
}

/// The next start comes while the killed processes are still being torn down.
#[tokio::test]
async fn docket_and_postgresql_are_killed_again_and_again() {
    let folder = DataFolder::new();
    for _ in 0..12 {
        let server = Docket::serve(&folder).start().await;
        let postmaster = folder.postmaster().expect("PostgreSQL runs");
        server.signal(Signal::KILL);
        kill(postmaster, Signal::KILL);
    }
    Docket::serve(&folder).start().await.stop().await.succeeded();
}

/// Every acknowledged write is there, and none without its line in the audit log.
async fn assert_nothing_was_lost(written: &Written, admin: &Client, mut superuser: PgConnection) {
    let there: HashSet<String> = admin.key_ids().await.into_iter().collect();
    let lost: Vec<_> = written.acknowledged.iter().filter(|id| !there.contains(*id)).collect();
    let acknowledged = written.acknowledged.len();
    assert!(lost.is_empty(), "{} of {acknowledged} writes are lost: {lost:?}", lost.len());

    let audited: Vec<String> = sqlx::query_scalar(
        "SELECT entity_id::text FROM audit_log WHERE action = 'API_KEY_CREATED'",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    superuser.close().await.unwrap();
    assert_eq!(audited.len(), there.len());
    assert_eq!(audited.into_iter().collect::<HashSet<_>>(), there);
    let refused = written.refusals.len();
    println!("{acknowledged} acknowledged, {refused} refused, {} there", there.len());
}

async fn assert_verifies(verify: Docket) {
    let report = verify.finish().await.succeeded();
    assert!(report.ends_with(", chain intact\n"), "{report}");
}

async fn stop_and_verify_again(server: Server, folder: &DataFolder) {
    server.stop().await.succeeded();
    folder.is_left_alone().await;
    assert_verifies(Docket::on(folder, ["audit", "verify"])).await;
}
