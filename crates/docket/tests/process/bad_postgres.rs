//! Databases that Docket cannot work on: one sentence that says what to do, exit code 1, and the
//! data as it was.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sqlx::{AssertSqlSafe, Connection};
use store::private::{Durability, PrivateServer, Settings};
use testkit::TestDatabase;

use crate::support::{Client, DataFolder, Docket};

#[tokio::test]
async fn a_database_that_cannot_be_reached() {
    let folder = DataFolder::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let docket = Docket::serve_plainly(&folder)
        .database_url(&format!("postgres://ada:hunter2@{free}/documents"));
    assert_eq!(
        docket.finish().await.failed_with(1),
        format!(
            "cannot reach the database 'documents' at {free}: Connection refused (os error 111). \
             Check that PostgreSQL is running there and that the host, port, user, password and \
             database name in database_url are right"
        )
    );
    let database = TestDatabase::create_bare().await;
    let server = Docket::serve(&folder).database_url(database.url()).start().await;
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_database_that_is_not_there() {
    let folder = DataFolder::new();
    let database = TestDatabase::create().await;
    let name = database.url().split(['/', '?']).find(|part| part.starts_with("docket_test_"));
    let url = database.url().replace(name.expect("a name"), "no_such_database");
    let sentence = Docket::serve_plainly(&folder).database_url(&url).finish().await.failed_with(1);
    let (what, fix) = sentence.split_once(". ").expect("what, and what to do");
    assert!(what.starts_with("cannot reach the database 'no_such_database' at "), "{sentence}");
    assert!(what.ends_with(": database \"no_such_database\" does not exist"), "{sentence}");
    assert!(fix.starts_with("Check that PostgreSQL is running there"), "{sentence}");
}

#[tokio::test]
async fn a_database_of_a_newer_schema() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let serve = || Docket::serve(&folder).database_url(database.url());
    let server = serve().start().await;
    let (key, _) = Client::admin(&server).await.make_key("made before").await;
    server.stop().await.succeeded();

    let mut superuser = database.superuser().await;
    let known: i64 = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'of the future', true, '', 0)";
    sqlx::raw_sql(newer).execute(&mut superuser).await.unwrap();
    let sentence = format!(
        "the database has schema 9999, this Docket knows schemas up to {known}. A newer Docket has \
         used it: start that version or a later one"
    );
    assert_eq!(serve().finish().await.failed_with(1), sentence);
    let verify = Docket::on(&folder, ["audit", "verify"]).database_url(database.url());
    assert_eq!(verify.finish().await.failed_with(1), sentence);

    let older = "DELETE FROM _sqlx_migrations WHERE version = 9999";
    sqlx::raw_sql(older).execute(&mut superuser).await.unwrap();
    superuser.close().await.unwrap();
    let server = serve().start().await;
    assert_eq!(Client::admin(&server).await.key_ids().await, [key]);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_data_folder_of_another_postgresql() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let (key, _) = Client::admin(&server).await.make_key("made before").await;
    server.stop().await.succeeded();

    let version = folder.cluster().join("PG_VERSION");
    let carried = fs::read_to_string(&version).unwrap();
    fs::write(&version, "14\n").unwrap();
    assert_eq!(
        Docket::serve(&folder).finish().await.failed_with(1),
        format!(
            "The data folder {} was created by PostgreSQL 14; this Docket contains PostgreSQL {}. Start \
             it with the Docket that created it and move the data with a backup, or choose \
             another data folder.",
            folder.cluster().display(),
            carried.trim()
        )
    );
    fs::write(&version, carried).unwrap();
    let server = Docket::serve(&folder).start().await;
    assert_eq!(Client::admin(&server).await.key_ids().await, [key]);
    server.stop().await.succeeded();
}

/// The PostgreSQL that Docket carries, unpacked for this test alone and robbed of pgvector.
#[tokio::test]
async fn a_postgresql_without_pgvector() {
    let home = tempfile::tempdir().unwrap();
    // As root, the server runs as somebody who must reach its programs.
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let programs = home.path().join("programs");
    let mut settings = Settings::new(home.path().join("postgres"));
    settings.durability = Durability::OffForTests;
    settings.programs_folder = Some(programs.clone());
    let postgres = PrivateServer::start_or_attach(settings).await.unwrap();
    let Some(vector) = find(&programs, "vector.control") else {
        println!("skipped: this build carries no PostgreSQL to take pgvector out of");
        postgres.release().await.unwrap();
        return;
    };
    let kept = fs::read(&vector).unwrap();
    fs::remove_file(&vector).unwrap();

    let folder = DataFolder::new();
    let socket = home.path().join("postgres/data").display().to_string().replace('/', "%2F");
    let url = format!("postgres://{}@localhost/postgres?host={socket}", postgres.user());
    let serve = || Docket::serve(&folder).database_url(&url);
    let major = fs::read_to_string(home.path().join("postgres/data/PG_VERSION")).unwrap();
    assert_eq!(
        serve().finish().await.failed_with(1),
        format!(
            "this PostgreSQL has no pgvector, which Docket needs for search. Install it on the \
             server (on Debian the package is postgresql-{}-pgvector), or use the PostgreSQL that \
             is bundled with Docket when it is built by make: leave database_url empty",
            major.trim()
        )
    );
    fs::write(&vector, kept).unwrap();
    fs::set_permissions(&vector, fs::Permissions::from_mode(0o644)).unwrap();
    serve().start().await.stop().await.succeeded();
    postgres.release().await.unwrap();
}

fn find(folder: &Path, name: &str) -> Option<std::path::PathBuf> {
    fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() { find(&path, name) } else { path.ends_with(name).then_some(path) }
    })
}

/// A user who may do nothing but connect: first without Docket's roles, then with them.
#[tokio::test]
async fn a_database_user_who_may_not_set_it_up() {
    // Makes the roles, which belong to the server.
    drop(TestDatabase::create().await);
    let (folder, database) = (DataFolder::new(), TestDatabase::create_bare().await);
    let mut superuser = database.superuser().await;
    let user = format!("docket_test_stranger_{}", std::process::id());
    let make = format!("CREATE ROLE {user} LOGIN PASSWORD 'x'");
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut superuser).await.unwrap();
    let url = database.url_as(&user, "x");
    let without_roles = Docket::serve(&folder).database_url(&url).finish().await;
    let grant = format!("GRANT docket_app, docket_system TO {user}");
    sqlx::raw_sql(AssertSqlSafe(grant)).execute(&mut superuser).await.unwrap();
    let with_roles = Docket::serve(&folder).database_url(&url).finish().await;
    let drop = format!("DROP OWNED BY {user}; DROP ROLE {user}");
    sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut superuser).await.unwrap();
    superuser.close().await.unwrap();

    let sentence = without_roles.failed_with(1);
    let problem = format!(
        "the database user {user} may not use the roles docket_app and docket_system: they are not \
         granted to it. Run this once as an administrator of the server: CREATE ROLE docket_app"
    );
    assert!(sentence.starts_with(&problem), "{sentence}");
    let sentence = with_roles.failed_with(1);
    assert!(
        sentence.starts_with(&format!("the database user {user} may not set up")),
        "{sentence}"
    );
    assert!(sentence.contains(". Connect as the database's owner"), "{sentence}");
}
