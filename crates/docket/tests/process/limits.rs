//! Settings at the edge of what works.

use crate::support::{Client, DataFolder, Docket, Papers, Person, eventually};

const CONNECTIONS: &str = "DOCKET_DATABASE_MAX_CONNECTIONS";

#[tokio::test]
async fn too_few_connections_are_refused() {
    let folder = DataFolder::new();
    for too_few in ["0", "2", "3"] {
        let refused = Docket::serve(&folder).env(CONNECTIONS, too_few).finish().await;
        let sentence = refused.failed_with(2);
        assert!(sentence.contains("database_max_connections"), "{sentence}");
        assert!(
            sentence.contains("write a whole number from 4 to 150: two connections only listen"),
            "{sentence}"
        );
    }
    assert!(!folder.path().exists(), "nothing was begun");
}

#[tokio::test]
async fn with_the_fewest_connections_everything_works() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).env(CONNECTIONS, "4").start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(8);
    let said = ada.sees(["ingest", papers.folder(), "--wait"]).await;
    assert!(said.contains("8 processed"), "{said}");
    let client = Client::of(&server);
    eventually("it is ready", async || client.get("/readyz").await.status == 200).await;
    let listed = ada.reads(["docs", "--json"]).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 8);
    ada.types(["search", "paper"]).finish().await;
    assert_eq!(client.get("/readyz").await.status, 200);
    assert_eq!(server.stop().await.code, Some(0));
}
