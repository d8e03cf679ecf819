//! `reconcile`: chooses the candidates that fit together, in a sandboxed child.
//!
//! Uses the version of the document type that `parse` used, also when the tenant has changed the type meanwhile.

use std::fmt;
use std::sync::Arc;

use domain::{Artifact, EarlierArtifacts, Extraction, Failure, StageName, StoredFile};
use engine::{StageInput, StageOutput, StageSettings};
use extraction::parsed::Parsed;
use extraction::sandboxed::Extractor;
use extraction::stored::{ExtractionArtifact, ParsedArtifact};
use extraction::tenant_store::ExtractionStore;

use crate::Parse;
use crate::context::StageContext;

pub struct Reconcile {
    settings: StageSettings,
    context: StageContext,
    extractor: Extractor,
    store: Arc<dyn ExtractionStore>,
}

impl Reconcile {
    pub const NAME: StageName = StageName::RECONCILE;

    pub fn new(context: StageContext, store: Arc<dyn ExtractionStore>, concurrency: usize) -> Self {
        let settings = StageSettings { concurrency, ..StageSettings::default() };
        let extractor = Extractor::new(context.reader.children());
        Self { settings, context, extractor, store }
    }

    async fn reconcile(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let Some(file) = parsed_in(&input.earlier) else { return Ok(StageOutput::default()) };
        let json = self.context.artifact(file).await?;
        let parsed = ParsedArtifact::read(&json).map_err(crate::context::fields_failure)?;
        let ParsedArtifact { type_version, content } = parsed;
        let content = self.fields(input, type_version, content).await?;
        let json = ExtractionArtifact { type_version, content }.to_json();
        let file = self.context.store_artifact(input, Artifact::EXTRACTION, json.into()).await?;
        Ok(StageOutput { artifacts: vec![Artifact::Extraction(file)], ..StageOutput::default() })
    }

    async fn fields(
        &self,
        input: &StageInput,
        type_version: u32,
        parsed: Parsed,
    ) -> Result<Extraction, Failure> {
        if parsed.document_type.is_empty() {
            return Ok(Extraction { warnings: parsed.warnings, ..Extraction::default() });
        }
        let name = &parsed.document_type;
        let found = self.store.type_version(input.tenant_id, name, type_version).await?;
        let Some(document_type) = found else {
            let warning = format!(
                "The document type '{name}' was deleted while the document was processed. Rerun the document."
            );
            return Ok(Extraction { warnings: vec![warning], ..Extraction::default() });
        };
        Ok(self.extractor.reconcile(input.tenant_id, document_type, &parsed).await?)
    }
}

fn parsed_in(earlier: &EarlierArtifacts) -> Option<&StoredFile> {
    earlier.get(&Parse::NAME)?.iter().find_map(|artifact| match artifact {
        Artifact::Parsed(file) => Some(file),
        _ => None,
    })
}

fn has_candidates(earlier: &EarlierArtifacts) -> bool {
    parsed_in(earlier).is_some()
}

stage!(Reconcile, reconcile, has_candidates);

impl fmt::Debug for Reconcile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconcile").field("context", &self.context).finish_non_exhaustive()
    }
}
