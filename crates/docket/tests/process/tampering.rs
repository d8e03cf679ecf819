//! `docket audit verify` names every row that somebody touched.

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::support::{Client, DataFolder, Docket, Finished};

/// Writes at once would spread over the shards of the chain; these are made one after the other.
const WRITES: usize = 12;

/// A row of the log, and its place in the chain.
#[derive(Debug, sqlx::FromRow)]
struct Row {
    id: String,
    shard: i16,
    position: i64,
}

#[tokio::test]
async fn each_kind_of_tampering_is_found_and_the_row_is_named() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let admin = Client::admin(&server).await;
    for number in 0..WRITES {
        admin.make_key(&format!("key {number}")).await;
    }
    let mut log = Log::open(&folder).await;
    let rows = log.longest_shard().await;
    let [.., one, middle, other, last] = &rows[..] else { panic!("too short: {rows:?}") };
    assert_intact(verify(&folder).await);

    log.tamper(format!(
        "UPDATE audit_log SET detail = '{{\"name\": \"forged\"}}' WHERE audit_id = '{}'",
        middle.id
    ))
    .await;
    let Row { id, shard, position } = middle;
    let changed = format!(
        "row {id} (chain shard {shard}, position {position}) was changed after it was written"
    );
    assert_broken(verify(&folder).await, &changed);
    assert_eq!(verify_as_json(&folder).await, [changed]);
    log.put_right().await;

    log.tamper(format!("DELETE FROM audit_log WHERE audit_id = '{}'", middle.id)).await;
    let missing = format!("the row at chain shard {shard}, position {position} is missing");
    assert_broken(verify(&folder).await, &missing);
    log.put_right().await;

    log.tamper(format!("DELETE FROM audit_log WHERE audit_id = '{}'", last.id)).await;
    let missing = format!("the row at chain shard {shard}, position {} is missing", last.position);
    assert_broken(verify(&folder).await, &missing);
    log.put_right().await;

    log.tamper(
        move_to(one, -1)
            + &move_to(other, one.position)
            + &format!(
                "UPDATE audit_log SET position = {} WHERE audit_id = '{}'",
                other.position, one.id
            ),
    )
    .await;
    let moved = |row: &Row, to: &Row| {
        format!(
            "row {} (now chain shard {shard}, position {}) was moved from its position",
            row.id, to.position
        )
    };
    // The rows that follow them are named as well.
    let report = verify(&folder).await;
    assert_eq!(report.code, Some(1), "{report:#?}");
    for row in [moved(one, other), moved(other, one)] {
        assert!(report.stdout.contains(&row), "{row}: {report:#?}");
    }
    log.put_right().await;

    assert_intact(verify(&folder).await);
    assert_eq!(verify_as_json(&folder).await, [""; 0]);
    log.connection.close().await.unwrap();
    server.stop().await.succeeded();
    assert_intact(verify(&folder).await);
}

#[tokio::test]
async fn a_log_that_was_rewritten_whole_contradicts_what_was_exported() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let admin = Client::admin(&server).await;
    admin.make_key("key").await;
    let exported = Docket::on(&folder, ["audit", "export"]).finish().await.succeeded();
    let kept = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(kept.path(), &exported).unwrap();
    let kept = kept.path().to_str().unwrap();
    let verify =
        async || Docket::on(&folder, ["audit", "verify", "--against", kept]).finish().await;
    assert_intact(verify().await);

    let mut log = Log::open(&folder).await;
    let empty = "DELETE FROM audit_log; DELETE FROM audit_checkpoints; \
                 UPDATE audit_chain_shards SET length = 0, head = decode(repeat('00', 32), 'hex')";
    log.tamper(empty.to_owned()).await;
    let found = verify().await;
    assert_eq!(found.code, Some(1), "{found:#?}");
    assert!(found.stdout.contains("contradicts its signed checkpoint"), "{found:#?}");

    std::fs::write(kept, "{}\n").unwrap();
    let refused = verify().await;
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(refused.stderr.contains("line 1 of"), "{refused:#?}");
    log.connection.close().await.unwrap();
    server.stop().await.succeeded();
}

fn move_to(row: &Row, position: i64) -> String {
    format!("UPDATE audit_log SET position = {position} WHERE audit_id = '{}';", row.id)
}

async fn verify(folder: &DataFolder) -> Finished {
    Docket::on(folder, ["audit", "verify"]).finish().await
}

/// The faults that the JSON document tells of.
async fn verify_as_json(folder: &DataFolder) -> Vec<String> {
    let finished = Docket::on(folder, ["audit", "verify", "--json"]).finish().await;
    let document: Value = serde_json::from_str(&finished.stdout).expect("one JSON document");
    let [tenant] = &document["tenants"].as_array().unwrap()[..] else { panic!("{document}") };
    assert_eq!(tenant["name"], "default");
    let faults: Vec<String> = serde_json::from_value(tenant["faults"].clone()).unwrap();
    assert_eq!(finished.code, Some(i32::from(!faults.is_empty())));
    faults
}

#[track_caller]
fn assert_intact(finished: Finished) {
    let report = finished.succeeded();
    assert!(report.starts_with("default (") && report.ends_with(", chain intact\n"), "{report}");
}

/// Names this fault and no other.
#[track_caller]
fn assert_broken(finished: Finished, fault: &str) {
    assert_eq!(finished.code, Some(1), "{finished:#?}");
    assert_eq!(finished.stderr, "", "the report is the answer, not a complaint");
    let (summary, named) = finished.stdout.split_once('\n').unwrap();
    assert!(summary.ends_with("chain BROKEN"), "{summary}");
    assert_eq!(named.trim(), fault);
}

/// The log in the hands of somebody who may do anything.
struct Log {
    connection: PgConnection,
}

impl Log {
    /// Keeps a copy, so that each tampering can be put right.
    async fn open(folder: &DataFolder) -> Self {
        let mut log = Self { connection: folder.superuser().await };
        log.tamper("CREATE TABLE untouched AS TABLE audit_log".to_owned()).await;
        log
    }

    async fn longest_shard(&mut self) -> Vec<Row> {
        sqlx::query_as(
            "SELECT audit_id::text AS id, shard, position FROM audit_log WHERE shard = (
                 SELECT shard FROM audit_log GROUP BY shard ORDER BY count(*) DESC LIMIT 1
             ) ORDER BY position",
        )
        .fetch_all(&mut self.connection)
        .await
        .unwrap()
    }

    async fn tamper(&mut self, statements: String) {
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut self.connection).await.unwrap();
    }

    /// With the trigger off, or every row would be sealed again.
    async fn put_right(&mut self) {
        let statements = "SET session_replication_role = replica; TRUNCATE audit_log; \
                          INSERT INTO audit_log TABLE untouched; RESET session_replication_role";
        self.tamper(statements.to_owned()).await;
    }
}
