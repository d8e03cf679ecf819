//! Page views from end to end: a file goes in, and HTML comes out. What is in it is told in `reading/tests/page_view/mod.rs`.

use crate::reading::{library_of, only_document, with_tools};
use crate::support::{DataFolder, Docket, Papers};

#[tokio::test]
async fn a_web_page_is_rendered_in_a_child() {
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(with_tools(Docket::serve(&folder))).await;
    let papers = Papers::new();
    papers.with("page.html", "<h1>Lease</h1><p>The rent is 1480.</p>");
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    let id = document["doc_id"].as_str().unwrap();
    let link = client.get(&format!("/v1/documents/{id}/view")).await;
    let url = link.body["url"].as_str().unwrap();
    let view = client.get(url).await;
    assert_eq!((view.status, view.content_type.as_str()), (200, "text/html; charset=utf-8"));
    server.stop().await.succeeded();
}
