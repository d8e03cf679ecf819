//! `preprocess`: what does the file itself say, and which pages must be looked at?
//!
//! Leaves the pages with the words that the file has, a note on every page that wants OCR how its picture
//! is to be made ready, and what was attached.

use domain::{Failure, StageName};
use engine::{Stage, StageFuture, StageOutput, StageSettings, Work};
use reading::model::{Attachment, Part, TextSource};
use serde_json::{Value, json};

use crate::desk::{Desk, new_pages, subject, write};

#[derive(Debug)]
pub struct Preprocess {
    name: StageName,
    settings: StageSettings,
    desk: Desk,
}

#[derive(Default)]
struct Counts {
    pages: u32,
    wanting_ocr: u32,
    remarks: Vec<String>,
}

impl Preprocess {
    pub const NAME: &str = "preprocess";

    pub fn new(desk: Desk, concurrency: usize) -> Result<Self, domain::InvalidPipeline> {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        Ok(Self { name: Self::NAME.parse()?, settings, desk })
    }

    async fn read(&self, work: &Work) -> Result<StageOutput, Failure> {
        let subject = subject(work)?;
        let document = self.desk.document(work).await?;
        let mut parts = self.desk.reader.read(work.tenant_id, &subject, &document, &[]).await?;
        let mut pages = new_pages()?;
        let mut counts = Counts::default();
        let (mut total, mut artifacts) = (0, Vec::new());
        while let Some(part) = parts.next().await? {
            match part {
                Part::Attachment(attachment) => {
                    artifacts
                        .push(self.keep_attachment(work, artifacts.len() + 1, attachment).await?);
                    continue;
                }
                Part::Head(ref head) => total = head.pages.unwrap_or(0),
                Part::Page(ref page) => {
                    counts.pages += 1;
                    counts.wanting_ocr += u32::from(page.text == TextSource::Wanted);
                    work.progress.tell(counts.pages, total.max(counts.pages));
                }
                Part::Tail(ref tail) => counts.remarks.clone_from(&tail.remarks),
            }
            write(&mut pages, &part)?;
        }
        let (mut kept, _) = self.desk.keep_pages(work, pages).await?;
        kept["pages"] = json!(counts.pages);
        kept["wanting_ocr"] = json!(counts.wanting_ocr);
        artifacts.insert(0, kept);
        Ok(StageOutput { stats: stats(&counts, artifacts.len() - 1), artifacts })
    }

    /// Under a name of ours: its own says where it came from and is not taken as a path.
    async fn keep_attachment(
        &self,
        work: &Work,
        number: usize,
        attachment: Attachment,
    ) -> Result<Value, Failure> {
        let name = format!("attachment-{number}");
        let mut kept = self.desk.keep(work, &name, attachment.bytes.as_slice()).await?;
        kept["file_name"] = json!(attachment.name);
        kept["media_type"] = json!(attachment.media_type);
        Ok(kept)
    }
}

fn stats(counts: &Counts, attachments: usize) -> serde_json::Map<String, Value> {
    let mut stats = serde_json::Map::new();
    stats.insert("pages".to_owned(), json!(counts.pages));
    stats.insert("pages_wanting_ocr".to_owned(), json!(counts.wanting_ocr));
    if attachments > 0 {
        stats.insert("attachments".to_owned(), json!(attachments));
    }
    if !counts.remarks.is_empty() {
        stats.insert("remarks".to_owned(), json!(counts.remarks));
    }
    stats
}

impl Stage for Preprocess {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a Work) -> StageFuture<'a> {
        Box::pin(self.read(work))
    }
}
