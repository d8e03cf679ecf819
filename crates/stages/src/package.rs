//! `package`: decides which fields are accepted, and creates the document's result.
//!
//! The transaction that ends the stage stores the result. A document from which nothing was extracted gets a result without
//! a document type, whose warning says why.

use std::fmt;
use std::sync::Arc;

use domain::{
    Artifact, EarlierArtifacts, Effect, Extraction, Failure, FieldStatus, NewResult, Random, RunId,
    RunStats, StageName, StoredFile,
};
use engine::{StageInput, StageOutput, StageSettings};
use extraction::stored::ExtractionArtifact;
use extraction::tenant_store::ExtractionStore;

use crate::Reconcile;
use crate::context::{StageContext, fields_failure};
use crate::parse::has_text;

pub struct Package {
    settings: StageSettings,
    context: StageContext,
    store: Arc<dyn ExtractionStore>,
}

impl Package {
    pub const NAME: StageName = StageName::PACKAGE;

    pub fn new(context: StageContext, store: Arc<dyn ExtractionStore>) -> Self {
        let settings = StageSettings { concurrency: 8, ..StageSettings::default() };
        Self { settings, context, store }
    }

    async fn package(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let mut result = match extraction_in(&input.earlier) {
            Some(file) => {
                let json = self.context.artifact(file).await?;
                let read = ExtractionArtifact::read(&json).map_err(fields_failure)?;
                NewResult {
                    extraction: read.content,
                    type_version: read.type_version,
                    sampled_for_review: false,
                }
            }
            None => {
                NewResult { extraction: without_fields(&input.earlier), ..NewResult::default() }
            }
        };
        self.accept(input, &mut result).await?;
        let stats = stats(&result.extraction);
        Ok(StageOutput {
            stats,
            effects: vec![Effect::Result(Arc::new(result))],
            ..StageOutput::default()
        })
    }

    /// Sets the calibrated confidences and the status of each field.
    async fn accept(&self, input: &StageInput, result: &mut NewResult) -> Result<(), Failure> {
        let name = result.extraction.document_type.clone();
        if name.is_empty() {
            return Ok(());
        }
        let version = result.type_version;
        let Some(document_type) = self.store.type_version(input.tenant_id, &name, version).await?
        else {
            return Ok(());
        };
        let acceptance = self.store.acceptance(input.tenant_id, &name).await?;
        let random = RunBytes(input.run_id);
        result.sampled_for_review =
            acceptance.apply(&document_type, &mut result.extraction, &random);
        Ok(())
    }
}

/// The last bytes of a run's id, which are random, and the same when the stage runs again for the run.
#[derive(Debug)]
struct RunBytes(RunId);

impl Random for RunBytes {
    fn fill(&self, bytes: &mut [u8]) {
        for (to, from) in bytes.iter_mut().zip(self.0.0.as_bytes().iter().rev()) {
            *to = *from;
        }
    }
}

/// The extraction of a document for which the earlier stages found nothing.
fn without_fields(earlier: &EarlierArtifacts) -> Extraction {
    let warning = if has_text(earlier) {
        "The document type was not recognised. Rerun the document with a document type to extract its fields."
    } else {
        "The document contains no text, so no fields were extracted."
    };
    Extraction { warnings: vec![warning.to_owned()], ..Extraction::default() }
}

fn stats(extraction: &Extraction) -> RunStats {
    let count = |is: fn(FieldStatus) -> bool| {
        let fields = extraction.all_fields().filter(|(_, field)| is(field.status));
        u32::try_from(fields.count()).unwrap_or(u32::MAX)
    };
    RunStats {
        fields_extracted: Some(count(|status| status != FieldStatus::Missing)),
        fields_accepted: Some(count(|status| status == FieldStatus::Accepted)),
        ..RunStats::default()
    }
}

fn extraction_in(earlier: &EarlierArtifacts) -> Option<&StoredFile> {
    earlier.get(&Reconcile::NAME)?.iter().find_map(|artifact| match artifact {
        Artifact::Extraction(file) => Some(file),
        _ => None,
    })
}

fn has_extraction(earlier: &EarlierArtifacts) -> bool {
    extraction_in(earlier).is_some()
}

stage!(Package, package, has_extraction);

impl fmt::Debug for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Package").field("context", &self.context).finish_non_exhaustive()
    }
}
