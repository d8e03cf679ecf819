//! `layout`: words become blocks, tables and key-values in reading order; also plain text and Markdown.

use domain::{Failure, StageName};
use engine::{Stage, StageFuture, StageOutput, StageSettings, Work};
use reading::export;
use reading::model::{Page, Part};
use serde_json::{Map, Value, json};

use crate::desk::{Desk, PAGES, listed, new_pages, subject, write};
use crate::{Ocr, Preprocess};

pub(crate) const TEXT: &str = "text.txt";
pub(crate) const MARKDOWN: &str = "document.md";

#[derive(Debug)]
pub struct Layout {
    name: StageName,
    settings: StageSettings,
    desk: Desk,
}

#[derive(Default)]
struct Counts {
    pages: u32,
    words: u64,
    tables: u64,
    key_values: u64,
}

impl Counts {
    fn add(&mut self, page: &Page) {
        self.pages += 1;
        self.words += page.words.len() as u64;
        self.tables += page.tables.len() as u64;
        self.key_values += page.key_values.len() as u64;
    }

    fn stats(&self) -> Map<String, Value> {
        let counts =
            [("words", self.words), ("tables", self.tables), ("key_values", self.key_values)];
        counts.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect()
    }
}

impl Layout {
    pub const NAME: &str = "layout";

    pub fn new(desk: Desk, concurrency: usize) -> Result<Self, domain::InvalidPipeline> {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        Ok(Self { name: Self::NAME.parse()?, settings, desk })
    }

    async fn lay_out(&self, work: &Work) -> Result<StageOutput, Failure> {
        let total = listed(work, Preprocess::NAME, PAGES)
            .and_then(|pages| pages["pages"].as_u64())
            .and_then(|pages| u32::try_from(pages).ok())
            .unwrap_or(0);
        let earlier = self.desk.pages(work, &[Preprocess::NAME, Ocr::NAME]).await?;
        let reader = &self.desk.reader;
        let mut parts = reader.lay_out(work.tenant_id, &subject(work)?, &earlier).await?;
        let mut pages = new_pages()?;
        let (mut text, mut markdown) = (String::new(), String::new());
        let mut counts = Counts::default();
        while let Some(part) = parts.next().await? {
            if let Part::Page(page) = &part {
                counts.add(page);
                export::text(page, &mut text);
                export::markdown(page, &mut markdown);
                work.progress.tell(counts.pages, total.max(counts.pages));
            }
            write(&mut pages, &part)?;
        }
        let (mut kept, _) = self.desk.keep_pages(work, pages).await?;
        kept["pages"] = json!(counts.pages);
        let artifacts = vec![
            kept,
            self.desk.keep(work, TEXT, text.as_bytes()).await?,
            self.desk.keep(work, MARKDOWN, markdown.as_bytes()).await?,
        ];
        Ok(StageOutput { artifacts, stats: counts.stats(), chunks: None })
    }
}

impl Stage for Layout {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a Work) -> StageFuture<'a> {
        Box::pin(self.lay_out(work))
    }
}
