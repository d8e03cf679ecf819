//! `preprocess`: extracts the text that the file contains, and finds the pages that need OCR.
//!
//! Stores the pages with their words, and the attachments. The next stage renders the pages that need OCR. An
//! attachment of a mail becomes a document of its own when its file type is supported. The XML of an electronic invoice
//! is stored among the pages too: the fields are extracted from it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use domain::{
    Artifact, AttachedFile, AttachmentArtifact, AttachmentContent, DocId, Failure, FileKind,
    PagesArtifact, RunStats, StageName,
};
use engine::{StageInput, StageOutput, StageSettings};
use pages::{Attachment, Part};
use reading::detect::is_e_invoice;
use reading::pool::PackedAnswer;
use reading::prepare::masks_of;

use crate::context::{StageContext, pages_failure, subject};

/// Submits files that are contained in others. Idempotent.
pub trait DocumentSubmitter: Send + Sync {
    /// The new document; `None` when the file type is not supported.
    fn submit(&self, file: AttachedFile) -> SubmitFuture<'_>;
}

pub type SubmitFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Option<DocId>, Failure>> + Send + 'a>>;

pub struct Preprocess {
    settings: StageSettings,
    context: StageContext,
    submitter: Arc<dyn DocumentSubmitter>,
}

#[derive(Default)]
struct Counts {
    pages: u32,
    wanting_ocr: u32,
    password_used: bool,
    remarks: Vec<String>,
}

impl Preprocess {
    pub const NAME: StageName = StageName::PREPROCESS;

    /// How deeply mails may be nested; what is deeper stays an attachment.
    const MAX_DEPTH: u64 = 4;

    pub fn new(
        context: StageContext,
        submitter: Arc<dyn DocumentSubmitter>,
        concurrency: usize,
    ) -> Self {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        Self { settings, context, submitter }
    }

    async fn read(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let subject = subject(input)?;
        let document = self.context.document(input).await?;
        let masks = masks_of(&input.config.masks);
        let mut parts =
            self.context.reader.read(input.tenant_id, &subject, &document, &masks).await?;
        let mut pages = self.context.begin_pages().await?;
        let mut counts = Counts::default();
        let (mut total, mut attachments) = (0, Vec::new());
        while let Some(answer) = parts.next_packed().await? {
            let part = match answer {
                PackedAnswer::Part(part) => part,
                PackedAnswer::Attachment(attachment) => {
                    let is_original = subject.kind == FileKind::Xml;
                    // Masked pages must not be readable in the XML of the same invoice.
                    let may_be_read = is_original || input.config.masks.is_empty();
                    if may_be_read && is_e_invoice(&attachment.bytes) {
                        pages.write(&Part::Attachment(attachment.clone())).await?;
                    }
                    if is_original {
                        continue;
                    }
                    let number = attachments.len() + 1;
                    let is_mail = subject.kind == FileKind::Eml;
                    attachments.push(self.attachment(input, number, attachment, is_mail).await?);
                    continue;
                }
                PackedAnswer::Drawn(_) | PackedAnswer::Picture(_) | PackedAnswer::View(_) => {
                    continue;
                }
            };
            if part.is_page() {
                counts.pages += 1;
                counts.wanting_ocr += u32::from(part.wants_ocr());
                input.progress.report(counts.pages, total.max(counts.pages));
            } else {
                match part.unpack().map_err(pages_failure)? {
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
        let pages = PagesArtifact {
            file: self.context.end_pages(input, pages).await?,
            pages: Some(counts.pages),
            wanting_ocr: Some(counts.wanting_ocr),
        };
        metrics::counter!("docket_pages_total").increment(counts.pages.into());
        let stats = counts.stats(attachments.len());
        let artifacts = [Artifact::Pages(pages)].into_iter().chain(attachments).collect();
        Ok(StageOutput { artifacts, stats, effects: Vec::new() })
    }

    async fn attachment(
        &self,
        input: &StageInput,
        number: usize,
        attachment: Attachment,
        is_mail: bool,
    ) -> Result<Artifact, Failure> {
        let Attachment { name: file_name, media_type, bytes } = attachment;
        let bytes = Bytes::from(bytes);
        let name = AttachmentArtifact::name_of(number);
        let document =
            if is_mail { self.submit(input, &file_name, bytes.clone()).await? } else { None };
        let content = match document {
            Some(doc_id) => AttachmentContent::Document(doc_id),
            None => {
                AttachmentContent::Stored(self.context.store_artifact(input, &name, bytes).await?)
            }
        };
        let file_name = Some(file_name);
        Ok(Artifact::Attachment(AttachmentArtifact { name, file_name, media_type, content }))
    }

    async fn submit(
        &self,
        input: &StageInput,
        file_name: &str,
        content: Bytes,
    ) -> Result<Option<DocId>, Failure> {
        let depth = input.config.depth + 1;
        if depth > Self::MAX_DEPTH {
            return Ok(None);
        }
        let name = file_name.to_owned();
        let (tenant_id, parent, run_id) = (input.tenant_id, input.doc_id, input.run_id);
        self.submitter
            .submit(AttachedFile { tenant_id, parent, run_id, name, content, depth })
            .await
    }
}

impl Counts {
    fn stats(self, attachments: usize) -> RunStats {
        RunStats {
            pages: Some(self.pages),
            pages_wanting_ocr: Some(self.wanting_ocr),
            password_used: self.password_used.then_some(true),
            attachments: (attachments > 0).then_some(attachments as u64),
            remarks: self.remarks,
            ..RunStats::default()
        }
    }
}

impl fmt::Debug for Preprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preprocess").field("context", &self.context).finish_non_exhaustive()
    }
}

stage!(Preprocess, read);
