//! A disk with the documents that is not mounted, and objects that are missing or damaged.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::reading::{library_of, only_document, with_tools};
use crate::support::{Client, DataFolder, Docket, Papers, Person, Server};

fn objects(folder: &DataFolder) -> PathBuf {
    folder.path().join("blobs")
}

/// A server with one document, and a user.
async fn with_a_document(folder: &DataFolder, text: &str) -> (Server, Person, Client, String) {
    let (server, ada, client) = library_of(with_tools(Docket::serve(folder))).await;
    let papers = Papers::new();
    papers.with("letter.txt", text);
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await["doc_id"].as_str().unwrap().to_owned();
    (server, ada, client, document)
}

fn only_file_below(folder: &Path, name: Option<&str>) -> PathBuf {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if name.is_none_or(|name| path.ends_with(name)) {
                found.push(path);
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[tokio::test]
async fn a_disk_that_is_not_mounted_is_refused_and_nothing_is_hidden_below_it() {
    let folder = DataFolder::new();
    let (server, _ada, _client, document) = with_a_document(&folder, "Kept well.").await;
    server.stop().await.succeeded();
    let away = folder.path().join("away");
    fs::rename(objects(&folder), &away).unwrap();
    for is_there in [false, true] {
        if is_there {
            fs::create_dir(objects(&folder)).unwrap();
        }
        let said = Docket::serve(&folder).finish().await.failed_with(1);
        let place = objects(&folder).display().to_string();
        assert!(said.starts_with(&format!("The object store {place} has no valid")), "{said}");
        assert!(said.contains("mount it") && said.contains("docket check --adopt"), "{said}");
        let worker = Docket::on(&folder, ["worker"]).finish().await.failed_with(1);
        assert!(worker.contains("mount it"), "{worker}");
        assert_eq!(objects(&folder).exists(), is_there, "it is not made");
        // What does not need documents still works.
        Docket::on(&folder, ["tenants", "list"]).finish().await.succeeded();
    }
    assert_eq!(fs::read_dir(objects(&folder)).unwrap().count(), 0);
    fs::remove_dir(objects(&folder)).unwrap();
    fs::rename(&away, objects(&folder)).unwrap();
    let server = Docket::serve(&folder).start().await;
    let client = Client::admin(&server).await;
    let text = client.get(&format!("/v1/documents/{document}/text")).await;
    assert_eq!(text.status, 200, "{text:?}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_check_names_what_is_wrong_and_a_rerun_repairs_it() {
    let folder = DataFolder::new();
    let (server, ada, client, document) = with_a_document(&folder, "A plain letter.").await;
    let sound = Docket::on(&folder, ["check"]).finish().await.succeeded();
    assert!(sound.contains("No object is missing, damaged or unused."), "{sound}");
    let pages = only_file_below(&objects(&folder), Some("preprocess/pages.dkt"));
    let mut bytes = fs::read(&pages).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&pages, bytes).unwrap();
    let checked = Docket::on(&folder, ["check", "--json"]).finish().await;
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let lines: Vec<Value> =
        checked.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{checked:?}");
    assert_eq!(
        (&lines[0]["state"], &lines[0]["doc_id"]),
        (&"damaged".into(), &document.as_str().into())
    );
    let advice = format!("Run `docket rerun {document} --from preprocess`.");
    assert_eq!(lines[0]["advice"], advice.as_str());
    assert_eq!(lines[1]["summary"]["damaged"], 1);

    // A stage does not build on it, and what is served stays served.
    let failed = ada.types(["rerun", &document, "--from", "layout", "--wait"]).finish().await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let shown = ada.sees(["show", &document]).await;
    assert!(shown.contains("is damaged"), "{shown}");
    assert_eq!(client.get(&format!("/v1/documents/{document}/text")).await.status, 200);
    ada.sees(["rerun", &document, "--from", "preprocess", "--wait"]).await;

    let original = only_file_below(&objects(&folder).join("originals"), None);
    fs::remove_file(original).unwrap();
    let quick = Docket::on(&folder, ["check", "--quick"]).finish().await;
    assert_eq!(quick.code, Some(1));
    assert!(quick.stdout.contains("missing   originals/"), "{}", quick.stdout);
    assert!(quick.stdout.contains("upload the document again"), "{}", quick.stdout);
    let stopped = server.stop().await;
    assert_eq!(stopped.code, Some(0));
    assert!(stopped.stderr.contains("an object is damaged"), "{}", stopped.stderr);

    // A store that lost its marker is taken when the operator says so.
    fs::remove_file(objects(&folder).join("docket-store.json")).unwrap();
    Docket::serve(&folder).finish().await.failed_with(1);
    assert_eq!(Docket::on(&folder, ["check", "--quick", "--adopt"]).finish().await.code, Some(1));
    Docket::serve(&folder).start().await.stop().await.succeeded();
}
