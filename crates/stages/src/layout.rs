//! `layout`: words become blocks, tables and key-values in reading order; also plain text and Markdown.

use domain::{Failure, StageName};
use engine::{StageOutput, StageSettings, Work};
use pages::export;
use pages::{Page, Part};
use reading::pool::PackedAnswer;
use serde_json::{Map, Value, json};

use crate::desk::{Desk, PAGES, listed, of_pages, subject};
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
        let mut pages = self.desk.begin_pages().await?;
        let mut text = self.desk.begin_text(TEXT).await?;
        let mut markdown = self.desk.begin_text(MARKDOWN).await?;
        let mut counts = Counts::default();
        while let Some(answer) = parts.next_packed().await? {
            let PackedAnswer::Part(packed) = answer else { continue };
            if let Part::Page(page) = packed.unpack().map_err(of_pages)? {
                counts.add(&page);
                text.write(|to| export::text(&page, to)).await?;
                markdown.write(|to| export::markdown(&page, to)).await?;
                work.progress.tell(counts.pages, total.max(counts.pages));
            }
            pages.write_packed(&packed).await?;
        }
        let mut kept = self.desk.end_pages(work, pages).await?;
        kept["pages"] = json!(counts.pages);
        let artifacts = vec![
            kept,
            self.desk.end_text(work, text).await?,
            self.desk.end_text(work, markdown).await?,
        ];
        Ok(StageOutput { artifacts, stats: counts.stats(), chunks: None })
    }
}

stage!(Layout, lay_out);
