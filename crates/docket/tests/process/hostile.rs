//! Hundreds of hostile files, while the documents of another tenant are processed.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use reading::tools::Tools;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection};
use testkit::mutate::Mutator;
use testkit::samples::samples;

use crate::support::{DataFolder, Docket, PASSWORD, Papers, Person, Server, address, eventually};

const MUTANTS: u64 = 500;
/// Of the process that serves and minds the readers; what they need themselves is theirs.
const MOST_MEMORY_KIB: u64 = 400 << 10;
const LONGEST: Duration = Duration::from_mins(2);
const ATTACKER: &str = "admin@mallory.test";

/// The server that everything is thrown at, with the PDF library when there is one, and with an OCR engine
/// that sees nothing: pictures are opened, decoded and made ready all the same, and reading them for seconds
/// each would prove nothing more.
fn besieged(folder: &DataFolder) -> Docket {
    let docket = Docket::serve(folder)
        .env("DOCKET_TESSERACT", "/bin/true")
        .env("DOCKET_OCR_MODELS", "/none");
    match Tools::find().pdfium {
        Some(library) => docket.env("DOCKET_PDFIUM", library.to_str().unwrap()),
        None => docket,
    }
}

async fn attacker_at(server: &Server, folder: &DataFolder) -> Person {
    let create = ["tenants", "create", "Mallory", "--admin-email", ATTACKER];
    Docket::on(folder, create).env("DOCKET_ADMIN_PASSWORD", PASSWORD).finish().await.succeeded();
    let mallory = Person::new();
    let login = mallory.types(["login", "--email", ATTACKER]).and("--server", address(server));
    login.env("DOCKET_PASSWORD", PASSWORD).finish().await.succeeded();
    mallory
}

fn hostile_papers() -> Papers {
    let (papers, mutator) = (Papers::new(), Mutator::default());
    for seed in 1..=MUTANTS {
        let mutant = mutator.mutant(seed);
        fs::write(papers.path().join(mutant.file_name), mutant.bytes).unwrap();
    }
    papers
}

/// Good documents, as many kinds as can be read without OCR.
fn good_papers() -> Papers {
    let papers = Papers::texts(20);
    let has_pdfium = Tools::find().pdfium.is_some();
    for (number, sample) in samples().iter().enumerate() {
        let readable = match sample.ending {
            "png" | "jpg" | "tiff" => false,
            // The second PDF is a picture.
            "pdf" => has_pdfium && number == 0,
            _ => true,
        };
        if readable {
            let path = papers.path().join(format!("good-{number}.{}", sample.ending));
            fs::write(path, sample.form.to_bytes()).unwrap();
        }
    }
    papers
}

/// What `docket ingest --wait --json` says in the end.
async fn ingested(who: &Person, papers: &Papers) -> Value {
    let ingest = ["ingest", papers.folder(), "--wait", "--json", "--parallel", "8"];
    let finished = who.types(ingest).finish_within(LONGEST).await;
    let last = finished.stdout.lines().last().unwrap_or_default();
    let said: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("{finished:#?}"));
    said["summary"].clone()
}

async fn count(superuser: &mut PgConnection, of: &str) -> i64 {
    let statement = AssertSqlSafe(format!("SELECT count(*) FROM {of}"));
    sqlx::query_scalar(statement).fetch_one(superuser).await.unwrap()
}

/// The errors of runs that failed, without their particulars, and how many had each.
async fn reasons(superuser: &mut PgConnection) -> BTreeMap<String, i64> {
    let statement =
        "SELECT split_part(error, ':', 1), count(*) FROM jobs WHERE status = 'DEAD' GROUP BY 1";
    let rows: Vec<(String, i64)> = sqlx::query_as(statement).fetch_all(superuser).await.unwrap();
    rows.into_iter().collect()
}

fn peak_memory_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.split_whitespace().next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn five_hundred_hostile_files_hurt_nobody() {
    let folder = DataFolder::new();
    let server = besieged(&folder).start().await;
    let pid = server.pid();
    let ada = Person::new();
    ada.signs_in(&server).await;
    let mallory = attacker_at(&server, &folder).await;
    let (hostile, good) = (hostile_papers(), good_papers());

    let (attacked, others) = tokio::join!(ingested(&mallory, &hostile), ingested(&ada, &good));

    assert_eq!(server.pid(), pid, "it is the server that was started");
    let peak = peak_memory_kib(pid);
    println!("{attacked}\nserver: {} MiB at most", peak >> 10);
    assert!(peak < MOST_MEMORY_KIB, "{peak} KiB");

    // Everybody else's documents are served, all of them.
    assert_eq!(others["processed"]["succeeded"], others["files"], "{others}");

    // Of the hostile ones most got past the door, and each of those came to an end.
    assert_eq!(attacked["processed"]["unfinished"], 0, "{attacked}");
    let accepted = attacked["new"].as_u64().unwrap();
    assert!(accepted > MUTANTS / 2, "too few got in to prove anything: {attacked}");
    let mut superuser = folder.superuser().await;
    println!("{:#?}", reasons(&mut superuser).await);
    let unsettled = "ingestion_runs WHERE status NOT IN ('succeeded', 'failed')";
    // What was attached to mails goes on by itself.
    eventually("everything to be settled", async || count(&mut superuser, unsettled).await == 0)
        .await;
    assert_eq!(count(&mut superuser, "jobs WHERE status IN ('PENDING', 'PROCESSING')").await, 0);
    // Each failure says what happened, and what to do.
    let unexplained = "jobs WHERE status = 'DEAD'
        AND (coalesce(error, '') = '' OR coalesce(guidance, '') = '')";
    assert_eq!(count(&mut superuser, unexplained).await, 0);
    let mute = "documents WHERE status = 'failed' AND coalesce(error, '') = ''";
    assert_eq!(count(&mut superuser, mute).await, 0);
    // And what is said to have been read has pages.
    let hollow = "ingestion_runs run WHERE status = 'succeeded' AND NOT EXISTS (
        SELECT FROM stages, jsonb_array_elements(artifacts) artifact
        WHERE stages.run_id = run.run_id AND stages.name = 'layout'
          AND artifact->>'name' = 'pages.dkt' AND (artifact->>'pages')::int > 0)";
    assert_eq!(count(&mut superuser, hollow).await, 0);
    drop(superuser);
    assert_eq!(server.stop().await.code, Some(0));
}
