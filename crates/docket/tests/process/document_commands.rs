//! `docket batches`, `download`, `open`, `rm`, `tag`, and what all commands about documents share: short ids, colours
//! and what is said when a list goes on.

use std::fs;

use serde_json::json;

use crate::support::{DataFolder, Docket, Papers, Person, Server};

/// A server with two letters in a batch, and who uploaded them.
async fn library(folder: &DataFolder) -> (Server, Person, Vec<String>) {
    let server = Docket::serve(folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(2);
    let batch = ["--batch", "March letters", "--parallel", "1", "--wait"];
    ada.sees([["ingest", papers.folder()].as_slice(), &batch].concat()).await;
    let listed = ada.reads(["docs", "--json"]).await;
    let ids = listed["items"].as_array().unwrap().iter();
    let ids = ids.map(|document| document["doc_id"].as_str().unwrap().to_owned()).collect();
    (server, ada, ids)
}

fn short(id: &str) -> &str {
    &id[id.len() - 8..]
}

#[tokio::test]
async fn a_short_id_names_a_document_wherever_an_id_does() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let table = ada.sees(["docs"]).await;
    assert!(table.contains(&format!("\n{}  Ready ", short(&ids[0]))), "{table}");
    let full = ada.sees(["docs", "--full-ids"]).await;
    assert!(full.contains(&format!("\n{}  Ready ", ids[0])), "{full}");

    let shown = ada.sees(["show", short(&ids[0])]).await;
    assert!(shown.starts_with(&format!("Document {}: Ready\n", ids[0])), "{shown}");
    assert_eq!(ada.sees(["show", &ids[0]]).await, shown);
    let run = shown.lines().skip_while(|line| *line != "Latest runs:").nth(1).unwrap();
    let run = run.split_whitespace().next().unwrap();
    let jobs = ada.reads(["jobs", "--run", run, "--json"]).await;
    assert_eq!(jobs["items"][0]["doc_id"], json!(ids[0]));
    let found = ada.reads(["search", "letter", "--doc", short(&ids[1]), "--json"]).await;
    assert_eq!(found["hits"][0]["doc_id"], json!(ids[1]));
    ada.sees(["rerun", short(&ids[0]), "--wait"]).await;

    let missing = ada.types(["show", "ffffffffff"]).finish().await.failed_with(1);
    assert_eq!(
        missing,
        "there is no document whose id ends with ffffffffff. It was deleted, or you don't have access"
    );
    let mut superuser = folder.superuser().await;
    let copy = "INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime,
                                       bytes_len, status, created_at, updated_at)
                SELECT overlay(doc_id::text PLACING '00000000' FROM 1)::uuid, tenant_id, file_kind,
                       source_uri || ' copy', title, source, filename, mime, bytes_len, status, created_at, updated_at
                FROM documents WHERE doc_id = $1::uuid";
    sqlx::query(copy).bind(&ids[0]).execute(&mut superuser).await.unwrap();
    let ambiguous = ada.types(["show", short(&ids[0])]).finish().await.failed_with(1);
    let begins = format!("2 documents have an id that ends with {}; give more", short(&ids[0]));
    assert!(ambiguous.starts_with(&begins) && ambiguous.contains(&ids[0]), "{ambiguous}");
    drop(superuser);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn batches_are_listed_and_documents_found_by_their_batch() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let none = ada.sees(["batches"]).await;
    assert_eq!(none, "No batches yet. Create one with `docket ingest PATH --batch NAME`.\n");
    let papers = Papers::texts(2);
    papers.with("empty.txt", "");
    let ingest = ["ingest", papers.folder(), "--batch", "March letters", "--wait"];
    ada.types(ingest).finish().await;

    let table = ada.sees(["batches"]).await;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("BATCH     STATUS  "), "{table}");
    assert!(lines[1].ends_with("  March letters"), "{table}");
    let counts: Vec<&str> = lines[1].split_whitespace().skip(1).take(6).collect();
    assert_eq!(counts, ["Partly", "failed", "2", "2", "0", "1"], "{table}");
    let id = lines[1].split_whitespace().next().unwrap();
    for batch in [id, "March letters"] {
        let shown = ada.sees(["batches", "show", batch]).await;
        assert!(shown.contains("  Received  3 files, 1 of them refused\n"), "{shown}");
        assert_eq!(shown.lines().filter(|line| line.contains("  Ready ")).count(), 2, "{shown}");
        assert_eq!(ada.sees(["docs", "--batch", batch]).await.lines().count(), 3);
    }
    let wrong = ada.types(["docs", "--batch", "April"]).finish().await.failed_with(1);
    assert_eq!(wrong, "no batch is called 'April'. `docket batches` lists them");
    ada.types(ingest).finish().await;
    let two = ada.types(["docs", "--batch", "March letters"]).finish().await.failed_with(1);
    assert!(two.starts_with("2 batches are called 'March letters'; name one by its id: "), "{two}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_list_says_that_there_is_more() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let empty = ada.sees(["docs"]).await;
    assert_eq!(empty, "No documents yet. Add some with `docket ingest PATH`.\n");
    assert_eq!(ada.sees(["docs", "--tag", "rent"]).await, "No document matches.\n");
    let papers = Papers::texts(3);
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let cut = ada.sees(["docs", "--limit", "2"]).await;
    assert!(cut.ends_with("\n2 of 3 shown; use --limit N or --all\n"), "{cut}");
    let of_type = ada.sees(["docs", "--limit", "1", "--type", "txt"]).await;
    assert!(of_type.ends_with("\n1 of 3 shown; use --limit N or --all\n"), "{of_type}");
    for whole in [["docs", "--limit=3"], ["docs", "--all"]] {
        assert_eq!(ada.sees(whole).await.lines().count(), 4, "{whole:?}");
    }
    assert_eq!(ada.reads(["docs", "--limit", "1", "--json"]).await["has_more"], true);
    let jobs = ada.sees(["jobs", "--limit", "1"]).await;
    assert!(jobs.ends_with("\nThe first 1 are shown; use --limit N or --all\n"), "{jobs}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn documents_are_saved_and_no_file_is_overwritten() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let download = |more: &[&str]| {
        let arguments = [["download", short(&ids[0])].as_slice(), more].concat();
        ada.types(arguments).finish()
    };
    let saved = download(&["-o", &path("")]).await.succeeded();
    assert_eq!(saved, format!("Saved {} (18 B)\n", path("2.txt")));
    assert_eq!(fs::read_to_string(path("2.txt")).unwrap(), "This is letter 2.\n");

    fs::write(path("2.txt"), "mine").unwrap();
    let refused = download(&["-o", &path("")]).await.failed_with(1);
    let exists = format!("{} exists; overwrite it with --force, or choose another", path("2.txt"));
    assert!(refused.contains(&exists), "{refused}");
    assert_eq!(fs::read_to_string(path("2.txt")).unwrap(), "mine");
    download(&["-o", &path("2.txt"), "--force"]).await.succeeded();
    assert_eq!(fs::read_to_string(path("2.txt")).unwrap(), "This is letter 2.\n");

    for (format, file) in [("markdown", "2.md"), ("json", "2.json")] {
        download(&["--format", format, "-o", &path("")]).await.succeeded();
        assert!(fs::read_to_string(path(file)).unwrap().contains("letter"), "{format}");
    }
    let pages: serde_json::Value =
        serde_json::from_slice(&fs::read(path("2.json")).unwrap()).unwrap();
    assert_eq!(pages["document"]["doc_id"], json!(ids[0]));
    assert_eq!(pages["pages"].as_array().unwrap().len(), 1);
    let printed = download(&["--format", "text", "-o", "-"]).await.succeeded();
    assert!(printed.contains("This is letter 2."), "{printed}");

    let both = ["download", &ids[0], &ids[1]];
    let one_file = path("one");
    let refused = ada.types([both.as_slice(), &["-o", &one_file]].concat());
    let refused = refused.finish().await.failed_with(2);
    assert!(refused.starts_with("2 documents need a folder to go to"), "{refused}");
    ada.sees([both.as_slice(), &["-o", &path("new/")]].concat()).await;
    assert_eq!(fs::read_dir(path("new")).unwrap().count(), 2);
    let names: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "no temporary file is left: {names:?}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn documents_are_deleted_when_the_user_says_so() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let unasked = ada.types(["rm", &ids[0]]).finish().await.failed_with(2);
    assert!(unasked.ends_with("add --yes to delete without asking"), "{unasked}");
    let missing = uuid::Uuid::nil().to_string();
    let mistyped = ada.types(["rm", "--yes", &ids[0], &missing]).finish().await;
    assert_eq!(mistyped.code, Some(1), "{mistyped:?}");
    assert_eq!(ada.sees(["docs"]).await.lines().count(), 3, "nothing was deleted");

    let asked = ada.types(["rm", short(&ids[0])]).at_a_terminal(80, 24);
    let asked = asked.finish_with_input("n\n").await;
    assert!(asked.stdout.contains("Delete this document? [y/N]"), "{asked:?}");
    assert!(asked.stdout.contains("Nothing was deleted."), "{asked:?}");
    let asked = ada.types(["rm", short(&ids[0])]).at_a_terminal(80, 24);
    let asked = asked.finish_with_input("y\n").await;
    assert!(asked.stdout.contains(&format!("Deleted {}  2.txt", short(&ids[0]))), "{asked:?}");
    let rest = ada.reads(["rm", "--yes", &ids[1], "--json"]).await;
    assert_eq!(rest, json!({ "deleted": [ids[1]], "refused": [] }));
    assert!(ada.sees(["docs"]).await.starts_with("No documents yet."));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn tags_are_added_removed_and_replaced() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let id = short(&ids[0]);
    assert_eq!(ada.sees(["tag", id]).await, format!("{id}  2.txt: no tags\n"));
    let added = ada.sees(["tag", id, &ids[1], "--add", "rent", "--add", "2026"]).await;
    assert_eq!(added, format!("{id}  2.txt: 2026, rent\n{}  1.txt: 2026, rent\n", short(&ids[1])));
    let removed = ada.sees(["tag", id, "--add", "paid", "--remove", "rent"]).await;
    assert_eq!(removed, format!("{id}  2.txt: 2026, paid\n"));
    let set = ada.reads(["tag", id, "--set", "a,b", "--json"]).await;
    assert_eq!(set["items"][0]["tags"], json!(["a", "b"]));
    assert_eq!(ada.sees(["tag", id, "--set", ""]).await, format!("{id}  2.txt: no tags\n"));
    let both = ada.types(["tag", id, "--set", "a", "--add", "b"]).finish().await;
    assert_eq!(both.code, Some(2), "{both:?}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_document_is_opened_in_the_browser_that_is_named() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let address = format!("http://{}/documents/{}\n", server.address(), ids[0]);
    assert_eq!(ada.sees(["open", short(&ids[0])]).await, address);
    let broken = ada.types(["open", &ids[0]]).env("BROWSER", "/no/such/browser").finish().await;
    assert_eq!((broken.code, &broken.stdout), (Some(0), &address));
    assert!(broken.stderr.contains("cannot start /no/such/browser"), "{broken:?}");
    let printed = ada.types(["open", &ids[0], "--print"]).env("BROWSER", "/no/such/browser");
    assert_eq!(printed.finish().await.stderr, "");
    let nothing = uuid::Uuid::nil().to_string();
    ada.types(["open", &nothing]).finish().await.failed_with(1);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn states_are_coloured_on_a_terminal_and_nowhere_else() {
    const GREEN: &str = "\u{1b}[32mReady\u{1b}[0m";
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    assert!(!ada.sees(["docs"]).await.contains('\u{1b}'));
    assert!(ada.sees(["docs", "--color", "always"]).await.contains(GREEN));
    assert!(!ada.sees(["docs", "--color", "always", "--json"]).await.contains('\u{1b}'));
    for command in [vec!["docs"], vec!["show", &ids[0]]] {
        let seen = ada.types(command.clone()).at_a_terminal(120, 40).finish().await.stdout;
        assert!(seen.contains(GREEN), "{seen:?}");
        let plain = ada.types(command.clone()).env("NO_COLOR", "1").at_a_terminal(120, 40);
        assert!(!plain.finish().await.stdout.contains('\u{1b}'));
    }
    let never = ada.types(["docs", "--color", "never"]).at_a_terminal(120, 40).finish().await;
    assert!(!never.stdout.contains('\u{1b}'), "{never:?}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn bash_completes_commands() {
    let script = Docket::run(["completions", "bash"]).finish().await.succeeded();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(&file, script).unwrap();
    let line = format!(
        ". {}; COMP_WORDS=(docket dow); COMP_CWORD=1; _docket docket dow docket; echo \"${{COMPREPLY[@]}}\"",
        file.path().display()
    );
    let completed = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&completed.stdout), "download\n", "{completed:?}");
}
