//! Several Dockets on one database.

use sqlx::{Connection, PgConnection};
use testkit::TestDatabase;

use crate::support::{ADMIN, Client, DataFolder, Docket, Server, lives};

#[tokio::test]
async fn a_second_docket_shares_the_private_postgresql_until_the_last_one_leaves() {
    let folder = DataFolder::new();
    let first = Docket::serve(&folder).start().await;
    let admin = Client::admin(&first).await;
    let postmaster = folder.postmaster().expect("a private PostgreSQL runs");

    let second = Docket::serve(&folder).start().await;
    assert_eq!(folder.postmaster(), Some(postmaster), "there is a second PostgreSQL");
    let (key, _) = admin.make_key("made at the first").await;
    assert!(admin.at(&second).key_ids().await.contains(&key), "they see the same data");

    first.stop().await.succeeded();
    assert_eq!(folder.postmaster(), Some(postmaster), "it was taken from the second");
    admin.at(&second).make_key("made when the first was gone").await;

    second.stop().await.succeeded();
    assert!(!lives(postmaster), "the last one did not stop it");
}

#[tokio::test]
async fn start_together_on_one_empty_database_twenty_times() {
    for _ in 0..20 {
        let folders = (DataFolder::new(), DataFolder::new());
        let database = TestDatabase::create_bare().await;
        let serve = |folder| {
            let docket = Docket::serve_plainly(folder).database_url(database.url());
            docket.objects_beside(&folders.0).start()
        };
        let servers = tokio::join!(serve(&folders.0), serve(&folders.1));
        assert_there_is_one_administrator(database.superuser().await).await;
        assert_one_of_them_printed_the_password(servers).await;
    }
}

#[tokio::test]
async fn start_together_on_one_empty_data_folder() {
    for _ in 0..3 {
        let folder = DataFolder::new();
        let serve = || Docket::serve_plainly(&folder).start();
        let servers = tokio::join!(serve(), serve());
        assert_there_is_one_administrator(folder.superuser().await).await;
        assert_one_of_them_printed_the_password(servers).await;
        folder.is_left_alone().await;
    }
}

async fn assert_there_is_one_administrator(mut superuser: PgConnection) {
    let users: Vec<(String, String)> =
        sqlx::query_as("SELECT email, role FROM users").fetch_all(&mut superuser).await.unwrap();
    assert_eq!(users, [(ADMIN.to_owned(), "admin".to_owned())]);
    superuser.close().await.unwrap();
}

/// Stops both.
async fn assert_one_of_them_printed_the_password((one, other): (Server, Server)) {
    let (one, other) = tokio::join!(one.stop(), other.stop());
    let printed = [one.succeeded(), other.succeeded()];
    let passwords = printed.iter().filter(|text| text.contains("(shown this once")).count();
    assert_eq!(passwords, 1, "{printed:#?}");
}
