//! What it costs to read in a child instead of at home.
//!
//! The child here reads nothing: it takes the document's bytes and gives back pages made up in advance,
//! so all that is measured is the way there and back.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use anyhow::Context;
use domain::{FileKind, TenantId};
use pages::artifact::Writer;
use pages::{Area, Head, Line, Page, Span, Tail, Word};
use reading::pool::{
    Answer, Document, Job, PackedAnswer, Pool, PoolSettings, Request, Role, Subject, Work,
};
use reading::worker::{Handler, JobFiles, Opened, Replies, serve_requests};
use reading::{Limits, Part, ReadError, Sink};

/// What makes this program the child.
pub(crate) const CHILD: &str = "read-worker";
const TENANT: &str = "00000000-0000-7000-8000-000000000001";
const WORDS: usize = 500;

pub(crate) fn serve() -> anyhow::Result<()> {
    let page = full_page();
    let opened = || Ok(Opened { handler: Box::new(Echo { page }), readable: Vec::new() });
    Ok(serve_requests(opened)?)
}

/// Takes the document's bytes and answers with as many pages as its name says.
struct Echo {
    page: Page,
}

impl Handler for Echo {
    fn handle(
        &mut self,
        request: Request,
        handed: JobFiles,
        answers: &mut Replies<'_>,
    ) -> Result<(), ReadError> {
        let bytes = handed.bytes(Role::Document)?;
        let pages = request.subject.file_name.parse().unwrap_or(0);
        answers.take(Part::Head(Head {
            kind: FileKind::Pdf,
            title: Some(bytes.len().to_string()),
            properties: std::collections::BTreeMap::new(),
            pages: Some(pages),
        }))?;
        for number in 1..=pages {
            answers.take(Part::Page(Page { number, ..self.page.clone() }))?;
        }
        answers.take(Part::Tail(Tail { pages, remarks: Vec::new() }))
    }
}

pub(crate) fn measure() -> anyhow::Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let settings = PoolSettings::new(std::env::current_exe()?, &[CHILD]);
        writeln!(
            io::stdout(),
            "a child, from nothing to its first answer: {}",
            cold(&settings).await?
        )?;
        let pool = Pool::new(settings);
        for (name, length) in [("empty", 0), ("1 MB", 1_000_000), ("50 MB", 50_000_000)] {
            let bytes = vec![7; length];
            let document = Document::from_bytes(&bytes)?;
            let warm = fastest(50, async || {
                run(&pool, &document, 0).await?;
                Ok(())
            });
            let with_copy = fastest(50, async || {
                run(&pool, &Document::from_bytes(&bytes)?, 0).await?;
                Ok(())
            });
            let at_home = fastest(50, async || {
                let mut bytes = Vec::with_capacity(length);
                document.reopened()?.read_to_end(&mut bytes)?;
                anyhow::ensure!(std::hint::black_box(&bytes).len() == length, "it was cut off");
                Ok(())
            });
            let (warm, with_copy) = (warm.await?, with_copy.await?);
            writeln!(
                io::stdout(),
                "{name}: {warm:?} as a file, {with_copy:?} from memory; at home {:?} as a file",
                at_home.await?
            )?;
        }
        let document = Document::from_bytes(b"")?;
        let pages = 2000;
        let page = full_page();
        let at_home = fastest(200, async || {
            let mut artifact = Writer::new(Vec::new())?;
            artifact.write(&Part::Page(page.clone()))?;
            std::hint::black_box(artifact.finish()?);
            Ok(())
        });
        let at_home = at_home.await?;
        let opened = fastest(5, async || {
            anyhow::ensure!(run(&pool, &document, pages).await? == pages, "pages are missing");
            Ok(())
        });
        let opened = opened.await? / pages;
        let stored = fastest(5, async || store(&pool, &document, pages).await);
        writeln!(
            io::stdout(),
            "a page of {WORDS} words: packed at home {at_home:?}; through the pool and opened \
             {opened:?}, stored unopened {:?}",
            stored.await? / pages
        )?;
        Ok(())
    })
}

async fn cold(settings: &PoolSettings) -> anyhow::Result<String> {
    let document = Document::from_bytes(b"")?;
    let mut settings = settings.clone();
    settings.spares = 0;
    let time = fastest(20, async || {
        run(&Pool::new(settings.clone()), &document, 0).await?;
        Ok(())
    });
    Ok(format!("{:?}", time.await?))
}

fn job(document: &Document, pages: u32) -> Job {
    let subject = Subject {
        kind: FileKind::Pdf,
        file_name: pages.to_string(),
        password: None,
        limits: Limits::default(),
    };
    Job::new(Request { work: Work::Read { masks: Vec::new() }, subject })
        .with(Role::Document, document.clone())
}

/// How many pages came back.
async fn run(pool: &Pool, document: &Document, pages: u32) -> anyhow::Result<u32> {
    let mut answers = pool.run(TENANT.parse::<TenantId>()?, job(document, pages)).await?;
    let mut seen = 0;
    while let Some(answer) = answers.next().await? {
        seen += u32::from(matches!(answer, Answer::Part(Part::Page(_))));
    }
    Ok(seen)
}

async fn store(pool: &Pool, document: &Document, pages: u32) -> anyhow::Result<()> {
    let mut answers = pool.run(TENANT.parse::<TenantId>()?, job(document, pages)).await?;
    let mut artifact = Writer::new(Vec::new())?;
    while let Some(PackedAnswer::Part(part)) = answers.next_packed().await? {
        artifact.write_packed(&part)?;
    }
    std::hint::black_box(artifact.finish()?);
    Ok(())
}

async fn fastest(
    times: usize,
    mut work: impl AsyncFnMut() -> anyhow::Result<()>,
) -> anyhow::Result<Duration> {
    let mut taken = Vec::new();
    for _ in 0..times {
        let begun = Instant::now();
        work().await?;
        taken.push(begun.elapsed());
    }
    // Others use the machine too: what takes longest tells of them.
    taken.into_iter().min().context("nothing was measured")
}

fn full_page() -> Page {
    let words = (0_u16..).take(WORDS).map(|number| {
        let left = 72.0 + f32::from(number % 10) * 45.0;
        let top = 72.0 + f32::from(number / 10) * 13.0;
        let area = Area { left, top, right: left + 41.5, bottom: top + 11.0 };
        Word { text: format!("word{}", number * 37 % 1000), area: Some(area), ..Word::default() }
    });
    let lines = (0..WORDS / 10)
        .map(|line| Line { words: Span::new(line * 10..line * 10 + 10), area: None });
    Page { words: words.collect(), lines: lines.collect(), ..Page::default() }
}
