//! What taking a document in needs, and nothing that must be kept secret: workers hand in files that they
//! find within others.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use blob::{Blobs, Staged};
use domain::{
    Clock, DocId, FileKind, IdGen, JobId, Offer, Pipeline, RetryPolicy, RunId, Scope, StageName,
    TenantRules, TraceContext, upload_uri,
};
use reading::detect::{Detected, detect, ending};
use serde_json::{Value, json};
use store::{BatchRecord, NewRun, Store, Submission};

use crate::documents::storage_room::StorageRoom;
use crate::{Described, OpsError};

/// What the operator decides about taking documents in.
#[derive(Clone, Debug)]
pub struct IntakeSettings {
    /// The largest document.
    pub max_bytes: u64,
    pub accepted: BTreeSet<FileKind>,
    /// Runs of one tenant that may wait at once.
    pub queue_quota: u32,
    /// Uploads of one tenant that one process has under way at once.
    pub concurrent_uploads: u32,
    /// How many bytes of originals one tenant may store; `None`: as many as there is space for.
    pub storage_quota: Option<u64>,
    /// What a document passes when nobody says otherwise; `None` while there is no stage.
    pub pipeline: Option<Pipeline>,
    /// Every stage there is, for those who ask for a pipeline of their own.
    pub stages: Vec<StageName>,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Intake {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) ids: Arc<dyn IdGen>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) storage: StorageRoom,
    settings: Arc<IntakeSettings>,
}

/// A document whose bytes are here, and what is known of it.
pub(crate) struct Coming<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) staged: &'a Staged,
    pub(crate) described: &'a Described,
    pub(crate) kind: FileKind,
    pub(crate) batch: Option<&'a BatchRecord>,
    pub(crate) rules: &'a TenantRules,
    /// Which way it came.
    pub(crate) source: &'static str,
    /// Whether the caller may process documents again.
    pub(crate) may_rerun: bool,
}

impl Intake {
    pub fn new(
        store: Store,
        blobs: Blobs,
        ids: Arc<dyn IdGen>,
        clock: Arc<dyn Clock>,
        settings: IntakeSettings,
    ) -> Self {
        let storage = StorageRoom::default();
        Self { store, blobs, ids, clock, storage, settings: Arc::new(settings) }
    }

    pub(crate) fn settings(&self) -> &IntakeSettings {
        &self.settings
    }

    /// Announces an original, so that the janitor leaves it alone: from here on it may be published. Gives
    /// the rules that hold for it.
    pub(crate) async fn announce(
        &self,
        scope: &Scope,
        staged: &Staged,
        kind: FileKind,
    ) -> Result<TenantRules, OpsError> {
        let mut tx = self.store.begin(scope).await?;
        let rules = tx.announce_blob(&staged.sha256, staged.size, kind.media_type()).await?;
        tx.commit().await?;
        Ok(rules)
    }

    pub(crate) fn acceptable_kind(
        &self,
        staged: &Staged,
        file_name: &str,
    ) -> Result<FileKind, OpsError> {
        if staged.size == 0 {
            return Err(OpsError::invalid("file", "the file is empty"));
        }
        let kind = match detect(&staged.head, file_name) {
            Detected::Kind(kind) if self.settings.accepted.contains(&kind) => kind,
            Detected::Kind(kind) => return Err(self.refused(kind.media_type())),
            Detected::Foreign(what) => return Err(self.refused(what)),
        };
        match ending(file_name).and_then(|ending| ending.parse::<FileKind>().ok()) {
            Some(named) if named != kind && !both_text(named, kind) => {
                Err(OpsError::UnsupportedType {
                    problem: format!(
                        "the file is named .{named} but contains {}; send it under its right name",
                        kind.media_type()
                    ),
                })
            }
            _ => Ok(kind),
        }
    }

    fn refused(&self, what: &str) -> OpsError {
        let kinds: Vec<&str> = self.settings.accepted.iter().map(|kind| kind.as_str()).collect();
        OpsError::UnsupportedType {
            problem: format!("the file is {what}; accepted are {}", kinds.join(", ")),
        }
    }

    pub(crate) fn submission(&self, coming: Coming<'_>) -> Result<Submission, OpsError> {
        let Coming { scope, staged, described, kind, batch, rules, source, may_rerun } = coming;
        let pipeline = self.pipeline_for(batch, rules)?;
        let title = described.title.clone().filter(|title| !title.trim().is_empty());
        let title = title.unwrap_or_else(|| described.file_name.clone());
        let doc_id = DocId(self.ids.next());
        let config = json!({
            "source_type": "upload",
            "upload_uri": upload_uri(staged.sha256),
            "title": title,
            "original_filename": described.file_name,
            "content_type": kind.media_type(),
            "file_size_bytes": staged.size,
            "content_hash": format!("sha256:{}", staged.sha256),
            "created_by_user_id": scope.actor().user_id(),
            "created_by": scope.actor().to_string(),
        });
        let run = NewRun {
            content: Some(staged.sha256),
            batch_id: described.batch_id,
            password: described.password.clone(),
            ..self.new_run(scope, doc_id, pipeline, config)
        };
        Ok(Submission {
            doc_id,
            source_uri: upload_uri(staged.sha256),
            kind,
            source,
            title,
            file_name: described.file_name.clone(),
            tags: described.tags.clone(),
            bytes_len: staged.size,
            content: staged.sha256,
            batch_id: described.batch_id,
            offer: Offer {
                dedupe: batch.is_none_or(|batch| batch.dedupe),
                pipeline_is_chosen: batch.is_some_and(|batch| batch.pipeline.is_some()),
                has_password: described.password.is_some(),
                may_rerun,
                is_part: false,
            },
            rules: rules.clone(),
            run,
        })
    }

    pub(crate) fn new_run(
        &self,
        scope: &Scope,
        doc_id: DocId,
        pipeline: Pipeline,
        config: Value,
    ) -> NewRun {
        NewRun {
            run_id: RunId(self.ids.next()),
            job_id: JobId(self.ids.next()),
            doc_id,
            pipeline,
            priority: 0,
            retries: RetryPolicy::PIPELINE.retries(),
            parent_run_id: None,
            reason: None,
            config,
            trace_parent: scope.trace().map(TraceContext::to_traceparent),
            content: None,
            batch_id: None,
            password: None,
            reused: None,
        }
    }

    /// As the batch says, else the tenant, else the operator.
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

    /// A pipeline somebody asks for, of stages that exist.
    pub(crate) fn pipeline_of(&self, names: &[String]) -> Result<Pipeline, OpsError> {
        let known = || {
            let names: Vec<&str> = self.settings.stages.iter().map(StageName::as_str).collect();
            if names.is_empty() { "none yet".to_owned() } else { names.join(", ") }
        };
        let mut stages = Vec::new();
        for name in names {
            let found = self.settings.stages.iter().find(|stage| stage.as_str() == name);
            stages.push(found.cloned().ok_or_else(|| {
                OpsError::invalid(
                    "pipeline",
                    format!("there is no stage '{name}'; there are: {}", known()),
                )
            })?);
        }
        Pipeline::try_from(stages).map_err(|error| OpsError::invalid("pipeline", error))
    }
}

fn both_text(one: FileKind, other: FileKind) -> bool {
    let text = |kind| matches!(kind, FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml);
    text(one) && text(other)
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake").field("settings", &self.settings).finish_non_exhaustive()
    }
}
