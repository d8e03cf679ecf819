//! The guide at `/docs/guide`: every page is served to anybody, and its links lead somewhere.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{Method, StatusCode};
use testkit::TestApp;

/// The values of an attribute in a page.
fn attributes<'a>(page: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {name}=\"");
    let places: Vec<usize> = page.match_indices(&start).map(|(at, _)| at + start.len()).collect();
    places.into_iter().filter_map(move |at| page[at..].split('"').next())
}

async fn read(app: &TestApp, address: &str) -> String {
    let response = app.get(address).send().await;
    assert_eq!(response.status, StatusCode::OK, "{address}");
    response.body.as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn every_link_of_the_guide_leads_to_a_page_and_a_place_in_it() {
    let app = TestApp::start().await;
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    let mut links: BTreeSet<(String, String)> = BTreeSet::new();
    let mut waiting = vec!["/docs/guide".to_owned()];
    while let Some(address) = waiting.pop() {
        if pages.contains_key(&address) {
            continue;
        }
        let page = read(&app, &address).await;
        for link in attributes(&page, "href").chain(attributes(&page, "src")) {
            let link =
                if link.starts_with('#') { format!("{address}{link}") } else { link.to_owned() };
            let target = link.split('#').next().unwrap_or_default().to_owned();
            if target.starts_with("/docs/guide") {
                waiting.push(target);
                links.insert((address.clone(), link));
            }
        }
        pages.insert(address, page);
    }
    assert!(pages.len() > 20, "{:?}", pages.keys());
    for (from, link) in links {
        let Some((target, anchor)) = link.split_once('#') else { continue };
        let found = attributes(&pages[target], "id").any(|id| id == anchor);
        assert!(found, "{from} links to {link}, and there is no such heading");
    }
}

#[tokio::test]
async fn a_page_of_the_guide_loads_nothing_from_elsewhere_and_runs_no_inline_script() {
    let app = TestApp::start().await;
    let response = app.get("/docs/guide/getting-started").send().await;
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = response.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(!policy.contains("unsafe-inline") && !policy.contains("http"), "{policy}");
    let page = response.body.as_str().unwrap();
    assert!(page.contains("<title>Getting started · Docket guide</title>"), "{page}");
    assert!(page.contains(" aria-current=\"page\""), "{page}");
    assert!(!page.contains("style=\"") && !page.contains("<style"), "{page}");
    let loaded = attributes(page, "src").all(|address| address.starts_with('/'));
    assert!(loaded, "{page}");

    let tag = response.header("etag").unwrap().to_owned();
    let again = app.get("/docs/guide/getting-started").header("if-none-match", &tag).status().await;
    assert_eq!(again, StatusCode::NOT_MODIFIED);
}

#[tokio::test]
async fn the_guide_stands_beside_the_api_documentation() {
    let app = TestApp::start().await;
    let moved = app.get("/docs/guide/").send().await;
    assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(moved.header("location"), Some("/docs/guide"));
    let styles = app.get("/docs/guide/guide.css").send().await;
    assert_eq!(styles.header("content-type"), Some("text/css; charset=utf-8"));
    assert!(read(&app, "/docs/").await.contains("swagger"));

    let unknown = app.get("/docs/guide/no-such-page").send().await;
    assert_eq!((unknown.status, unknown.code()), (StatusCode::NOT_FOUND, "no_such_route"));
    let outside = app.get("/docs/guide/..%2F..%2FCargo.toml").status().await;
    assert_eq!(outside, StatusCode::NOT_FOUND);
    let written = app.request(Method::DELETE, "/docs/guide/api").status().await;
    assert_eq!(written, StatusCode::METHOD_NOT_ALLOWED);
}
