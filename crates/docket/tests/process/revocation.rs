//! What is taken away at one server ends at the others.

use serde_json::json;
use testkit::TestDatabase;

use crate::support::{Client, DataFolder, Docket, PASSWORD, Server, eventually};

const SECRET: &str = "a secret of thirty-two bytes, or more";

/// Two servers on one database that honour each other's tokens.
struct TwoServers {
    one: Server,
    other: Server,
    _folders: [DataFolder; 2],
}

impl TwoServers {
    async fn start() -> Self {
        let database = TestDatabase::create().await;
        let folders = [DataFolder::new(), DataFolder::new()];
        let serve = |folder| {
            let docket = Docket::serve(folder).database_url(database.url());
            let docket = docket.objects_beside(&folders[0]);
            docket.env("JWT_SECRET", SECRET).start()
        };
        let (one, other) = tokio::join!(serve(&folders[0]), serve(&folders[1]));
        Self { one, other, _folders: folders }
    }

    async fn stop(self) {
        self.one.stop().await.succeeded();
        self.other.stop().await.succeeded();
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_by_the_other_server_within_a_minute() {
    let servers = TwoServers::start().await;
    let admin = Client::admin(&servers.one).await;
    let (id, key) = admin.make_key("for a scanner").await;
    let scanner = admin.with(&key).at(&servers.other);
    assert_eq!(scanner.get("/v1/me").await.status, 200);

    assert_eq!(admin.delete(&format!("/v1/api-keys/{id}")).await.status, 204);
    is_refused(&scanner).await;
    assert_eq!(admin.at(&servers.other).get("/v1/me").await.status, 200, "the token counts there");
    servers.stop().await;
}

#[tokio::test]
async fn a_deactivated_user_is_refused_by_the_other_server_within_a_minute() {
    let servers = TwoServers::start().await;
    let admin = Client::admin(&servers.one).await;
    let wanted = json!({ "email": "ada@example.com", "password": PASSWORD, "role": "viewer" });
    let ada = admin.post("/v1/users", wanted).await;
    let id = ada.body["user_id"].as_str().expect("ada was added");
    let ada = Client::of(&servers.one).sign_in("ada@example.com", PASSWORD).await;
    let ada = ada.at(&servers.other);
    assert_eq!(ada.get("/v1/me").await.status, 200);

    assert_eq!(admin.delete(&format!("/v1/users/{id}")).await.status, 204);
    is_refused(&ada).await;
    let again = ada.try_sign_in("ada@example.com", PASSWORD).await;
    assert_eq!(again.status, 401, "{again:?}");
    servers.stop().await;
}

async fn is_refused(client: &Client) {
    let began = tokio::time::Instant::now();
    eventually("access ends", async || client.get("/v1/me").await.status == 401).await;
    println!("refused after {:?}", began.elapsed());
}
