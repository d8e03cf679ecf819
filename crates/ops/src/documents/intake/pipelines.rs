//! Which stages a run has.

use domain::{Pipeline, StageName, TenantRules};
use store::BatchRecord;

use super::Intake;
use crate::OpsError;

impl Intake {
    /// The pipeline of the batch, else of the tenant, else of the operator.
    pub(crate) fn pipeline_for(
        &self,
        batch: Option<&BatchRecord>,
        rules: &TenantRules,
    ) -> Result<Pipeline, OpsError> {
        if let Some(names) = batch.and_then(|batch| batch.pipeline.as_deref()) {
            return self.pipeline_of(names);
        }
        if !rules.pipeline.is_empty() {
            return self.pipeline_of(&rules.pipeline);
        }
        self.settings.pipeline.clone().ok_or(OpsError::NoPipeline)
    }

    /// Builds a pipeline of named stages, which must exist.
    pub(crate) fn pipeline_of(&self, names: &[String]) -> Result<Pipeline, OpsError> {
        let available = || {
            let names: Vec<&str> = self.settings.stages.iter().map(StageName::as_str).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let mut stages = Vec::new();
        for name in names {
            let found = self.settings.stages.iter().find(|stage| stage.as_str() == name);
            stages.push(found.cloned().ok_or_else(|| {
                OpsError::invalid(
                    "pipeline",
                    format!("Unknown stage '{name}'. Available stages: {}.", available()),
                )
            })?);
        }
        Pipeline::try_from(stages).map_err(|error| OpsError::invalid("pipeline", error))
    }
}
