//! `layout`: groups words into blocks, tables and key-value pairs in reading order, and exports text and Markdown.

use domain::{Artifact, Failure, PagesArtifact, RunStats, StageName};
use engine::{StageInput, StageOutput, StageSettings};
use pages::export;
use pages::{Page, Part};
use reading::pool::PackedAnswer;

use crate::context::{StageContext, pages_failure, pages_of, subject};
use crate::{Ocr, Preprocess};

#[derive(Debug)]
pub struct Layout {
    settings: StageSettings,
    context: StageContext,
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

    fn stats(&self) -> RunStats {
        RunStats {
            words: Some(self.words),
            tables: Some(self.tables),
            key_values: Some(self.key_values),
            ..RunStats::default()
        }
    }
}

impl Layout {
    pub const NAME: StageName = StageName::LAYOUT;

    pub fn new(context: StageContext, concurrency: usize) -> Self {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        Self { settings, context }
    }

    async fn lay_out(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let total = pages_of(input, &Preprocess::NAME).and_then(|pages| pages.pages).unwrap_or(0);
        let earlier = self.context.pages(input, &[Preprocess::NAME, Ocr::NAME]).await?;
        let reader = &self.context.reader;
        let mut parts = reader.lay_out(input.tenant_id, &subject(input)?, &earlier).await?;
        let mut pages = self.context.begin_pages().await?;
        let mut text = self.context.begin_text(Artifact::TEXT).await?;
        let mut markdown = self.context.begin_text(Artifact::MARKDOWN).await?;
        let mut counts = Counts::default();
        while let Some(answer) = parts.next_packed().await? {
            let packed = match answer {
                PackedAnswer::Part(packed) => packed,
                PackedAnswer::Attachment(attachment) => {
                    pages.write(&Part::Attachment(attachment)).await?;
                    continue;
                }
                PackedAnswer::Drawn(_) | PackedAnswer::Picture(_) | PackedAnswer::View(_) => {
                    continue;
                }
            };
            if let Part::Page(page) = packed.unpack().map_err(pages_failure)? {
                counts.add(&page);
                text.write(|to| export::text(&page, to)).await?;
                markdown.write(|to| export::markdown(&page, to)).await?;
                input.progress.report(counts.pages, total.max(counts.pages));
            }
            pages.write_packed(&packed).await?;
        }
        let file = self.context.end_pages(input, pages).await?;
        let pages = PagesArtifact { file, pages: Some(counts.pages), wanting_ocr: None };
        let artifacts = vec![
            Artifact::Pages(pages),
            Artifact::Text(self.context.end_text(input, text).await?),
            Artifact::Markdown(self.context.end_text(input, markdown).await?),
        ];
        Ok(StageOutput { artifacts, stats: counts.stats(), effects: Vec::new() })
    }
}

stage!(Layout, lay_out);
