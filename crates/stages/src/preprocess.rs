//! `preprocess`: what does the file itself say, and which pages must be looked at?
//!
//! Leaves the pages with the words that the file has, a note on every page that wants OCR how its picture
//! is to be made ready, and what was attached. What was attached to a mail becomes a document of its own,
//! when it is of a kind that is taken in.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use domain::{DocId, Failure, FileKind, StageName, TenantId};
use engine::{Stage, StageFuture, StageOutput, StageSettings, Work};
use reading::model::{Attachment, Part, TextSource};
use reading::prepare::masks_of;
use serde_json::{Value, json};

use crate::desk::{Desk, new_pages, subject, write};

/// Where files that came within others are handed in. Doing it twice is doing it once.
pub trait FrontDoor: Send + Sync {
    /// The document that it became; `None` when it is of a kind that is not taken in.
    fn take_in(&self, file: FileWithin) -> TakingIn<'_>;
}

pub type TakingIn<'a> = Pin<Box<dyn Future<Output = Result<Option<DocId>, Failure>> + Send + 'a>>;

/// A file that came within the document that a stage works on.
#[derive(Debug)]
pub struct FileWithin {
    pub tenant_id: TenantId,
    pub parent: DocId,
    pub name: String,
    pub content: Bytes,
    /// How many documents are around it.
    pub depth: u64,
}

pub struct Preprocess {
    name: StageName,
    settings: StageSettings,
    desk: Desk,
    door: Arc<dyn FrontDoor>,
}

#[derive(Default)]
struct Counts {
    pages: u32,
    wanting_ocr: u32,
    remarks: Vec<String>,
}

impl Preprocess {
    pub const NAME: &str = "preprocess";

    /// A mail in a mail in a mail: what is deeper stays an attachment.
    const DEEPEST: u64 = 4;

    pub fn new(
        desk: Desk,
        door: Arc<dyn FrontDoor>,
        concurrency: usize,
    ) -> Result<Self, domain::InvalidPipeline> {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        Ok(Self { name: Self::NAME.parse()?, settings, desk, door })
    }

    async fn read(&self, work: &Work) -> Result<StageOutput, Failure> {
        let subject = subject(work)?;
        let document = self.desk.document(work).await?;
        let masks = masks_of(&work.config);
        let mut parts = self.desk.reader.read(work.tenant_id, &subject, &document, &masks).await?;
        let mut pages = new_pages()?;
        let mut counts = Counts::default();
        let (mut total, mut artifacts) = (0, Vec::new());
        while let Some(part) = parts.next().await? {
            match part {
                Part::Attachment(attachment) => {
                    let number = artifacts.len() + 1;
                    let is_mail = subject.kind == FileKind::Eml;
                    artifacts.push(self.attachment(work, number, attachment, is_mail).await?);
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
        metrics::counter!("docket_pages_total").increment(counts.pages.into());
        artifacts.insert(0, kept);
        Ok(StageOutput { stats: stats(&counts, artifacts.len() - 1), artifacts, chunks: None })
    }

    /// Under a name of ours: its own says where it came from and is not taken as a path.
    async fn attachment(
        &self,
        work: &Work,
        number: usize,
        attachment: Attachment,
        is_mail: bool,
    ) -> Result<Value, Failure> {
        let Attachment { name: file_name, media_type, bytes } = attachment;
        let content = Bytes::from(bytes);
        let name = format!("attachment-{number}");
        let document =
            if is_mail { self.hand_in(work, &file_name, content.clone()).await? } else { None };
        let mut kept = match document {
            Some(doc_id) => json!({ "name": name, "doc_id": doc_id }),
            None => self.desk.keep(work, &name, &content[..]).await?,
        };
        kept["file_name"] = json!(file_name);
        kept["media_type"] = json!(media_type);
        Ok(kept)
    }

    async fn hand_in(
        &self,
        work: &Work,
        file_name: &str,
        content: Bytes,
    ) -> Result<Option<DocId>, Failure> {
        let depth = work.config["depth"].as_u64().unwrap_or(0) + 1;
        if depth > Self::DEEPEST {
            return Ok(None);
        }
        let name = file_name.to_owned();
        let (tenant_id, parent) = (work.tenant_id, work.doc_id);
        self.door.take_in(FileWithin { tenant_id, parent, name, content, depth }).await
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

impl fmt::Debug for Preprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preprocess").field("desk", &self.desk).finish_non_exhaustive()
    }
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
