//! `docket password` and `docket rename`.

use serde_json::json;

use crate::support::{DataFolder, Docket, PASSWORD, Papers, Person};

#[tokio::test]
async fn a_user_changes_their_password_and_stays_signed_in_here_only() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let (here, elsewhere) = (Person::new(), Person::new());
    here.signs_in(&server).await;
    elsewhere.signs_in(&server).await;
    let change = |current: &'static str| {
        let command = here.types(["password"]).env("DOCKET_PASSWORD", current);
        command.env("DOCKET_NEW_PASSWORD", "battery staple")
    };
    let wrong = change("not the password").finish().await.failed_with(2);
    assert!(wrong.contains("The current password is wrong"), "{wrong}");
    let told = change(PASSWORD).finish().await.succeeded();
    assert!(told.starts_with("Your password was changed."), "{told}");
    here.sees(["docs"]).await;
    elsewhere.types(["docs"]).finish().await.failed_with(4);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_renamed_document_is_listed_and_found_under_its_title() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let listed = ada.reads(["docs", "--json"]).await;
    let id = listed["items"][0]["doc_id"].as_str().unwrap();
    let said = ada.sees(["rename", id, " Lease, 2026 "]).await;
    assert_eq!(said, format!("Renamed {} to Lease, 2026\n", &id[28..]));
    let found = ada.reads(["docs", "--search", "lease, 2026", "--json"]).await;
    assert_eq!(found["items"][0]["title"], json!("Lease, 2026"));
    ada.types(["rename", id, ""]).finish().await.failed_with(2);
    server.stop().await.succeeded();
}
