//! The stages of this build, and the default pipeline.
//!
//! [`::stages::registered`] lists the stages; `docket serve` and `docket worker` run those.

use std::sync::Arc;

use ::stages::{DocumentSubmitter, LanguageModelUse, READING, StageContext, SubmitFuture};
use blob::{BlobError, Blobs};
use domain::{AttachedFile, Dependency, Failure, IdGen, Pipeline, StageName};
use engine::Stages;
use ops::{EmbeddingMaintenance, Intake, IntakeSettings, OpsError, TenantExtraction};
use reading::reader::Reader;

use crate::config::{Config, ConfigError};

/// Adds the stages that a program has in addition to the real ones; `docket` itself adds none.
pub type AddStages = fn(Stages) -> Stages;

/// What the stages need.
pub(crate) struct StageDependencies<'a> {
    pub(crate) blobs: &'a Blobs,
    pub(crate) ids: Arc<dyn IdGen>,
    pub(crate) reader: Reader,
    /// Whether to register the stages that read documents: not where Landlock or seccomp is missing and required. Their
    /// jobs wait for a worker that has both.
    pub(crate) reads_documents: bool,
    /// How many jobs of one reading stage run at the same time.
    pub(crate) children: usize,
    pub(crate) intake: Intake,
    pub(crate) vectors: EmbeddingMaintenance,
    pub(crate) extraction: TenantExtraction,
    pub(crate) language_model: Option<LanguageModelUse>,
}

/// Submits attachments in the same way as uploads.
struct IntakeSubmitter(Intake);

impl DocumentSubmitter for IntakeSubmitter {
    fn submit(&self, file: AttachedFile) -> SubmitFuture<'_> {
        Box::pin(async move {
            self.0.accept_attachment(file).await.map_err(|error| match error {
                OpsError::StorageQuotaExceeded { .. } => Failure::permanent(
                    "an attachment was not stored: the tenant's storage quota is used up",
                    "Delete documents, or ask for a larger quota, and rerun this document.",
                ),
                error => submit_failure(&error),
            })
        })
    }
}

fn submit_failure(error: &OpsError) -> Failure {
    let text = format!("an attachment could not be submitted: {error}");
    match error {
        OpsError::Store(error) if error.is_unavailable() => {
            Failure::unavailable(Dependency::Database, text)
        }
        OpsError::Blob(BlobError::TooLarge { .. } | BlobError::OutOfRange { .. }) => {
            Failure::retry(text)
        }
        OpsError::Blob(_) => Failure::unavailable(Dependency::ObjectStore, text),
        _ => Failure::retry(text),
    }
}

/// Every stage, in the pipeline's order.
pub(crate) fn registered(add_stages: AddStages, dependencies: StageDependencies<'_>) -> Stages {
    let StageDependencies {
        blobs,
        ids,
        reader,
        reads_documents,
        children,
        intake,
        vectors,
        extraction,
        language_model,
    } = dependencies;
    let stages = ::stages::registered(::stages::StageDependencies {
        context: StageContext::new(blobs.clone(), reader, Arc::clone(&ids)),
        ids,
        submitter: Arc::new(IntakeSubmitter(intake)),
        embedding_store: Arc::new(vectors),
        extraction_store: Arc::new(extraction),
        language_model,
        children,
    });
    let stages = if reads_documents { stages } else { stages.without(&READING) };
    add_stages(stages)
}

/// The names of the [`registered`] stages.
pub(crate) fn names(add_stages: AddStages) -> Vec<StageName> {
    let added = add_stages(Stages::default());
    ::stages::NAMES.into_iter().chain(added.names().cloned()).collect()
}

/// The settings for uploads.
pub(crate) fn intake_settings(
    config: &Config,
    add_stages: AddStages,
) -> Result<IntakeSettings, ConfigError> {
    Ok(IntakeSettings {
        max_bytes: config.intake.max_bytes,
        accepted: config.intake.accepted.clone(),
        queue_quota: config.intake.queue_quota,
        concurrent_uploads: config.intake.concurrent_uploads,
        storage_quota: config.intake.storage_quota,
        pipeline: default_pipeline(config, add_stages)?,
        stages: names(add_stages),
    })
}

/// The pipeline of documents that are uploaded without one; `None` while there is no stage.
pub(crate) fn default_pipeline(
    config: &Config,
    add_stages: AddStages,
) -> Result<Option<Pipeline>, ConfigError> {
    let wanted = &config.work.pipeline;
    let stages = names(add_stages);
    if let Some(unknown) = wanted.iter().find(|name| !stages.contains(name)) {
        let known: Vec<&str> = stages.iter().map(StageName::as_str).collect();
        let known = known.join(", ");
        return Err(ConfigError::argument(format_args!(
            "pipeline names the stage '{unknown}', which does not exist; the stages are: {known}"
        )));
    }
    let names: Vec<StageName> = if wanted.is_empty() { stages } else { wanted.clone() };
    Ok(Pipeline::try_from(names).ok())
}

#[cfg(test)]
mod tests {
    use std::convert::identity;

    use super::*;
    use crate::config::Layers;

    fn config(pipeline: &'static str) -> Config {
        let pipeline = |name: &str| (name == "DOCKET_PIPELINE").then(|| pipeline.to_owned());
        Config::from_layers(&Layers::load(None, pipeline, Vec::new()).unwrap()).unwrap()
    }

    #[test]
    fn a_pipeline_with_an_unknown_stage_is_refused() {
        let some = default_pipeline(&config("ingest,layout"), identity);
        assert_eq!(some.unwrap().unwrap().stages().len(), 2);
        let refused = default_pipeline(&config("ingest,magic"), identity);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with("pipeline names the stage 'magic'"), "{refused}");
        assert!(refused.ends_with("index, parse, reconcile, package"), "{refused}");
    }

    #[test]
    fn the_default_pipeline_has_every_stage() {
        let all = default_pipeline(&config(""), identity).unwrap().unwrap();
        assert_eq!(all.stages(), names(identity));
    }
}
