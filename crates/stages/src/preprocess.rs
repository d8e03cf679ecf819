//! `preprocess`: what does the file itself say, and which pages must be looked at?
//!
//! Leaves the pages with the words that the file has, and what was attached. Pages are drawn in the next
//! stage, and only those that want OCR. What was attached to a mail becomes a document of its own,
//! when it is of a kind that is taken in.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use domain::{DocId, Failure, FileKind, RunId, StageName, TenantId};
use engine::{StageOutput, StageSettings, Work};
use pages::{Attachment, Part};
use reading::pool::PackedAnswer;
use reading::prepare::masks_of;
use serde_json::{Value, json};

use crate::desk::{Desk, of_pages, subject};

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
    /// The run that found it.
    pub run_id: RunId,
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
    password_used: bool,
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
        let mut pages = self.desk.begin_pages().await?;
        let mut counts = Counts::default();
        let (mut total, mut artifacts) = (0, Vec::new());
        while let Some(answer) = parts.next_packed().await? {
            let part = match answer {
                PackedAnswer::Part(part) => part,
                PackedAnswer::Attachment(attachment) => {
                    let number = artifacts.len() + 1;
                    let is_mail = subject.kind == FileKind::Eml;
                    artifacts.push(self.attachment(work, number, attachment, is_mail).await?);
                    continue;
                }
                PackedAnswer::Drawn(_) | PackedAnswer::Picture(_) => continue,
            };
            if part.is_page() {
                counts.pages += 1;
                counts.wanting_ocr += u32::from(part.wants_ocr());
                work.progress.tell(counts.pages, total.max(counts.pages));
            } else {
                match part.unpack().map_err(of_pages)? {
                    Part::Head(head) => {
                        total = head.pages.unwrap_or(0);
                        counts.password_used = head.was_opened_with_password();
                    }
                    Part::Tail(tail) => counts.remarks = tail.remarks,
                    Part::Page(_) | Part::Attachment(_) => {}
                }
            }
            pages.write_packed(&part).await?;
        }
        let mut kept = self.desk.end_pages(work, pages).await?;
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
            None => self.desk.keep(work, &name, content).await?,
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
        let (tenant_id, parent, run_id) = (work.tenant_id, work.doc_id, work.run_id);
        self.door.take_in(FileWithin { tenant_id, parent, run_id, name, content, depth }).await
    }
}

fn stats(counts: &Counts, attachments: usize) -> serde_json::Map<String, Value> {
    let mut stats = serde_json::Map::new();
    stats.insert("pages".to_owned(), json!(counts.pages));
    stats.insert("pages_wanting_ocr".to_owned(), json!(counts.wanting_ocr));
    // Who brings the same file must present the password that opened it.
    if counts.password_used {
        stats.insert("password_used".to_owned(), json!(true));
    }
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

stage!(Preprocess, read);
