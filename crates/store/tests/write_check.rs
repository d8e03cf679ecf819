//! A database that answers but accepts no writes is not healthy.

use domain::{Action, Caller, TokenId, UserId};
use sqlx::AssertSqlSafe;
use store::StoreError;
use testkit::TestApp;
use uuid::Uuid;

#[tokio::test]
async fn a_refused_write_is_remembered_until_one_succeeds() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let mut superuser = app.database.superuser().await;
    let name = app.database.name();
    let read_only = format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = on");
    sqlx::raw_sql(AssertSqlSafe(read_only)).execute(&mut superuser).await.unwrap();
    // Existing connections keep their settings.
    let store = app.ops.store().with_own_connections(2);
    store.check().await.unwrap();

    let scope = Caller::system(acme.tenant.tenant_id).permit(Action::ManageUsers).unwrap();
    let mut tx = store.begin(&scope).await.unwrap();
    let now = tx.now();
    let refused = tx.revoke_token(TokenId(Uuid::nil()), UserId(Uuid::nil()), now).await;
    assert!(refused.unwrap_err().is_unavailable(), "it may be writable again soon");
    tx.rollback().await.unwrap();
    for _ in 0..2 {
        let error = store.check().await.unwrap_err();
        assert!(matches!(error, StoreError::NoWrites(_)), "{error:?}");
    }

    let writable = format!("ALTER DATABASE \"{name}\" RESET default_transaction_read_only");
    sqlx::raw_sql(AssertSqlSafe(writable)).execute(&mut superuser).await.unwrap();
    store.with_own_connections(2).check().await.unwrap();
    store.check().await.unwrap();
}
