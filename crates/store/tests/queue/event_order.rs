//! Subscribers see every committed event once, all in the same order.

use std::fs;
use std::path::Path;

use domain::{Random, Scope, TenantId};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use store::{DatabaseUrl, ResumedAt, Store};
use testkit::{SeededRandom, TestDatabase, TestServer, fake_environment};
use uuid::Uuid;

use crate::harness::Harness;

/// Reads the events of a tenant, a few at a time.
struct Subscriber {
    store: Store,
    scope: Scope,
    position: i64,
    last: Option<Uuid>,
    seen: Vec<String>,
}

impl Subscriber {
    fn from(store: &Store, tenant_id: TenantId, position: i64) -> Self {
        let (store, scope) = (store.clone(), Harness::scope(tenant_id));
        Self { store, scope, position, last: None, seen: Vec::new() }
    }

    async fn read(&mut self, max: i64) -> bool {
        self.store.number_events(self.scope.tenant_id()).await.unwrap();
        let mut tx = self.store.read(&self.scope).await.unwrap();
        let events = tx.events_after(self.position, max).await.unwrap();
        tx.commit().await.unwrap();
        let Some(last) = events.last() else { return false };
        (self.position, self.last) = (last.position, Some(last.evt_id));
        self.seen.extend(events.into_iter().map(|event| event.topic));
        true
    }

    async fn read_all(&mut self) -> &[String] {
        while self.read(3).await {}
        &self.seen
    }
}

/// Where a subscriber with this last id resumes.
async fn resumed(store: &Store, tenant_id: TenantId, id: Uuid, position: Option<i64>) -> i64 {
    resumed_at(store, tenant_id, id, position).await.position
}

async fn resumed_at(
    store: &Store,
    tenant_id: TenantId,
    id: Uuid,
    position: Option<i64>,
) -> ResumedAt {
    store.number_events(tenant_id).await.unwrap();
    let mut tx = store.read(&Harness::scope(tenant_id)).await.unwrap();
    let resumed = tx.resume_events(id, position).await.unwrap();
    tx.commit().await.unwrap();
    resumed
}

async fn add(connection: &mut PgConnection, tenant_id: TenantId, name: &str) {
    let statement =
        "INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, delivered)
                     VALUES (gen_random_uuid(), $1, $2, '{}', '2026-01-01', true)";
    sqlx::query(statement).bind(tenant_id.0).bind(name).execute(connection).await.unwrap();
}

async fn run(connection: &mut PgConnection, statements: &str) {
    let statements = AssertSqlSafe(statements.to_owned());
    sqlx::raw_sql(statements).execute(connection).await.unwrap();
}

#[tokio::test]
async fn an_open_transaction_in_another_database_of_the_server_delays_no_event() {
    let harness = Harness::open().await;
    let tenant_id = harness.tenant("a").await;
    let other = TestDatabase::create_bare().await;
    let mut elsewhere = other.superuser().await;
    run(&mut elsewhere, "BEGIN; CREATE TABLE something (); SELECT pg_current_xact_id()").await;
    add(&mut harness.database.superuser().await, tenant_id, "first").await;
    let mut subscriber = Subscriber::from(&harness.store, tenant_id, 0);
    assert_eq!(subscriber.read_all().await, ["first"]);
    run(&mut elsewhere, "ROLLBACK").await;
}

#[tokio::test]
async fn an_event_that_is_committed_late_comes_late_and_delays_no_other() {
    let harness = Harness::open().await;
    let tenant_id = harness.tenant("a").await;
    let mut slow = harness.database.superuser().await;
    run(&mut slow, "BEGIN").await;
    add(&mut slow, tenant_id, "begun first").await;
    add(&mut harness.database.superuser().await, tenant_id, "committed first").await;
    let mut subscriber = Subscriber::from(&harness.store, tenant_id, 0);
    assert_eq!(subscriber.read_all().await, ["committed first"]);
    run(&mut slow, "COMMIT").await;
    assert_eq!(subscriber.read_all().await, ["committed first", "begun first"]);
    let mut another = Subscriber::from(&harness.store, tenant_id, 0);
    assert_eq!(another.read_all().await, ["committed first", "begun first"]);
}

/// Transactions that commit or roll back in any order, and subscribers that read in between, from seeds.
#[tokio::test]
async fn all_subscribers_see_every_committed_event_once_and_in_one_order() {
    let harness = Harness::open().await;
    for seed in 1..=25 {
        let tenant_id = harness.tenant(&format!("seed {seed}")).await;
        play(&harness, tenant_id, &SeededRandom::new(seed)).await.unwrap_or_else(|difference| {
            panic!("seed {seed}: {difference}");
        });
    }
}

struct Writer {
    connection: PgConnection,
    /// The events of the open transaction.
    uncommitted: Option<Vec<String>>,
}

async fn play(harness: &Harness, tenant_id: TenantId, random: &SeededRandom) -> Result<(), String> {
    let below = |end: usize| {
        let mut byte = [0];
        random.fill(&mut byte);
        usize::from(byte[0]) % end
    };
    let mut writers = Vec::new();
    for _ in 0..4 {
        let connection = harness.database.superuser().await;
        writers.push(Writer { connection, uncommitted: None });
    }
    let mut subscribers = Vec::new();
    for _ in 0..3 {
        subscribers.push(Subscriber::from(&harness.store, tenant_id, 0));
    }
    // In the order of the commits, which is the order within one writer.
    let mut committed: Vec<Vec<String>> = vec![Vec::new(); writers.len()];
    for step in 0..60 {
        let number = below(writers.len());
        let writer = &mut writers[number];
        match (&mut writer.uncommitted, below(6)) {
            (None, 0..=3) => {
                run(&mut writer.connection, "BEGIN").await;
                writer.uncommitted = Some(Vec::new());
            }
            (Some(names), 0..=2) => {
                let name = format!("{number} {step}");
                add(&mut writer.connection, tenant_id, &name).await;
                names.push(name);
            }
            (Some(names), 3) => {
                committed[number].append(names);
                writer.uncommitted = None;
                run(&mut writer.connection, "COMMIT").await;
            }
            (Some(_), 4) if below(3) == 0 => {
                writer.uncommitted = None;
                run(&mut writer.connection, "ROLLBACK").await;
            }
            _ => {
                let max = i64::try_from(below(4)).unwrap() + 1;
                let which = below(subscribers.len());
                let subscriber = &mut subscribers[which];
                subscriber.read(max).await;
                // The connection is lost sometimes, and the client resumes after the last event it saw.
                if let Some(last) = subscriber.last {
                    let position = Some(subscriber.position);
                    subscriber.position = resumed(&harness.store, tenant_id, last, position).await;
                }
            }
        }
    }
    for (writer, committed) in writers.iter_mut().zip(&mut committed) {
        if let Some(mut names) = writer.uncommitted.take() {
            run(&mut writer.connection, "COMMIT").await;
            committed.append(&mut names);
        }
    }
    let first = subscribers[0].read_all().await.to_vec();
    for subscriber in &mut subscribers {
        let seen = subscriber.read_all().await;
        if seen != first {
            return Err(format!("one sees {first:?}, another {seen:?}"));
        }
    }
    for (number, committed) in committed.iter().enumerate() {
        let own = format!("{number} ");
        let seen: Vec<_> = first.iter().filter(|name| name.starts_with(&own)).collect();
        if !seen.iter().copied().eq(committed) {
            return Err(format!("of {committed:?} one sees {seen:?}"));
        }
    }
    Ok(())
}

/// Writers and subscribers without a script, each in a task of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn subscribers_of_many_writers_at_once_see_one_order() {
    const WRITERS: usize = 4;
    const EACH: usize = 40;
    let harness = Harness::open().await;
    let tenant_id = harness.tenant("a").await;
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let mut connection = harness.database.superuser().await;
        writers.push(tokio::spawn(async move {
            for number in 0..EACH {
                run(&mut connection, "BEGIN").await;
                add(&mut connection, tenant_id, &format!("{writer} {number}")).await;
                run(&mut connection, "COMMIT").await;
            }
        }));
    }
    let mut subscribers = Vec::new();
    for _ in 0..3 {
        let mut subscriber = Subscriber::from(&harness.store, tenant_id, 0);
        subscribers.push(tokio::spawn(async move {
            while subscriber.seen.len() < WRITERS * EACH {
                subscriber.read(7).await;
            }
            subscriber.seen
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let mut seen = Vec::new();
    for subscriber in subscribers {
        seen.push(subscriber.await.unwrap());
    }
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    let mut once = seen[0].clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), WRITERS * EACH);
}

/// Does what `pg_dump` and `pg_restore` do, which the bundle does not contain: it copies the rows of all tables and the
/// values of all sequences to a server whose transaction ids are lower.
#[tokio::test]
async fn after_a_restore_on_another_server_subscribers_resume_where_they_were() {
    let harness = Harness::open().await;
    let tenant_id = harness.tenant("a").await;
    let mut old = harness.database.superuser().await;
    for number in 0..30 {
        add(&mut old, tenant_id, &format!("old {number}")).await;
    }
    let mut subscriber = Subscriber::from(&harness.store, tenant_id, 0);
    assert_eq!(subscriber.read_all().await.len(), 30);
    // An event that no subscriber has seen at the time of the dump, and that has no position yet.
    add(&mut old, tenant_id, "in the dump").await;

    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(folder.path().join("postgres")).await.unwrap();
    let url: DatabaseUrl = server.url().parse().unwrap();
    let environment = fake_environment(&harness.clock);
    let store = Store::open(&url, 5, environment.clock, environment.ids).await.unwrap();
    let mut new = PgConnection::connect(&server.url()).await.unwrap();
    restore(&mut old, &mut new).await;
    for number in 0..30 {
        add(&mut new, tenant_id, &format!("new {number}")).await;
    }

    let position = Some(subscriber.position);
    let position = resumed(&store, tenant_id, subscriber.last.unwrap(), position).await;
    let mut restored = Subscriber::from(&store, tenant_id, position);
    let mut expected = vec!["in the dump".to_owned()];
    expected.extend((0..30).map(|number| format!("new {number}")));
    assert_eq!(restored.read_all().await, expected);
    let mut beginner = Subscriber::from(&store, tenant_id, 0);
    assert_eq!(beginner.read_all().await.len(), 61);
    store.close().await;
    server.stop().await.unwrap();
}

async fn restore(old: &mut PgConnection, new: &mut PgConnection) {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'public'::regnamespace
           AND relkind = 'r' AND relname <> '_sqlx_migrations'",
    )
    .fetch_all(&mut *old)
    .await
    .unwrap();
    assert!(tables.contains(&"event_positions".to_owned()));
    run(new, "SET session_replication_role = replica").await;
    run(new, &format!("TRUNCATE {}", tables.join(", "))).await;
    for table in tables {
        let statement =
            format!("SELECT coalesce(string_agg(to_jsonb(t)::text, E'\\n'), '') FROM {table} AS t");
        let rows: String =
            sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&mut *old).await.unwrap();
        // Generated columns cannot be inserted.
        let columns: String = sqlx::query_scalar(
            "SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
             WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
        )
        .bind(&table)
        .fetch_one(&mut *old)
        .await
        .unwrap();
        let statement = format!(
            "INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE
             SELECT {columns} FROM (
                 SELECT (jsonb_populate_record(NULL::{table}, row::jsonb)).*
                 FROM string_to_table($1, E'\\n') AS row WHERE row <> '') AS restored"
        );
        sqlx::query(AssertSqlSafe(statement)).bind(rows).execute(&mut *new).await.unwrap();
    }
    let sequences: Vec<(String, Option<i64>)> =
        sqlx::query_as("SELECT sequencename::text, last_value FROM pg_sequences")
            .fetch_all(&mut *old)
            .await
            .unwrap();
    for (name, last) in sequences {
        let set = "SELECT setval($1::text::regclass, $2)";
        if last.is_some() {
            sqlx::query(set).bind(name).bind(last).execute(&mut *new).await.unwrap();
        }
    }
    run(new, "RESET session_replication_role").await;
}

#[tokio::test]
async fn an_event_id_from_before_there_were_positions_still_works() {
    let harness = Harness::open().await;
    let tenant_id = harness.tenant("a").await;
    let mut superuser = harness.database.superuser().await;
    for name in ["one", "two", "three"] {
        add(&mut superuser, tenant_id, name).await;
    }
    let second: Uuid = sqlx::query_scalar("SELECT evt_id FROM outbox_events WHERE topic = 'two'")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    assert_eq!(resumed(&harness.store, tenant_id, second, None).await, 2);
    let unknown = Uuid::from_u128(7);
    assert_eq!(resumed(&harness.store, tenant_id, unknown, None).await, 0, "all that is kept");
}

#[tokio::test]
async fn an_event_that_is_gone_is_known_by_its_position() {
    let harness = Harness::open().await;
    let tenant_id = harness.tenant("a").await;
    let mut superuser = harness.database.superuser().await;
    for name in ["one", "two", "three"] {
        add(&mut superuser, tenant_id, name).await;
    }
    let mut subscriber = Subscriber::from(&harness.store, tenant_id, 0);
    subscriber.read(2).await;
    let second = subscriber.last.unwrap();
    run(&mut superuser, "DELETE FROM outbox_events WHERE topic = 'two'").await;
    assert_eq!(resumed(&harness.store, tenant_id, second, Some(2)).await, 2);
    run(&mut superuser, "DELETE FROM outbox_events").await;
    add(&mut superuser, tenant_id, "four").await;
    assert_eq!(resumed(&harness.store, tenant_id, second, Some(2)).await, 2);
    assert_eq!(subscriber.read_all().await, ["one", "two", "four"], "no position is given twice");

    // Ids of a database that went on elsewhere, after the backup that this one was made from.
    let unknown = Uuid::from_u128(7);
    assert_eq!(resumed(&harness.store, tenant_id, unknown, Some(4)).await, 0, "another event's");
    assert_eq!(resumed(&harness.store, tenant_id, unknown, Some(5)).await, 0, "never given");
}

#[tokio::test]
async fn events_are_pruned_by_age_up_to_the_first_that_is_younger_and_only_with_a_position() {
    let harness = Harness::open().await;
    let (a, b) = (harness.tenant("a").await, harness.tenant("b").await);
    let mut superuser = harness.database.superuser().await;
    for (name, age) in [("one", 3), ("two", 3), ("young", 1), ("old behind a young one", 3)] {
        add(&mut superuser, a, name).await;
        let made = format!(
            "UPDATE outbox_events SET created_at = '2026-02-10'::timestamptz - {age} * interval '1 day'
             WHERE topic = '{name}'"
        );
        run(&mut superuser, &made).await;
    }
    let before = "2026-02-08T00:00:00Z".parse().unwrap();
    let prune = async |tenant_id, most| {
        let mut across = harness.store.across_tenants().await.unwrap();
        let pruned = across.prune_events(tenant_id, before, most).await.unwrap();
        across.commit().await.unwrap();
        pruned
    };
    assert_eq!(prune(a, 10).await, 0, "they have no position yet");
    assert_eq!(harness.store.tenants_to_prune(before).await.unwrap(), []);
    let mut subscriber = Subscriber::from(&harness.store, a, 0);
    subscriber.read(1).await;
    let first = subscriber.last.unwrap();
    // Not numbered, and as old as the others.
    add(&mut superuser, b, "of b").await;
    assert_eq!(harness.store.tenants_to_prune(before).await.unwrap(), [a]);
    assert_eq!(prune(a, 1).await, 1);
    let resumed = resumed_at(&harness.store, a, first, Some(1)).await;
    let whole = ResumedAt { position: 1, is_unknown: false, is_pruned: false };
    assert_eq!(resumed, whole, "it has seen the one that was removed");
    assert_eq!(prune(a, 10).await, 1);
    assert_eq!(prune(a, 10).await, 0);
    let left = harness.values("SELECT to_jsonb(topic) FROM outbox_events ORDER BY 1").await;
    assert_eq!(left, ["of b", "old behind a young one", "young"]);
    let resumed = resumed_at(&harness.store, a, first, Some(1)).await;
    assert_eq!(resumed, ResumedAt { is_pruned: true, ..whole });
    let resumed = resumed_at(&harness.store, a, Uuid::from_u128(7), None).await;
    assert_eq!((resumed.position, resumed.is_unknown), (0, true));
    run(&mut superuser, "DELETE FROM outbox_events").await;
    assert!(resumed_at(&harness.store, a, first, Some(1)).await.is_pruned, "no event is left");
    assert!(!resumed_at(&harness.store, a, first, Some(4)).await.is_pruned, "no event was missed");
}

#[tokio::test]
async fn one_query_reads_several_tenants_each_after_its_own_position() {
    let harness = Harness::open().await;
    let (a, b, c) =
        (harness.tenant("a").await, harness.tenant("b").await, harness.tenant("c").await);
    let mut superuser = harness.database.superuser().await;
    for tenant_id in [a, b, c] {
        for number in 1..=3 {
            add(&mut superuser, tenant_id, &format!("event {number}")).await;
        }
    }
    let read = harness.store.read_events(&[(b, 0), (a, 2)], 2).await.unwrap();
    let mut read: Vec<_> = read.iter().map(|(id, event)| (*id == a, event.position)).collect();
    read.sort_unstable();
    assert_eq!(read, [(false, 1), (false, 2), (true, 3)]);
}

/// Existing events keep their order: that of their transaction ids, in which 10 comes after 9.
#[tokio::test]
async fn the_migration_gives_existing_events_positions_in_their_order() {
    // Creates the roles, which belong to the server.
    drop(TestDatabase::create().await);
    let database = TestDatabase::create_bare().await;
    let mut superuser = database.superuser().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    let new = files.iter().position(|file| file.ends_with("0019_event_positions.sql")).unwrap();
    let migrate = |file: &Path| format!("BEGIN; {}; COMMIT", fs::read_to_string(file).unwrap());
    run(&mut superuser, "CREATE TABLE _sqlx_migrations ()").await;
    for file in &files[..new] {
        run(&mut superuser, &migrate(file)).await;
    }
    run(
        &mut superuser,
        "INSERT INTO tenants (tenant_id, name, created_at)
         SELECT gen_random_uuid(), name, now() FROM unnest(ARRAY['a', 'b']) AS name;
         INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, xact)
         SELECT gen_random_uuid(), tenant_id, name || ' ' || number, '{}', now(), number::text::xid8
         FROM tenants, unnest(ARRAY[100, 9, 99, 10]) AS number",
    )
    .await;
    run(&mut superuser, &migrate(&files[new])).await;
    let numbered: Vec<(String, i64)> =
        sqlx::query_as("SELECT topic, position FROM outbox_events ORDER BY tenant_id, position")
            .fetch_all(&mut superuser)
            .await
            .unwrap();
    for (of_tenant, name) in [("a", "a "), ("b", "b ")] {
        let own = numbered.iter().filter(|(topic, _)| topic.starts_with(name));
        let own: Vec<_> = own.map(|(topic, position)| (&topic[2..], *position)).collect();
        assert_eq!(own, [("9", 1), ("10", 2), ("99", 3), ("100", 4)], "{of_tenant}");
    }
    let last: Vec<i64> = sqlx::query_scalar("SELECT last FROM event_positions")
        .fetch_all(&mut superuser)
        .await
        .unwrap();
    assert_eq!(last, [4, 4]);
}
