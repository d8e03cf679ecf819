//! Secrets are bound to their tenant, purpose and id, and their key is rotated while processes run.

use std::sync::{Arc, RwLock};

use domain::{ContentHash, DocId, JobId, RunConfig, RunId, RunType, Secret, TenantId};
use store::{DatabaseUrl, NewRun, RotationResult, SecretKeys, Store, StoreError};

use crate::harness::{Harness, pipeline};

/// A process with these keys, which also loads keys that are added later.
async fn process(harness: &Harness, keys: &Arc<RwLock<Vec<Secret>>>) -> Result<Store, StoreError> {
    let url: DatabaseUrl = harness.database.url().parse().unwrap();
    let store =
        Store::open(&url, 2, harness.clock.clone(), Arc::clone(&harness.ids)).await.unwrap();
    let keys = Arc::clone(keys);
    store.with_secret_keys(SecretKeys::new(Box::new(move || keys.read().unwrap().clone()))).await
}

fn keys(names: &[&str]) -> Arc<RwLock<Vec<Secret>>> {
    Arc::new(RwLock::new(names.iter().map(|name| Secret::new(*name)).collect()))
}

/// Starts the run of a document with a password, and returns its document.
async fn submit_with_password(
    harness: &Harness,
    store: &Store,
    tenant_id: TenantId,
    password: &str,
) -> DocId {
    let new = NewRun {
        run_id: RunId(harness.ids.next()),
        job_id: JobId(harness.ids.next()),
        doc_id: DocId(harness.ids.next()),
        pipeline: pipeline(&["ocr"]),
        priority: 0,
        retries: 4,
        parent_run_id: None,
        reason: None,
        config: RunConfig::default(),
        run_type: RunType::default(),
        trace_parent: None,
        content: Some(CONTENT),
        batch_id: None,
        password: Some(Secret::new(password)),
        reused: None,
    };
    let stored = "INSERT INTO blobs (tenant_id, sha256, bytes_len, mime, created_at, touched_at)
                  VALUES ($1, $2, 0, 'text/plain', now(), now()) ON CONFLICT DO NOTHING";
    let stored = sqlx::query(stored).bind(tenant_id.0).bind(CONTENT.as_bytes().as_slice());
    stored.execute(&mut harness.database.superuser().await).await.unwrap();
    let mut tx = store.begin(&Harness::scope(tenant_id)).await.unwrap();
    tx.start_run(&new).await.unwrap();
    tx.commit().await.unwrap();
    new.doc_id
}

const CONTENT: ContentHash = ContentHash([7; 32]);

async fn password(store: &Store, tenant_id: TenantId, document: DocId) -> Option<Secret> {
    let mut tx = store.read(&Harness::scope(tenant_id)).await.unwrap();
    tx.password_of(document, &CONTENT).await.unwrap()
}

#[tokio::test]
async fn a_key_is_rotated_while_a_process_with_the_old_one_runs() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    let folder = keys(&["the old key"]);
    let (server, command) =
        (process(&harness, &folder).await.unwrap(), process(&harness, &folder).await.unwrap());
    let before = submit_with_password(&harness, &server, tenant, "open sesame").await;
    let checks = "SELECT to_jsonb(password_check) FROM ingestion_runs ORDER BY created_at, run_id";
    let check_before = harness.values(checks).await;

    folder.write().unwrap().insert(0, Secret::new("the new key"));
    assert_eq!(
        command.rotate_secrets().await.unwrap(),
        RotationResult { sealed_again: 1, unreadable: 0 }
    );
    // The server was not restarted. It reads what was sealed again, and seals with the new key.
    assert_eq!(password(&server, tenant, before).await, Some(Secret::new("open sesame")));
    let after = submit_with_password(&harness, &server, tenant, "open sesame").await;
    assert_eq!(command.rotate_secrets().await.unwrap().sealed_again, 0, "nothing is left to do");

    // The old key is not needed any more, and a process with only that key is refused.
    folder.write().unwrap().pop();
    let restarted = process(&harness, &folder).await.unwrap();
    for document in [before, after] {
        assert_eq!(password(&restarted, tenant, document).await, Some(Secret::new("open sesame")));
    }
    let refused = process(&harness, &keys(&["the old key"])).await.unwrap_err();
    assert!(matches!(refused, StoreError::OtherSecretsKey), "{refused}");

    // The checks of passwords that were presented before are still valid.
    submit_with_password(&harness, &restarted, tenant, "open sesame").await;
    let all = harness.values(checks).await;
    assert!(all.len() == 3 && all.iter().all(|check| *check == check_before[0]), "{all:?}");
}

#[tokio::test]
async fn a_secret_that_no_key_opens_is_counted_and_stays() {
    let harness = Harness::open().await;
    let (tenant, folder) = (harness.tenant("acme").await, keys(&["the old key"]));
    let store = process(&harness, &folder).await.unwrap();
    let [lost, kept] = [
        submit_with_password(&harness, &store, tenant, "a").await,
        submit_with_password(&harness, &store, tenant, "b").await,
    ];
    // Moved to another run, as by an attacker who can write to the table but has no key.
    let moved = "UPDATE secrets SET sealed = (SELECT max(sealed) FROM secrets)";
    sqlx::query(moved).execute(&mut harness.database.superuser().await).await.unwrap();
    folder.write().unwrap().insert(0, Secret::new("the new key"));
    assert_eq!(
        store.rotate_secrets().await.unwrap(),
        RotationResult { sealed_again: 1, unreadable: 1 }
    );
    let opened = [password(&store, tenant, lost).await, password(&store, tenant, kept).await];
    assert_eq!(opened.iter().flatten().count(), 1, "{opened:?}");
}

#[tokio::test]
async fn a_secret_that_is_sealed_with_another_key_is_not_written() {
    let harness = Harness::open().await;
    let (tenant, folder) = (harness.tenant("acme").await, keys(&["the old key"]));
    let (server, command) = (process(&harness, &keys(&["the old key"])).await.unwrap(), folder);
    submit_with_password(&harness, &server, tenant, "a").await;
    let command = {
        command.write().unwrap().insert(0, Secret::new("the new key"));
        process(&harness, &command).await.unwrap()
    };
    command.rotate_secrets().await.unwrap();
    let mut tx = server.begin(&Harness::scope(tenant)).await.unwrap();
    let purpose = store::SecretPurpose::DocumentPassword;
    let refused = tx.put_secret(purpose, harness.ids.next(), &Secret::new("b")).await.unwrap_err();
    assert!(matches!(refused, StoreError::OtherSecretsKey), "{refused}");
}
