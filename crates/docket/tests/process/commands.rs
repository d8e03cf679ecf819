//! The commands beside `serve`, on an instance that is stopped and on one that runs.

use serde_json::{Value, json};
use testkit::TestDatabase;

use crate::support::{ADMIN, Client, DataFolder, Docket, PASSWORD, eventually, shown_password};

#[tokio::test]
async fn help_names_every_command() {
    let help = Docket::run(["--help"]).finish().await.succeeded();
    for command in [
        "serve", "worker", "migrate", "config", "audit", "tenants", "users", "login", "logout",
        "status", "ingest", "docs", "show", "rename", "rerun", "jobs", "dlq", "secrets",
        "password",
    ] {
        assert!(help.lines().any(|line| line.trim().starts_with(command)), "{command}: {help}");
    }
    let version = Docket::run(["--version"]).finish().await.succeeded();
    assert_eq!(version, format!("docket {}\n", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn a_server_tells_its_operator_how_it_is_set_up_and_nobody_a_secret() {
    const SECRET: &str = "a planted secret, of thirty-two bytes";
    let folder = DataFolder::new();
    let docket = Docket::serve(&folder).env("JWT_SECRET", SECRET).env("UPLOAD_MAX_SIZE_MB", "7");
    let server = docket.env("DOCKET_LLM_API_KEY", SECRET).start().await;
    let admin = Client::admin(&server).await;
    let told = admin.get("/v1/config").await;
    assert_eq!(told.status, 200);
    assert!(!told.body.to_string().contains("planted"), "{}", told.body);
    let settings = told.body["settings"].as_array().unwrap();
    let of = |key: &str| settings.iter().find(|setting| setting["key"] == key).unwrap();
    assert_eq!(of("jwt_secret")["value"], "set");
    assert_eq!(of("rerank_api_key")["value"], "not set");
    let upload = of("upload_max_size_mb");
    assert_eq!((&upload["value"], &upload["origin"]), (&json!(7), &json!("environment")));
    assert_eq!(of("data_dir")["origin_name"], "--data-dir");
    let (_, key) = admin.make_key("a machine").await;
    assert_eq!(admin.with(&key).get("/v1/config").await.status, 403);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn config_prints_what_is_in_force_and_where_it_came_from_and_no_secret() {
    let folder = DataFolder::new();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "jwt_expiry_hours = 2\nlisten = \"127.0.0.1:1\"\n").unwrap();
    let printed = Docket::on(&folder, ["config"])
        .config(file.path())
        .database_url("postgres://ada:hunter2@db.example/docs")
        .env("JWT_SECRET", "another secret, of thirty-two bytes")
        .env("DOCKET_LISTEN", "127.0.0.1:2")
        .finish()
        .await
        .succeeded();
    let file = file.path().display();
    let data_dir = folder.path();
    for line in [
        format!("data_dir = \"{}\"  # --data-dir", data_dir.display()),
        "database_url = \"postgres://ada@db.example:5432/docs\"  # --database-url".to_owned(),
        format!("jwt_expiry_hours = 2  # {file}"),
        "jwt_secret = (hidden)  # JWT_SECRET".to_owned(),
        "listen = \"127.0.0.1:2\"  # DOCKET_LISTEN".to_owned(),
        "shutdown_grace_seconds = 20  # default".to_owned(),
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}: {printed}");
    }
    assert!(!printed.contains("hunter2") && !printed.contains("another secret"), "{printed}");
    assert!(!data_dir.exists(), "looking changes nothing");
}

#[tokio::test]
async fn tenants_are_added_while_docket_is_stopped_and_while_it_runs() {
    let folder = DataFolder::new();
    Docket::serve(&folder).start().await.stop().await.succeeded();

    let printed = add_tenant(&folder, "Acme", "admin@acme.test").finish().await.succeeded();
    let made_up = shown_password(&printed);
    folder.is_left_alone().await;
    assert_eq!(tenant_names(&folder).await, ["Acme", "default"]);

    let server = Docket::serve(&folder).start().await;
    Client::of(&server).sign_in("admin@acme.test", &made_up).await;
    let chosen = add_tenant(&folder, "Globex", "admin@globex.test");
    let printed = chosen.env("DOCKET_ADMIN_PASSWORD", PASSWORD).finish().await.succeeded();
    assert!(!printed.contains("password") && !printed.contains(PASSWORD), "{printed}");
    let globex = Client::of(&server).sign_in("admin@globex.test", PASSWORD).await;
    assert_eq!(globex.key_ids().await, [""; 0]);
    assert_eq!(tenant_names(&folder).await, ["Acme", "Globex", "default"]);
    let table = Docket::on(&folder, ["tenants", "list"]).finish().await.succeeded();
    assert_eq!(table.lines().count(), 3, "{table}");

    let again = add_tenant(&folder, "Acme", "second@acme.test").finish().await;
    assert_eq!(again.failed_with(1), "there is a tenant called 'Acme' already");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_lost_password_is_reset_while_docket_is_stopped_and_while_it_runs() {
    let folder = DataFolder::new();
    Docket::serve(&folder).start().await.stop().await.succeeded();

    let reset = || Docket::on(&folder, ["users", "reset-password", ADMIN]);
    let first = shown_password(&reset().finish().await.succeeded());
    folder.is_left_alone().await;

    let server = Docket::serve(&folder).start().await;
    let nobody = Client::of(&server);
    assert_eq!(nobody.try_sign_in(ADMIN, PASSWORD).await.status, 401);
    let admin = nobody.sign_in(ADMIN, &first).await;

    let chosen = reset().env("DOCKET_ADMIN_PASSWORD", "a new password");
    let printed = chosen.finish().await.succeeded();
    assert_eq!(printed, format!("{ADMIN} has a new password and was signed out everywhere\n"));
    eventually("the old token ends", async || admin.get("/v1/me").await.status == 401).await;
    assert_eq!(nobody.try_sign_in(ADMIN, &first).await.status, 401);
    nobody.sign_in(ADMIN, "a new password").await;

    let unknown = Docket::on(&folder, ["users", "reset-password", "nobody@acme.test"]);
    assert_eq!(unknown.finish().await.failed_with(1), "there is no such user");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn the_commands_work_on_somebody_elses_postgresql() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create_bare().await);
    let run = |arguments| Docket::on(&folder, arguments).database_url(database.url());
    let migrated = run(vec!["migrate"]).finish().await.succeeded();
    assert_eq!(migrated, "The database is up to date.\n");
    let create = vec!["tenants", "create", "Acme", "--admin-email", "admin@acme.test"];
    shown_password(&run(create).finish().await.succeeded());
    let report = run(vec!["audit", "verify"]).finish().await.succeeded();
    assert!(
        report.starts_with("Acme (")
            && report.ends_with(": 2 rows, no checkpoints yet, chain intact\n"),
        "{report}"
    );
}

fn add_tenant(folder: &DataFolder, name: &str, email: &str) -> Docket {
    Docket::on(folder, ["tenants", "create", name, "--admin-email", email])
}

async fn tenant_names(folder: &DataFolder) -> Vec<String> {
    let list = Docket::on(folder, ["tenants", "list", "--json"]);
    let document: Value = serde_json::from_str(&list.finish().await.succeeded()).unwrap();
    let tenants = document["tenants"].as_array().expect("a list");
    let mut names: Vec<String> =
        tenants.iter().map(|tenant| tenant["name"].as_str().unwrap().to_owned()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn the_key_of_secrets_is_replaced_while_docket_runs() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let file = folder.path().join("secrets/master_key");
    let before = std::fs::read_to_string(&file).unwrap();
    let said = Docket::on(&folder, ["secrets", "rotate"]).finish().await.succeeded();
    assert_eq!(said, "0 secrets were encrypted again\n");
    assert_ne!(std::fs::read_to_string(&file).unwrap(), before);
    assert!(!file.with_extension("previous").exists(), "nothing needs the old one any more");
    server.stop().await.succeeded();
    Docket::serve(&folder).start().await.stop().await.succeeded();
}
