//! A pool of children that do what their document says.

#![allow(
    dead_code,
    clippy::allow_attributes,
    unreachable_pub,
    unused_imports,
    clippy::expect_used,
    reason = "no test uses all of it, and the helpers of a test may do what a test may"
)]

#[path = "../../../testkit/src/kernel.rs"]
mod kernel;

use std::path::PathBuf;
use std::time::Duration;

use domain::{FileKind, TenantId};
use pages::Head;
use reading::pool::{
    Answer, Answers, Document, Job, Pool, PoolSettings, ReadFailure, Request, Role, Subject, Work,
};
use reading::{Limits, Part};

pub(crate) use kernel::MissingKernelFeature;

/// The example beside this test: cargo builds it along with the tests.
pub(crate) fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = folder.join("examples/hostile_reader");
    assert!(program.exists(), "run `cargo build -p reading --examples` first");
    program
}

pub(crate) fn settings() -> PoolSettings {
    let mut settings = PoolSettings::new(program(), &["read-worker"]);
    settings.children = 1;
    settings.spares = 0;
    settings.memory = 256 << 20;
    settings.cpu = Duration::from_secs(20);
    settings.wall = Duration::from_secs(20);
    settings.output = 64 << 20;
    settings
}

pub(crate) fn pool() -> Pool {
    Pool::new(settings())
}

pub(crate) fn tenant(number: u8) -> TenantId {
    format!("00000000-0000-7000-8000-0000000000{number:02}").parse().unwrap()
}

pub(crate) fn request(work: Work) -> Request {
    let file_name = "order.txt".to_owned();
    let subject =
        Subject { kind: FileKind::Txt, file_name, password: None, limits: Limits::default() };
    Request { work, subject }
}

pub(crate) fn job(order: &str) -> Job {
    let document = Document::from_bytes(order.as_bytes()).unwrap();
    Job::new(request(Work::Read { masks: Vec::new() })).with(Role::Document, document)
}

/// Runs an order; the title that came back.
pub(crate) async fn tell(pool: &Pool, order: &str) -> Result<String, ReadFailure> {
    tell_of(pool, tenant(1), order).await
}

pub(crate) async fn tell_of(pool: &Pool, of: TenantId, order: &str) -> Result<String, ReadFailure> {
    let mut answers = pool.run(of, job(order)).await?;
    let mut titles = Vec::new();
    while let Some(answer) = answers.next().await? {
        titles.push(title(answer));
    }
    Ok(titles.join(" "))
}

fn title(answer: Answer) -> String {
    match answer {
        Answer::Part(Part::Head(Head { title: Some(title), .. })) => title,
        other => format!("{other:?}"),
    }
}

/// The child of a job that is running.
pub(crate) fn child_of(answers: &Answers) -> u32 {
    answers.child().unwrap().0
}
