//! The first start: an address, a password, a folder that other users cannot read.

use rustix::process::Signal;
use sqlx::{Connection, PgConnection};
use testkit::TestDatabase;

use crate::support::{ADMIN, Client, DataFolder, Docket, PASSWORD, Server, lives};

#[tokio::test]
async fn the_first_start_prints_a_password_that_works_and_later_starts_print_none() {
    let folder = DataFolder::new();
    let mut server = Docket::serve_plainly(&folder).start().await;
    let password = server.printed_password().await;
    Client::of(&server).sign_in(ADMIN, &password).await;
    let postmaster = folder.postmaster().expect("a private PostgreSQL runs");

    let printed = server.stop().await.succeeded();
    assert!(printed.contains(&format!("sign in as   {ADMIN}\n")), "{printed}");
    assert!(printed.contains(&folder.path().display().to_string()), "{printed}");
    assert!(!lives(postmaster), "PostgreSQL is still running");

    let server = Docket::serve_plainly(&folder).start().await;
    Client::of(&server).sign_in(ADMIN, &password).await;
    let printed = server.stop().await.succeeded();
    assert!(!printed.contains("password") && !printed.contains("sign in"), "{printed}");
}

#[tokio::test]
async fn the_data_folder_is_its_owners_alone() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    assert_eq!(folder.mode(""), "700");
    assert_eq!(folder.mode("secrets"), "700");
    assert_eq!(folder.mode("secrets/jwt_secret"), "600");
    assert_eq!(folder.mode("secrets/master_key"), "600");
    assert_eq!(folder.mode("postgres/data"), "700");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_given_first_password_is_used_and_not_printed() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    Client::admin(&server).await;
    assert_passwords_are_hashed_slowly(folder.superuser().await).await;

    let postmaster = folder.postmaster().expect("a private PostgreSQL runs");
    let finished = server.stop_by(Signal::INT).await;
    assert!(!finished.stderr.contains(PASSWORD), "{finished:?}");
    let printed = finished.succeeded();
    assert!(!printed.contains("password") && !printed.contains(PASSWORD), "{printed}");
    assert!(!lives(postmaster), "PostgreSQL is still running");
}

#[tokio::test]
async fn on_somebody_elses_postgresql_the_first_start_is_the_same() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create_bare().await);
    let serve = || Docket::serve_plainly(&folder).database_url(database.url());
    let mut server = serve().start().await;
    let password = server.printed_password().await;
    Client::of(&server).sign_in(ADMIN, &password).await;
    assert_passwords_are_hashed_slowly(database.superuser().await).await;
    assert_eq!(folder.mode(""), "700");
    assert_eq!(folder.mode("secrets/jwt_secret"), "600");
    assert!(!folder.cluster().exists(), "a private PostgreSQL was made for nothing");
    server.stop().await.succeeded();

    let server = serve().start().await;
    Client::of(&server).sign_in(ADMIN, &password).await;
    let printed = server.stop_by(Signal::INT).await.succeeded();
    assert!(!printed.contains("password"), "{printed}");
}

#[tokio::test]
async fn on_somebody_elses_postgresql_a_given_first_password_is_used_and_not_printed() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create_bare().await);
    let server = Docket::serve(&folder).database_url(database.url()).start().await;
    Client::admin(&server).await;
    let printed = server.stop().await.succeeded();
    assert!(!printed.contains("password") && !printed.contains(PASSWORD), "{printed}");
}

#[tokio::test]
async fn without_authentication_everybody_on_this_machine_is_the_administrator() {
    let folder = DataFolder::new();
    let database = TestDatabase::create().await;
    let docket = Docket::serve(&folder).database_url(database.url());
    let server = docket.env("AUTH_ENABLED", "false").start().await;
    let me = Client::of(&server).get("/v1/me").await;
    assert_eq!((me.status, me.body["name"].as_str()), (200, Some(ADMIN)), "{me:?}");
    assert_eq!(me.body["role"], "admin");
    assert!(server.stop().await.succeeded().contains("authentication is OFF"));

    let server = Docket::serve(&folder).database_url(database.url()).start().await;
    assert_eq!(me_without_a_token(&server).await, 401);
    server.stop().await.succeeded();
}

async fn me_without_a_token(server: &Server) -> u16 {
    Client::of(server).get("/v1/me").await.status
}

async fn assert_passwords_are_hashed_slowly(mut superuser: PgConnection) {
    let hash: String = sqlx::query_scalar("SELECT password_hash FROM users")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    assert!(hash.starts_with("$2b$12$"), "{hash}");
    superuser.close().await.unwrap();
}
