//! Children come and go, and the pool goes on.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod hostile;

use std::collections::BTreeSet;
use std::io::Cursor;
use std::time::{Duration, Instant};

use domain::{Failure, FailureClass};
use hostile::{child_of, job, pool, request, settings, tell, tell_of, tenant};
use pages::artifact::{Pages, Reader, Writer};
use pages::{Attachment, Part};
use reading::ReadError;
use reading::pool::{
    Answer, ChildFailure, Document, Job, PackedAnswer, Picture, Pool, ReadFailure, Role, Work,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::timeout;

const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(10);

fn process(id: u32) -> Pid {
    Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
}

/// Waits until the process is gone; fails when it stays.
async fn assert_ends(id: u32, work: impl Future<Output = ()>) {
    let watched = pidfd_open(process(id), PidfdFlags::empty()).unwrap();
    work.await;
    let ended = tokio::task::spawn_blocking(move || {
        let ten_seconds = Timespec { tv_sec: 10, tv_nsec: 0 };
        poll(&mut [PollFd::new(&watched, PollFlags::IN)], Some(&ten_seconds)).unwrap()
    });
    assert_eq!(ended.await.unwrap(), 1, "the child lives on");
}

#[tokio::test]
async fn a_hundred_jobs_of_one_tenant_take_one_child() {
    let pool = pool();
    let mut children = BTreeSet::new();
    for _ in 0..100 {
        children.insert(tell(&pool, "child").await.unwrap());
    }
    assert_eq!(children.len(), 1);
}

#[tokio::test]
async fn a_child_never_sees_two_tenants() {
    let mut settings = settings();
    (settings.children, settings.spares) = (2, 1);
    let pool = Pool::new(settings);
    let mut children = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
    for _ in 0..5 {
        for (number, seen) in (1..).zip(&mut children) {
            seen.insert(tell_of(&pool, tenant(number), "child").await.unwrap());
        }
    }
    let [a, b, c] = &children;
    assert!(a.is_disjoint(b) && a.is_disjoint(c) && b.is_disjoint(c), "{children:?}");
}

#[tokio::test]
async fn a_failed_job_binds_its_child_too() {
    let pool = pool();
    let mut answers = pool.run(tenant(1), job("refuse")).await.unwrap();
    let first = child_of(&answers).to_string();
    answers.next().await.unwrap_err();
    assert_ne!(tell_of(&pool, tenant(2), "child").await.unwrap(), first);
}

#[tokio::test]
async fn an_idle_child_makes_room_for_another_tenants() {
    let pool = pool();
    let first = tell_of(&pool, tenant(1), "child").await.unwrap().parse().unwrap();
    assert_ends(first, async {
        tell_of(&pool, tenant(2), "child").await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_child_that_is_idle_for_long_ends_and_its_tenant_gets_another() {
    let mut settings = settings();
    settings.idle = SHORT / 10;
    let pool = Pool::new(settings);
    for _ in 0..2 {
        let mut answers = pool.run(tenant(1), job("child")).await.unwrap();
        assert_ends(
            child_of(&answers),
            async move { while answers.next().await.unwrap().is_some() {} },
        )
        .await;
    }
    assert!(pool.idle_children().bound.is_empty());
}

#[tokio::test]
async fn a_child_is_replaced_after_its_share_of_jobs() {
    let mut settings = settings();
    settings.jobs_per_child = 2;
    let pool = Pool::new(settings);
    let mut children = Vec::new();
    for _ in 0..4 {
        children.push(tell(&pool, "child").await.unwrap());
    }
    assert_eq!(children[0], children[1]);
    assert_eq!(children[2], children[3]);
    assert_ne!(children[1], children[2]);
}

#[tokio::test]
async fn no_more_children_run_than_there_are_places() {
    let pool = pool();
    let running = pool.run(tenant(1), job("hang")).await.unwrap();
    let second = timeout(SHORT, pool.run(tenant(2), job("child"))).await;
    assert!(second.is_err(), "the second job did not wait");
    drop(running);
    tell_of(&pool, tenant(2), "child").await.unwrap();
}

#[tokio::test]
async fn what_a_file_does_wrong_is_said_by_the_child_itself() {
    let pool = pool();
    let failure = tell(&pool, "refuse").await.unwrap_err();
    assert_eq!(failure, ReadFailure::Typed(ReadError::damaged("as ordered")));
    assert_eq!(Failure::from(failure).class, FailureClass::Permanent);
}

#[tokio::test]
async fn a_crash_is_poison_and_the_next_job_is_served() {
    let pool = pool();
    for (order, signal, words) in [
        ("abort", Some(libc::SIGABRT), ""),
        ("overflow", Some(libc::SIGABRT), "has overflowed its stack"),
        ("panic", None, "as ordered"),
        ("exit", None, ""),
    ] {
        let failure = tell(&pool, order).await.unwrap_err();
        match &failure {
            ReadFailure::Child(ChildFailure::Crashed { signal: by, stderr_tail, .. }) => {
                assert_eq!(*by, signal, "{order}");
                assert!(stderr_tail.contains(words), "{order}: {stderr_tail}");
            }
            other => panic!("`{order}` gave {other:?}"),
        }
        assert_eq!(failure.class(), FailureClass::Poison);
        tell(&pool, "child").await.unwrap();
    }
}

#[tokio::test]
async fn a_job_that_wants_too_much_memory_is_told_so() {
    let pool = pool();
    let failure = tell(&pool, "allocate 300000000").await.unwrap_err();
    assert_eq!(failure, ReadFailure::Child(ChildFailure::OutOfMemory { limit: 256 << 20 }));
    assert_eq!(failure.to_string(), "reading needed more than 256 MiB of memory");
    assert_eq!(tell(&pool, "allocate 30000000").await.unwrap(), "done");
}

#[tokio::test]
async fn a_document_that_does_not_fit_is_refused_in_words() {
    let file = tempfile::NamedTempFile::new().unwrap();
    // All of it a hole: it takes no room on the disk.
    file.as_file().set_len(300_000_000).unwrap();
    let document = Document::from_file(std::fs::File::open(file.path()).unwrap()).unwrap();
    let job = Job::new(request(Work::Read { masks: Vec::new() })).with(Role::Document, document);
    let failure = pool().run(tenant(1), job).await.unwrap().next().await.unwrap_err();
    assert_eq!(failure, ReadFailure::Typed(ReadError::too_large("286 MiB")));
}

#[tokio::test]
async fn an_endless_loop_ends_with_its_time() {
    let mut settings = settings();
    settings.wall = SHORT;
    let pool = Pool::new(settings);
    tell(&pool, "child").await.unwrap();
    let begun = Instant::now();
    let failure = tell(&pool, "hang").await.unwrap_err();
    assert_eq!(failure, ReadFailure::Child(ChildFailure::TimedOut { limit: SHORT }));
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
    tell(&pool, "child").await.unwrap();
}

#[tokio::test]
async fn asking_again_and_again_gains_a_child_no_time() {
    let mut settings = settings();
    settings.wall = SHORT;
    let mut answers = Pool::new(settings).run(tenant(1), job("hang")).await.unwrap();
    let failure = loop {
        if let Ok(answer) = timeout(SHORT / 10, answers.next()).await {
            break answer.unwrap_err();
        }
    };
    assert_eq!(failure, ReadFailure::Child(ChildFailure::TimedOut { limit: SHORT }));
}

#[tokio::test]
async fn processor_time_is_limited_for_each_job() {
    let mut settings = settings();
    settings.cpu = Duration::from_secs(1);
    let pool = Pool::new(settings);
    let limit = Duration::from_secs(1);
    assert_eq!(
        tell(&pool, "hang").await,
        Err(ReadFailure::Child(ChildFailure::TimedOut { limit }))
    );
    tell(&pool, "child").await.unwrap();
}

#[tokio::test]
async fn a_flood_is_cut_off() {
    let mut settings = settings();
    settings.output = 1 << 20;
    let pool = Pool::new(settings);
    let failure = tell(&pool, "flood").await.unwrap_err();
    assert_eq!(failure, ReadFailure::Child(ChildFailure::TooMuchOutput { limit: 1 << 20 }));
    tell(&pool, "child").await.unwrap();
}

#[tokio::test]
async fn an_attachment_counts_as_output() {
    let mut settings = settings();
    settings.output = 3 << 20;
    let pool = Pool::new(settings);
    let failure = tell(&pool, "attach 4000000").await.unwrap_err();
    assert_eq!(failure, ReadFailure::Child(ChildFailure::TooMuchOutput { limit: 3 << 20 }));
}

#[tokio::test]
async fn a_child_that_fills_the_log_is_stopped_by_its_time() {
    let mut settings = settings();
    settings.wall = SHORT;
    let failure = tell(&Pool::new(settings), "complain").await.unwrap_err();
    assert_eq!(failure, ReadFailure::Child(ChildFailure::TimedOut { limit: SHORT }));
}

#[tokio::test]
async fn garbage_from_a_child_is_a_failure() {
    let pool = pool();
    let failure = timeout(LONG, tell(&pool, "garbage")).await.unwrap().unwrap_err();
    assert!(
        matches!(
            failure,
            ReadFailure::Child(ChildFailure::Garbled { .. } | ChildFailure::TooMuchOutput { .. })
        ),
        "{failure:?}"
    );
    tell(&pool, "child").await.unwrap();
}

#[tokio::test]
async fn what_a_library_prints_does_not_spoil_the_answer() {
    assert_eq!(tell(&pool(), "print").await.unwrap(), "printed");
}

#[tokio::test]
async fn a_child_killed_in_the_middle_is_replaced() {
    let pool = pool();
    let mut answers = pool.run(tenant(1), job("page-then-hang")).await.unwrap();
    assert!(matches!(answers.next().await, Ok(Some(Answer::Part(Part::Page(_))))));
    kill_process(process(child_of(&answers)), Signal::KILL).unwrap();
    let failure = answers.next().await.unwrap_err();
    assert!(matches!(
        failure,
        ReadFailure::Child(ChildFailure::Crashed { signal: Some(libc::SIGKILL), .. })
    ));
    assert!(answers.next().await.unwrap().is_none(), "a failure is the last word");
    tell(&pool, "child").await.unwrap();
}

#[tokio::test]
async fn a_child_that_died_idle_is_nobodys_failure() {
    let pool = pool();
    let first = tell(&pool, "child").await.unwrap().parse().unwrap();
    assert_ends(first, async { kill_process(process(first), Signal::KILL).unwrap() }).await;
    let second: u32 = tell(&pool, "child").await.unwrap().parse().unwrap();
    assert_ne!(first, second);
}

#[tokio::test]
async fn giving_up_a_job_kills_its_child() {
    let pool = pool();
    let answers = pool.run(tenant(1), job("hang")).await.unwrap();
    assert_ends(child_of(&answers), async { drop(answers) }).await;
    tell(&pool, "child").await.unwrap();
}

#[tokio::test]
async fn no_child_outlives_the_pool() {
    let pool = pool();
    let idle = tell(&pool, "child").await.unwrap().parse().unwrap();
    assert_ends(idle, async { drop(pool) }).await;
}

#[tokio::test]
async fn a_spare_is_ready_for_the_next_tenant() {
    let mut settings = settings();
    settings.spares = 1;
    let pool = Pool::new(settings);
    tell_of(&pool, tenant(1), "child").await.unwrap();
    let spare = async {
        loop {
            if let [spare] = pool.idle_children().fresh.as_slice() {
                break *spare;
            }
            tokio::task::yield_now().await;
        }
    };
    let spare = timeout(LONG, spare).await.expect("no spare was started");
    assert_eq!(tell_of(&pool, tenant(2), "child").await.unwrap(), spare.to_string());
}

#[tokio::test]
async fn a_child_ends_with_its_parent_even_in_an_endless_loop() {
    let mut parent = tokio::process::Command::new(hostile::program())
        .arg("parent")
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).await.unwrap();
    let child = line.trim().parse().unwrap();
    assert_ends(child, async { parent.start_kill().unwrap() }).await;
}

#[tokio::test]
async fn attachments_and_pictures_arrive_whole() {
    let pool = pool();
    let mut answers = pool.run(tenant(1), job("attach 2500000")).await.unwrap();
    let attachment =
        Attachment { name: "a.bin".into(), media_type: None, bytes: vec![7; 2_500_000] };
    let answer = answers.next().await.unwrap();
    assert!(answer == Some(Answer::Part(Part::Attachment(attachment))));
    assert_eq!(answers.next().await.unwrap(), None);

    let job = Job::new(request(Work::Render { page: 2_000_000, width: 5, masks: Vec::new() }));
    let mut answers = pool.run(tenant(1), job).await.unwrap();
    let Some(Answer::Picture(Picture { width: 5, bytes, .. })) = answers.next().await.unwrap()
    else {
        panic!("no picture");
    };
    assert!(bytes == vec![9; 2_000_000]);
}

#[tokio::test]
async fn pages_can_be_stored_unopened() {
    let mut answers = pool().run(tenant(1), job("pages 3")).await.unwrap();
    let mut artifact = Writer::new(Vec::new()).unwrap();
    while let Some(answer) = answers.next_packed().await.unwrap() {
        let PackedAnswer::Part(part) = answer else { panic!("{answer:?}") };
        artifact.write_packed(&part).unwrap();
    }
    let artifact = artifact.finish().unwrap();
    let mut pages = Pages::open(Cursor::new(&artifact)).unwrap();
    assert_eq!(pages.count(), 3);
    assert_eq!(pages.page(2).unwrap().unwrap().number, 2);
    let mut parts = Reader::new(artifact.as_slice()).unwrap();
    assert!(matches!(parts.next_part().unwrap(), Some(Part::Head(_))));
}

#[tokio::test]
async fn a_program_that_is_no_reader_gives_a_clear_failure() {
    let mut settings = settings();
    settings.start = Duration::from_secs(5);
    let why = |failure| match failure {
        Err(ReadFailure::Child(ChildFailure::NotStarted { why })) => why,
        other => panic!("{other:?}"),
    };
    settings.program = "/nowhere/docket".into();
    assert!(why(tell(&Pool::new(settings.clone()), "child").await).contains("No such file"));
    settings.program = hostile::program();
    settings.arguments = vec!["talk-garbage".into()];
    assert!(
        why(tell(&Pool::new(settings.clone()), "child").await).contains("its answer is invalid")
    );
    settings.arguments = vec!["no such role".into()];
    assert!(why(tell(&Pool::new(settings.clone()), "child").await).contains("by hand"));
    settings.arguments = vec!["read-worker".into(), "nothing installed".into()];
    assert!(why(tell(&Pool::new(settings), "child").await).contains("a library is not installed"));
}
