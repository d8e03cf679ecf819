//! As whom a running Docket works in its database.

use sqlx::Connection;

use crate::support::{Client, DataFolder, Docket};

#[tokio::test]
async fn once_it_serves_docket_has_no_connection_of_a_superuser() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    Client::admin(&server).await.make_key("something to do").await;
    let mut superuser = folder.superuser().await;
    let connected: Vec<(String, bool)> = sqlx::query_as(
        "SELECT DISTINCT usename::text,
                rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication
         FROM pg_stat_activity JOIN pg_roles ON rolname = usename
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY 1",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    let plain = |name: &str| (name.to_owned(), false);
    assert_eq!(connected, [plain("docket_app"), plain("docket_system")]);

    // Takes backups and reads no table.
    let backup: (bool, bool, bool, bool) = sqlx::query_as(
        "SELECT rolreplication, rolcanlogin, rolsuper, has_table_privilege('docket_backup', 'documents', 'SELECT')
         FROM pg_roles WHERE rolname = 'docket_backup'",
    )
    .fetch_one(&mut superuser)
    .await
    .unwrap();
    assert_eq!(backup, (true, true, false, false));
    superuser.close().await.unwrap();
    server.stop().await.succeeded();
}
