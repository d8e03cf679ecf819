//! One event reader serves all followers: its cost, and that no follower misses events because of others.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use domain::{Caller, Role, TenantId};
use http_body_util::BodyExt;
use ops::{Event, EventFollower, EventId};
use sqlx::PgConnection;
use testkit::{TestApp, TestTenant};
use tower::ServiceExt;
use tracing::field::{Field, Visit};

async fn start() -> (TestApp, TestTenant) {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    (app, acme)
}

/// Adds events about the whole tenant in one transaction.
async fn add(connection: &mut PgConnection, tenant_id: TenantId, names: std::ops::Range<i32>) {
    let statement = "INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at)
                     SELECT gen_random_uuid(), $1, number::text, '{}', '2026-02-15'
                     FROM generate_series($2::int, $3::int - 1) AS number ORDER BY number + 0";
    let statement = sqlx::query(statement).bind(tenant_id.0).bind(names.start).bind(names.end);
    statement.execute(connection).await.unwrap();
}

async fn next(follower: &mut EventFollower) -> Event {
    let limit = Duration::from_mins(1);
    tokio::time::timeout(limit, follower.next()).await.unwrap().unwrap()
}

async fn next_topics(follower: &mut EventFollower, count: usize) -> Vec<String> {
    let mut topics = Vec::with_capacity(count);
    for _ in 0..count {
        topics.push(next(follower).await.topic);
    }
    topics
}

fn names(numbers: std::ops::Range<i32>) -> Vec<String> {
    numbers.map(|number| number.to_string()).collect()
}

/// The texts of the statements about events that this thread sends.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<Vec<String>>>);

impl Visit for Statements {
    fn record_debug(&mut self, _: &Field, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}");
        if ["outbox_events", "docket_number_events", "documents"].iter().any(|of| text.contains(of))
        {
            self.0.lock().unwrap().push(text);
        }
    }
}

impl tracing::Subscriber for Statements {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn the_number_of_statements_does_not_depend_on_the_number_of_followers() {
    const FOLLOWERS: usize = 60;
    let (app, acme) = start().await;
    let tenant_id = acme.tenant.tenant_id;
    let mut writer = app.database.superuser().await;
    let mut followers = Vec::new();
    for _ in 0..FOLLOWERS {
        let caller = Caller::of_user(&acme.admin);
        followers.push(app.ops.events.follow_events(&caller, None).await.unwrap());
    }
    add(&mut writer, tenant_id, 0..1).await;
    for follower in &mut followers {
        assert_eq!(next(follower).await.topic, "0");
    }
    let statements = Statements::default();
    // Two subscribers: with only one, tracing would cache that a statement of another thread is disabled.
    let counter = tracing::Dispatch::new(statements.clone());
    let other = tracing::Dispatch::new(Statements::default());
    let counting = tracing::dispatcher::set_default(&counter);
    add(&mut writer, tenant_id, 1..3).await;
    for follower in &mut followers {
        assert_eq!(next_topics(follower, 2).await, ["1", "2"]);
    }
    drop((counting, other));
    let mut sent = std::mem::take(&mut *statements.0.lock().unwrap());
    sent.sort_unstable();
    let most = sent.chunk_by(|one, other| one == other).map(<[String]>::len).max();
    assert!(most.is_some_and(|most| most < FOLLOWERS), "{most:?} times one of {sent:?}");
    assert!(
        !sent.iter().any(|text| text.contains("position > $2")),
        "no follower queried for itself"
    );
}

#[tokio::test]
async fn a_slow_follower_misses_nothing_and_delays_no_other() {
    let (app, acme) = start().await;
    let tenant_id = acme.tenant.tenant_id;
    let caller = Caller::of_user(&acme.admin);
    let mut slow = app.ops.events.follow_events(&caller, None).await.unwrap();
    let mut quick = app.ops.events.follow_events(&caller, None).await.unwrap();
    let mut writer = app.database.superuser().await;
    add(&mut writer, tenant_id, 0..1).await;
    for follower in [&mut slow, &mut quick] {
        assert_eq!(next(follower).await.topic, "0", "both are live");
    }
    // Far more than the capacity of a channel.
    add(&mut writer, tenant_id, 1..15_000).await;
    assert!(next_topics(&mut quick, 14_999).await == names(1..15_000));
    // The last of these comes from the reader, so the reader has sent all.
    for number in 15_000..15_003 {
        add(&mut writer, tenant_id, number..number + 1).await;
        assert_eq!(next(&mut quick).await.topic, number.to_string());
    }
    assert!(next_topics(&mut slow, 15_002).await == names(1..15_003));
}

/// Writers that commit in any order, and a client that reconnects repeatedly.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_client_that_reconnects_sees_the_same_events() {
    const WRITERS: i32 = 4;
    const EACH: i32 = 60;
    let (app, acme) = start().await;
    let tenant_id = acme.tenant.tenant_id;
    let caller = Caller::of_user(&acme.admin);
    let mut staying = app.ops.events.follow_events(&caller, None).await.unwrap();
    let beginning: EventId = format!("p0-{}", uuid::Uuid::nil().simple()).parse().unwrap();
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let mut connection = app.database.superuser().await;
        writers.push(tokio::spawn(async move {
            for number in 0..EACH {
                let name = writer * 1000 + number;
                add(&mut connection, tenant_id, name..name + 1).await;
            }
        }));
    }
    let total = usize::try_from(WRITERS * EACH).unwrap();
    let ops = Arc::clone(&app.ops);
    let coming_back = tokio::spawn(async move {
        let (mut seen, mut last) = (Vec::new(), Some(beginning));
        while seen.len() < total {
            let mut follower = ops.events.follow_events(&caller, last.clone()).await.unwrap();
            // 1 to 7 events, then the connection is lost.
            for _ in 0..(1 + seen.len() % 7).min(total - seen.len()) {
                let event = next(&mut follower).await;
                last = event.id;
                seen.push(event.topic);
            }
        }
        seen
    });
    for writer in writers {
        writer.await.unwrap();
    }
    let stayed = next_topics(&mut staying, total).await;
    assert_eq!(coming_back.await.unwrap(), stayed);
    let mut once = stayed.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), total);
}

#[tokio::test]
async fn a_client_that_reconnects_too_late_gets_a_reset() {
    let (app, acme) = start().await;
    let tenant_id = acme.tenant.tenant_id;
    let caller = Caller::of_user(&acme.admin);
    let mut writer = app.database.superuser().await;
    let mut follower = app.ops.events.follow_events(&caller, None).await.unwrap();
    add(&mut writer, tenant_id, 0..4).await;
    let seen = next(&mut follower).await.id;
    let prune = "DELETE FROM outbox_events WHERE topic < '2'";
    sqlx::query(prune).execute(&mut writer).await.unwrap();
    let mut resumed = app.ops.events.follow_events(&caller, seen).await.unwrap();
    let reset = next(&mut resumed).await;
    assert_eq!((reset.topic.as_str(), reset.id), ("stream.reset", None));
    assert_eq!(reset.payload["reason"], "events_pruned");
    assert_eq!(next_topics(&mut resumed, 2).await, ["2", "3"]);
    let unknown: EventId = format!("p900-{}", uuid::Uuid::nil().simple()).parse().unwrap();
    let mut resumed = app.ops.events.follow_events(&caller, Some(unknown)).await.unwrap();
    assert_eq!(next(&mut resumed).await.payload["reason"], "unknown_event");
    assert_eq!(next(&mut resumed).await.topic, "2");
}

#[tokio::test]
async fn progress_has_no_id_and_only_viewers_of_the_document_receive_it() {
    let (app, acme) = start().await;
    let (ada, ada_token) = app.user(&acme, Role::User).await;
    let request = Request::get("/v1/events")
        .header("authorization", format!("Bearer {}", acme.admin_token))
        .body(Body::empty())
        .unwrap();
    let mut stream = app.router().oneshot(request).await.unwrap().into_body();
    let mut hers = app.ops.events.follow_events(&Caller::of_user(&ada), None).await.unwrap();
    let made = app.upload("other.txt", "not ada's").bearer(&acme.admin_token).send().await;
    assert_eq!(made.status, StatusCode::ACCEPTED);
    let frame = stream.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(String::from_utf8_lossy(&frame).contains("id: p1-"), "{frame:?}");
    let mut superuser = app.database.superuser().await;
    let working = "UPDATE jobs SET status = 'PROCESSING', lease_token = gen_random_uuid(),
                   lease_until = now(), progress_done = 3, progress_total = 10";
    sqlx::query(working).execute(&mut superuser).await.unwrap();
    let frame = stream.frame().await.unwrap().unwrap().into_data().unwrap();
    let frame = String::from_utf8_lossy(&frame).into_owned();
    assert!(frame.contains("event: document.progress") && !frame.contains("id: p"), "{frame}");
    assert!(frame.contains(r#""done":3"#) && frame.contains(r#""total":10"#), "{frame}");
    app.upload("own.txt", "ada's").bearer(&ada_token).send().await;
    assert_eq!(
        next(&mut hers).await.payload["title"],
        "own.txt",
        "no event about other documents came before"
    );
}
