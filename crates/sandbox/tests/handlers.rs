//! Children run registered handlers; the pool knows the types of neither requests nor answers.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use domain::TenantId;
use sandbox::pool::{
    Answer, Answers, ChildFailure, Document, HandlerName, Job, Pool, PoolSettings, open_frame,
};
use serde::Serialize;

const ADD: HandlerName = HandlerName { name: "add", version: 1 };
const LENGTHS: HandlerName = HandlerName { name: "lengths", version: 7 };

/// Cargo builds the example program together with the tests.
fn pool() -> Pool {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = folder.join("examples/two_handlers");
    assert!(program.exists(), "run `cargo build -p sandbox --examples` first");
    let mut settings = PoolSettings::new(program, &[]);
    settings.children = 1;
    settings.spares = 0;
    settings.memory = 256 << 20;
    Pool::new(settings)
}

async fn run<R: Serialize>(
    pool: &Pool,
    handler: HandlerName,
    request: &R,
    files: Vec<Document>,
) -> Result<Answers, ChildFailure> {
    let tenant: TenantId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    pool.run(tenant, Job::new(handler, request, files)?).await
}

#[tokio::test]
async fn each_handler_gets_its_own_jobs_in_its_own_types() {
    let pool = pool();
    for (number, sum) in [(2_u64, 2_u64), (3, 5)] {
        let mut answers = run(&pool, ADD, &number, Vec::new()).await.unwrap();
        let Some(Answer::Frame(b's', frame)) = answers.next().await.unwrap() else { panic!() };
        assert_eq!(open_frame::<u64>(&frame).unwrap(), sum);
        assert_eq!(answers.next().await.unwrap(), None);
    }
    let files = [b"one".as_slice(), b"", b"seven.."];
    let files = files.map(|bytes| Document::from_bytes(bytes).unwrap()).to_vec();
    let mut answers = run(&pool, LENGTHS, &"file", files).await.unwrap();
    for length in [3, 0, 7] {
        let Some(Answer::Frame(b'l', frame)) = answers.next().await.unwrap() else { panic!() };
        assert_eq!(open_frame::<(String, usize)>(&frame).unwrap(), ("file".to_owned(), length));
    }
    assert_eq!(answers.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_handler_error_is_the_last_answer_and_the_child_continues() {
    let pool = pool();
    let mut answers = run(&pool, ADD, &1_u64, Vec::new()).await.unwrap();
    while answers.next().await.unwrap().is_some() {}
    let mut answers = run(&pool, ADD, &u64::MAX, Vec::new()).await.unwrap();
    let Some(Answer::Failed(error)) = answers.next().await.unwrap() else { panic!() };
    assert_eq!(error.open::<String>().unwrap(), "the sum is too large");
    assert_eq!(answers.next().await.unwrap(), None);
    let mut answers = run(&pool, ADD, &1_u64, Vec::new()).await.unwrap();
    let Some(Answer::Frame(_, frame)) = answers.next().await.unwrap() else { panic!() };
    assert_eq!(open_frame::<u64>(&frame).unwrap(), 2, "the same child keeps the sum");
}

#[tokio::test]
async fn a_child_without_the_handler_or_with_another_version_is_refused() {
    for handler in [HandlerName { version: 2, ..ADD }, HandlerName { name: "subtract", version: 1 }]
    {
        let failure = run(&pool(), handler, &1_u64, Vec::new()).await.unwrap_err();
        let ChildFailure::NotStarted { why } = failure else { panic!("{failure:?}") };
        assert_eq!(why, "the program was replaced: restart Docket");
    }
}

#[tokio::test]
async fn a_request_that_the_handler_cannot_decode_ends_the_child() {
    let pool = pool();
    let mut answers = run(&pool, LENGTHS, &u64::MAX, Vec::new()).await.unwrap();
    let failure = answers.next().await.unwrap_err();
    assert!(matches!(failure, ChildFailure::Crashed { code: Some(1), .. }), "{failure:?}");
    let mut answers = run(&pool, ADD, &1_u64, Vec::new()).await.unwrap();
    assert!(answers.next().await.unwrap().is_some(), "a new child replaces it");
}
