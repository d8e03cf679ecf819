//! A dry run of a document type: extracts the fields of one document, and stores nothing.
//!
//! It reads the pages that the document has already, under the masks of their run, and does what the stages `parse`,
//! `reconcile` and `package` would do with them. The definition need not be stored, so that an editor can try it.

use std::io::BufReader;
use std::time::Duration;

use domain::{AUTOMATIC_TYPE, Action, Artifact, Caller, DocId, Extraction, ReadableObject};
use extraction::acceptance::accept;
use extraction::memory::Fingerprint;
use extraction::parse::ParseRequest;
use extraction::sandboxed::{ExtractionFailure, Extractor};
use extraction::types::{DocumentType, SchemaProblem, values};
use futures_util::TryStreamExt;
use reading::pool::{ChildFailure, Document};

use super::content_access::{PermittedRun, disk_error, not_processed};
use super::layout_memory::similar_layouts;
use super::read_pages::{find_artifact, no_reader, sandbox_missing};
use crate::{Content, DocumentTypes, OpsError, Quality, TypeVersion};

/// What a document type extracts from a document.
#[derive(Clone, Debug)]
pub struct DryRun {
    pub extraction: Extraction,
    /// The stored version that was tried; `None` when the request had a definition, or no type was recognised.
    pub type_version: Option<u32>,
    /// Values that the schema of the type does not allow.
    pub problems: Vec<SchemaProblem>,
}

/// The types that a dry run chooses from, and the one that it must use.
struct Tried {
    types: Vec<TypeVersion>,
    wanted: Option<String>,
    is_stored: bool,
}

impl Content {
    /// How many dry runs this process does at once. They share the children that read documents with the workers.
    pub(crate) const CONCURRENT_DRY_RUNS: usize = 2;
    /// Below the timeout of a request, so that the client learns the reason.
    const LONGEST_DRY_RUN: Duration = Duration::from_secs(20);

    /// Tries a document type on a document: the given definition, or else the stored one with this name. The name `auto`
    /// tries which type the classifier chooses.
    pub async fn dry_run(
        &self,
        caller: &Caller,
        doc_id: DocId,
        name: &str,
        definition: Option<DocumentType>,
    ) -> Result<DryRun, OpsError> {
        let tenant_id = caller.permit(Action::ManageDocumentTypes)?.tenant_id();
        let run = self.permit_run(caller, ReadableObject::DryRun, doc_id, None).await?;
        let tried = self.tried(caller, name, definition).await?;
        let reader = self.reader.as_ref().ok_or_else(no_reader)?;
        let extractor = Extractor::new(reader.children());
        let _slot = self.dry_runs.try_take(tenant_id).ok_or(OpsError::DryRunRunning)?;
        within(Self::LONGEST_DRY_RUN, self.extract(&extractor, &run, tried)).await
    }

    async fn tried(
        &self,
        caller: &Caller,
        name: &str,
        definition: Option<DocumentType>,
    ) -> Result<Tried, OpsError> {
        let stored = DocumentTypes::new(self.store.clone());
        if let Some(definition) = definition {
            let definition = DocumentTypes::validated(definition).await?;
            let wanted = Some(definition.name.clone());
            let types = vec![TypeVersion { definition, version: 0, created: None }];
            return Ok(Tried { types, wanted, is_stored: false });
        }
        if name == AUTOMATIC_TYPE {
            return Ok(Tried { types: stored.list(caller).await?, wanted: None, is_stored: true });
        }
        let found = stored.find(caller, name, None).await?;
        Ok(Tried { types: vec![found], wanted: Some(name.to_owned()), is_stored: true })
    }

    async fn extract(
        &self,
        extractor: &Extractor,
        run: &PermittedRun,
        tried: Tried,
    ) -> Result<DryRun, OpsError> {
        let tenant_id = run.scope.tenant_id();
        let pages = self.pages_for_child(run).await?;
        let memory = similar_layouts(&self.store, tenant_id, &fingerprint(&pages).await).await?;
        let request = ParseRequest {
            types: tried.types.iter().map(|of| of.definition.clone()).collect(),
            wanted: tried.wanted,
            memory,
        };
        let parsed = extractor.parse(tenant_id, request, &pages).await.map_err(failed)?;
        let chosen = tried.types.into_iter().find(|of| of.definition.name == parsed.document_type);
        let Some(TypeVersion { definition, version, .. }) = chosen else {
            let mut warnings = parsed.warnings;
            warnings.push("The document type was not recognised.".to_owned());
            let extraction = Extraction { warnings, ..Extraction::default() };
            return Ok(DryRun { extraction, type_version: None, problems: Vec::new() });
        };
        let reconciled = extractor.reconcile(tenant_id, definition.clone(), &parsed).await;
        let mut extraction = reconciled.map_err(failed)?;
        let quality = Quality { store: self.store.clone() };
        let acceptance = quality.acceptance(tenant_id, &definition.name).await?;
        let checked = tokio::task::spawn_blocking(move || {
            let rate = acceptance.accepted_error_rate;
            accept(&definition, &mut extraction, &acceptance.calibration, rate);
            let problems = definition.check_values(&values(&definition, &extraction));
            (extraction, problems)
        });
        let (extraction, problems) = checked
            .await
            .map_err(|error| OpsError::internal("checking extracted values", error))?;
        Ok(DryRun { extraction, type_version: tried.is_stored.then_some(version), problems })
    }

    /// The pages of a run, as a file that a child can read.
    async fn pages_for_child(&self, run: &PermittedRun) -> Result<Document, OpsError> {
        let pages = find_artifact(&self.read_as(run).await?, Artifact::PAGES);
        let pages = run.read(&self.blobs, &pages.ok_or_else(not_processed)?).await?;
        Document::from_stream(pages.map_err(OpsError::from), disk_error).await
    }
}

/// The layout of the pages. Pages that cannot be read have none; the child that reads them reports why.
async fn fingerprint(pages: &Document) -> Fingerprint {
    let pages = pages.clone();
    let read = move || Fingerprint::read(BufReader::new(pages.reopened().ok()?)).ok();
    tokio::task::spawn_blocking(read).await.ok().flatten().unwrap_or_default()
}

/// Ends the work after a time.
async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, OpsError>>,
) -> Result<T, OpsError> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(too_long(limit)))
}

fn too_long(limit: Duration) -> OpsError {
    OpsError::Conflict {
        code: "dry_run_too_long",
        problem: format!(
            "The dry run took longer than {} s. Try a shorter document, or try again when fewer documents are processed.",
            limit.as_secs()
        ),
    }
}

fn failed(failure: ExtractionFailure) -> OpsError {
    match failure {
        ExtractionFailure::Child(ChildFailure::TimedOut { limit }) => too_long(limit),
        ExtractionFailure::Child(failure @ ChildFailure::Unprotected { .. }) => {
            sandbox_missing(&failure, failure.advice())
        }
        ExtractionFailure::Child(failure @ ChildFailure::NotStarted { .. }) => {
            OpsError::internal("starting a reader", failure)
        }
        other => OpsError::Conflict {
            code: "cannot_be_extracted",
            problem: format!(
                "The fields of this document cannot be extracted: {other}. Try another document or another definition."
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(error: &OpsError) -> &'static str {
        match error {
            OpsError::Conflict { code, .. } => code,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn work_that_takes_too_long_is_ended() {
        let endless = std::future::pending::<Result<(), OpsError>>();
        let error = within(Duration::ZERO, endless).await.unwrap_err();
        assert_eq!(code_of(&error), "dry_run_too_long");
        assert_eq!(within(Duration::ZERO, async { Ok(7) }).await.unwrap(), 7);
    }

    #[test]
    fn a_failed_child_has_an_error_that_says_what_to_do() {
        let of = |failure: ChildFailure| failed(failure.into());
        let limit = Duration::from_secs(9);
        let error = of(ChildFailure::TimedOut { limit });
        assert_eq!(code_of(&error), "dry_run_too_long");
        assert!(error.to_string().starts_with("The dry run took longer than 9 s."), "{error}");
        let error = of(ChildFailure::OutOfMemory { limit: 1 << 30 });
        assert_eq!(code_of(&error), "cannot_be_extracted");
        let not_started = of(ChildFailure::NotStarted { why: "no memory".to_owned() });
        assert!(matches!(not_started, OpsError::Internal { .. }), "{not_started:?}");
    }
}
