//! `parse`: chooses the document type and finds candidates for its fields on the pages, in a sandboxed child.
//!
//! The run's configuration names the type when a batch or a rerun chose it; otherwise the classifier decides, and may
//! abstain. A language model may add candidates, for tenants that allow it. A document without text, without a known type or of a type that does not exist passes, and its result says why it
//! has no fields: extraction never fails a document because of its content.

use std::fmt;
use std::io::BufReader;
use std::sync::Arc;

use domain::{Artifact, AttachmentArtifact, EarlierArtifacts, Failure, StageName, StoredFile};
use engine::{StageInput, StageOutput, StageSettings};
use extraction::memory::Fingerprint;
use extraction::parse::ParseRequest;
use extraction::parsed::Parsed;
use extraction::sandboxed::Extractor;
use extraction::stored::ParsedArtifact;
use extraction::tenant_store::{ExtractionStore, TypeVersion};
use reading::pool::Document;

use crate::context::StageContext;
use crate::{LanguageModelUse, Layout, Ocr, Preprocess};

pub struct Parse {
    settings: StageSettings,
    context: StageContext,
    extractor: Extractor,
    store: Arc<dyn ExtractionStore>,
    language_model: Option<LanguageModelUse>,
}

/// How many jobs may wait for a language model beside those that use children.
const WAITING_FOR_MODEL: usize = 4;

impl Parse {
    pub const NAME: StageName = StageName::PARSE;

    pub fn new(context: StageContext, store: Arc<dyn ExtractionStore>, concurrency: usize) -> Self {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        let extractor = Extractor::new(context.reader.children());
        Self { settings, context, extractor, store, language_model: None }
    }

    /// More jobs run at once: those that wait for the model need no child.
    #[must_use]
    pub fn with_language_model(mut self, language_model: Option<LanguageModelUse>) -> Self {
        if language_model.is_some() {
            self.settings.concurrency += WAITING_FOR_MODEL;
        }
        Self { language_model, ..self }
    }

    async fn parse(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        if !has_text(&input.earlier) {
            return Ok(StageOutput::default());
        }
        let tenant_id = input.tenant_id;
        let types = self.store.types(tenant_id).await?;
        let wanted = input.config.document_type.clone();
        let type_of = |name: &str| types.iter().find(|of| of.document_type.name == name);
        if let Some(name) = wanted.as_ref().filter(|name| type_of(name).is_none()) {
            let warnings = vec![format!(
                "The document type '{name}' does not exist, so no fields were extracted. Rerun the document with another type."
            )];
            return self.store(input, 0, Parsed { warnings, ..Parsed::default() }).await;
        }
        let pages = [Preprocess::NAME, Ocr::NAME, Layout::NAME];
        let pages = self.context.pages(input, &pages).await?;
        let memory = self.store.memory(tenant_id, &fingerprint(&pages).await).await?;
        let request = ParseRequest {
            types: types.iter().map(|of| of.document_type.clone()).collect(),
            wanted,
            memory,
        };
        let parsed = self.extractor.parse(tenant_id, request, &pages).await?;
        if parsed.document_type.is_empty() {
            return self.store(input, 0, parsed).await;
        }
        // A child is not trusted: it must have chosen one of the types that it was given.
        let Some(TypeVersion { version, document_type }) = type_of(&parsed.document_type) else {
            return Err(Failure::poison(
                "the document was assigned a type that does not exist",
                "Rerun the document from the stage 'parse'.",
            ));
        };
        let parsed = match &self.language_model {
            Some(model) => {
                let extractor = &self.extractor;
                model.add_candidates(tenant_id, extractor, document_type, &pages, parsed).await
            }
            None => parsed,
        };
        self.store(input, *version, parsed).await
    }

    /// Stores nothing when there is nothing to say, so that the later stages have no work.
    async fn store(
        &self,
        input: &StageInput,
        type_version: u32,
        content: Parsed,
    ) -> Result<StageOutput, Failure> {
        if content == Parsed::default() {
            return Ok(StageOutput::default());
        }
        let json = ParsedArtifact { type_version, content }.to_json();
        let file = self.context.store_artifact(input, Artifact::PARSED, json.into()).await?;
        Ok(StageOutput { artifacts: vec![Artifact::Parsed(file)], ..StageOutput::default() })
    }
}

/// The layout of the pages. Pages that cannot be read have none; the child that reads them reports why.
async fn fingerprint(pages: &Document) -> Fingerprint {
    let pages = pages.clone();
    let read = move || {
        let file = pages.reopened().ok()?;
        Fingerprint::read(BufReader::new(file)).ok()
    };
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

/// Whether there is anything to extract from: words on the pages, or an attachment that may be an electronic invoice. The
/// stage runs when that is unknown.
pub(crate) fn has_text(earlier: &EarlierArtifacts) -> bool {
    let of = |stage: StageName| earlier.get(&stage).into_iter().flatten();
    let is_empty_text =
        |artifact: &Artifact| matches!(artifact, Artifact::Text(StoredFile { size_bytes: 0, .. }));
    let is_xml = |artifact: &Artifact| match artifact {
        Artifact::Attachment(AttachmentArtifact { file_name: Some(name), .. }) => {
            name.to_lowercase().ends_with(".xml")
        }
        _ => false,
    };
    !of(Layout::NAME).any(is_empty_text) || of(Preprocess::NAME).any(is_xml)
}

stage!(Parse, parse, has_text);

impl fmt::Debug for Parse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parse").field("context", &self.context).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use domain::{AttachmentContent, ContentHash};

    use super::*;

    #[test]
    fn the_stage_is_skipped_without_text_and_without_an_electronic_invoice() {
        let file = |size_bytes: u64| StoredFile {
            key: String::new(),
            size_bytes,
            sha256: ContentHash([0; 32]),
        };
        let text = |size: u64| (Layout::NAME, vec![Artifact::Text(file(size))]);
        let attachment = Artifact::Attachment(AttachmentArtifact {
            name: AttachmentArtifact::name_of(1),
            file_name: Some("factur-x.XML".to_owned()),
            media_type: None,
            content: AttachmentContent::Stored(file(9)),
        });
        assert!(has_text(&EarlierArtifacts::from([text(7)])));
        assert!(!has_text(&EarlierArtifacts::from([text(0)])));
        let with_invoice = [text(0), (Preprocess::NAME, vec![attachment])];
        assert!(has_text(&EarlierArtifacts::from(with_invoice)));
        assert!(has_text(&EarlierArtifacts::new()), "the stage runs when it is unknown");
    }
}
