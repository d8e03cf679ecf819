//! Settings that cannot work: one sentence that says what to do, exit code 2 (1 where the machine
//! says no), and nothing changed.

use std::io::Write;
use std::net::TcpListener;

use tempfile::NamedTempFile;

use crate::support::{ADMIN, Client, DataFolder, Docket, Finished, PASSWORD};

/// A file of settings.
fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// Settings are checked before anything is made.
async fn refused(folder: &DataFolder, docket: Docket) -> Finished {
    let finished = docket.finish().await;
    assert!(!folder.path().exists(), "something was made");
    finished
}

#[tokio::test]
async fn an_unknown_key_in_the_file() {
    let folder = DataFolder::new();
    let file = file("lisen = \"127.0.0.1:0\"\n");
    let docket = Docket::serve_plainly(&folder).config(file.path());
    assert_eq!(
        refused(&folder, docket).await.failed_with(2),
        format!(
            "{} has an unknown key 'lisen'; did you mean 'listen'? (`docket config` lists every key)",
            file.path().display()
        )
    );
}

#[tokio::test]
async fn a_file_that_is_not_there() {
    let folder = DataFolder::new();
    let docket = Docket::serve_plainly(&folder).config("/no/such/docket.toml".as_ref());
    assert_eq!(
        refused(&folder, docket).await.failed_with(2),
        "cannot read the configuration file /no/such/docket.toml: No such file or directory (os \
         error 2). Name another one with --config or DOCKET_CONFIG, or make this one readable"
    );
}

#[tokio::test]
async fn a_file_that_is_not_toml() {
    let folder = DataFolder::new();
    let file = file("listen = \"127.0.0.1:0\"\nlog_level: debug\n");
    let docket = Docket::serve_plainly(&folder).config(file.path());
    assert_eq!(
        refused(&folder, docket).await.failed_with(2),
        format!(
            "the configuration file {} is not understood in line 2: key with no value, expected \
             `=`. Write one setting per line, such as listen = \"127.0.0.1:8080\"",
            file.path().display()
        )
    );
}

#[tokio::test]
async fn a_wrong_value_in_the_environment() {
    let folder = DataFolder::new();
    let docket = Docket::serve_plainly(&folder).env("JWT_EXPIRY_HOURS", "soon");
    assert_eq!(
        refused(&folder, docket).await.failed_with(2),
        "jwt_expiry_hours = \"soon\" (from JWT_EXPIRY_HOURS) does not work: write a whole number"
    );
}

#[tokio::test]
async fn a_secret_that_is_too_short_is_not_repeated() {
    let folder = DataFolder::new();
    let docket = Docket::serve_plainly(&folder).env("JWT_SECRET", "hunter2");
    assert_eq!(
        refused(&folder, docket).await.failed_with(2),
        "jwt_secret = (hidden) (from JWT_SECRET) does not work: it must be 32 bytes or more; make \
         one with: openssl rand -base64 32"
    );
}

#[tokio::test]
async fn a_database_url_of_another_kind_keeps_its_password() {
    let folder = DataFolder::new();
    let docket = Docket::serve_plainly(&folder).database_url("mysql://ada:hunter2@db/docs");
    assert_eq!(
        refused(&folder, docket).await.failed_with(2),
        "database_url = (hidden) (from --database-url) does not work: it must look like \
         postgres://user:password@host:5432/database"
    );
}

#[tokio::test]
async fn no_authentication_on_an_address_that_others_reach() {
    let folder = DataFolder::new();
    let docket = Docket::on(&folder, ["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(
        refused(&folder, docket.env("AUTH_ENABLED", "false")).await.failed_with(2),
        "auth_enabled = false (from AUTH_ENABLED) does not work: without authentication Docket \
         listens on a loopback address only; set listen to 127.0.0.1:8080, or leave auth_enabled on"
    );
}

#[tokio::test]
async fn a_port_in_use() {
    let folder = DataFolder::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let docket = Docket::on(&folder, ["serve", "--listen", &address]);
    assert_eq!(
        refused(&folder, docket).await.failed_with(1),
        format!(
            "{address} is in use by another program. Stop that one, or choose another address with \
             --listen, for example --listen 127.0.0.1:0 for any free port"
        )
    );
    Docket::serve_plainly(&folder).start().await.stop().await.succeeded();
}

#[tokio::test]
async fn a_first_password_that_is_too_short() {
    let folder = DataFolder::new();
    let docket = Docket::serve_plainly(&folder).env("DOCKET_ADMIN_PASSWORD", "short");
    assert_eq!(
        docket.finish().await.failed_with(2),
        "DOCKET_ADMIN_PASSWORD does not work as a password: the password is too short; use at \
         least 8 characters"
    );
    folder.is_left_alone().await;

    let server = Docket::serve(&folder).start().await;
    Client::of(&server).sign_in(ADMIN, PASSWORD).await;
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_command_line_that_makes_no_sense() {
    for arguments in
        [vec!["serv"], vec!["serve", "--lisen", "x"], vec!["tenants", "create"], vec![]]
    {
        let finished = Docket::run(&arguments).finish().await;
        assert_eq!(finished.code, Some(2), "{arguments:?} {finished:?}");
        assert!(
            finished.stderr.contains("--help") || finished.stderr.contains("Usage"),
            "{finished:?}"
        );
    }
}
