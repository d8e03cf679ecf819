//! Asks a language model for the fields of a document, after the rules.
//!
//! Children turn pages into windows of text and find the model's values on the pages; this process only sends requests.
//! Nothing here fails a document: without the model, the candidates of the rules remain, and a warning says so.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use domain::{FieldSource, TenantId};
use extraction::language_model::{
    AllowedTenants, ExtractionModel, ModelFailure, ModelLimits, Task, WindowReply, Windows,
    estimated_tokens,
};
use extraction::parsed::Parsed;
use extraction::sandboxed::{ExtractionFailure, Extractor};
use extraction::types::DocumentType;
use reading::pool::Document;

/// How long a model may take for one document. Answers that came until then are used.
const DOCUMENT_LIMIT: Duration = Duration::from_mins(4);

/// A model, and for which documents it is asked.
#[derive(Clone)]
pub struct LanguageModelUse {
    pub model: Arc<dyn ExtractionModel>,
    pub limits: ModelLimits,
    pub tenants: AllowedTenants,
}

impl fmt::Debug for LanguageModelUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanguageModelUse").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The answers for a document, and why some are missing.
#[derive(Default)]
struct Answers {
    replies: Vec<WindowReply>,
    warning: Option<&'static str>,
}

impl LanguageModelUse {
    /// Adds the values of the model that are on the pages to the candidates of the rules.
    pub async fn add_candidates(
        &self,
        tenant: TenantId,
        extractor: &Extractor,
        document_type: &DocumentType,
        pages: &Document,
        parsed: Parsed,
    ) -> Parsed {
        if !self.tenants.includes(tenant) || is_exact(&parsed) {
            return parsed;
        }
        let Some(task) = Task::new(document_type, self.limits) else {
            return if document_type.fields.is_empty() { parsed } else { too_small(parsed) };
        };
        let requests = self.limits.requests;
        let windows = extractor.windows(tenant, task.text_tokens(), requests, pages).await;
        let mut windows = match windows {
            Ok(windows) => windows,
            Err(failure) => return unread(parsed, &failure),
        };
        // A child is not trusted to keep to the limits.
        windows.windows.truncate(usize::try_from(requests).unwrap_or(usize::MAX));
        let most = task.text_tokens().saturating_mul(2);
        windows.windows.retain(|window| estimated_tokens(&window.text) <= most);
        if windows.was_opened_with_password {
            count("skipped");
            return with_warning(
                parsed,
                "A password opens the document, so it was not sent to the language model.",
            );
        }
        let answers = self.ask(&task, &windows).await;
        let mut parsed = parsed;
        parsed.warnings.extend(answers.warning.map(str::to_owned));
        parsed.warnings.extend(shortened(&windows));
        self.ground(tenant, extractor, document_type, pages, answers.replies, parsed).await
    }

    /// Asks window by window: a server with one model answers no sooner when it gets all at once.
    async fn ask(&self, task: &Task, windows: &Windows) -> Answers {
        let mut answers = Answers::default();
        let asking = async {
            for window in &windows.windows {
                match self.model.answer(&task.request(window)).await {
                    Ok(text) => {
                        count("answered");
                        let pages = window.pages.clone();
                        answers.replies.push(WindowReply { pages, text });
                    }
                    Err(failure) => {
                        let (outcome, warning) = explained(&failure);
                        count(outcome);
                        let model = self.model.name();
                        tracing::warn!(model, outcome, reason = %failure, "the language model gave no fields");
                        answers.warning = Some(warning);
                        // Another window of the document would fare no better.
                        if !matches!(failure, ModelFailure::Unusable(_)) {
                            break;
                        }
                    }
                }
            }
        };
        if tokio::time::timeout(DOCUMENT_LIMIT, asking).await.is_err() {
            count("timed_out");
            answers.warning = Some(TIMED_OUT);
        }
        answers
    }

    async fn ground(
        &self,
        tenant: TenantId,
        extractor: &Extractor,
        document_type: &DocumentType,
        pages: &Document,
        replies: Vec<WindowReply>,
        parsed: Parsed,
    ) -> Parsed {
        if replies.is_empty() {
            return parsed;
        }
        let own = (document_type.clone(), parsed.clone());
        let grounded = match extractor.ground(tenant, own.0, replies, own.1, pages).await {
            Ok(grounded) => grounded,
            Err(failure) => return unread(parsed, &failure),
        };
        if grounded.parsed.document_type != parsed.document_type {
            return parsed;
        }
        let values = |outcome, count: u32| {
            metrics::counter!("docket_extraction_model_values_total", "outcome" => outcome)
                .increment(count.into());
        };
        values("found", grounded.found);
        values("dropped", grounded.dropped);
        let (found, dropped, invalid) = (grounded.found, grounded.dropped, grounded.invalid);
        tracing::info!(
            model = self.model.name(),
            found,
            dropped,
            invalid,
            "extracted by a language model"
        );
        grounded.parsed
    }
}

const TIMED_OUT: &str =
    "The language model did not answer in time, so some fields were extracted without it.";

/// The label of the metric, and the warning for users.
fn explained(failure: &ModelFailure) -> (&'static str, &'static str) {
    match failure {
        ModelFailure::Unavailable(_) => (
            "unavailable",
            "The language model was not available, so the fields were extracted without it. Rerun the document from the stage 'parse' to use it.",
        ),
        ModelFailure::TimedOut(_) => ("timed_out", TIMED_OUT),
        ModelFailure::Unusable(_) => (
            "unusable",
            "The language model gave no usable answer, so some fields were extracted without it.",
        ),
    }
}

/// The values of an electronic invoice are exact: a model cannot improve them.
fn is_exact(parsed: &Parsed) -> bool {
    let candidates = parsed.fields.iter().flat_map(|field| &field.candidates);
    candidates.into_iter().any(|candidate| candidate.source == FieldSource::EInvoice)
}

fn shortened(windows: &Windows) -> Option<String> {
    let read: std::collections::BTreeSet<u32> =
        windows.windows.iter().flat_map(|window| window.pages.iter().copied()).collect();
    windows.is_shortened.then(|| {
        format!(
            "The document is long: the language model read {} of its {} pages.",
            read.len(),
            windows.pages
        )
    })
}

fn too_small(parsed: Parsed) -> Parsed {
    count("skipped");
    with_warning(
        parsed,
        "The document type has too many fields for the context of the language model, so the fields were extracted without it.",
    )
}

fn unread(parsed: Parsed, failure: &ExtractionFailure) -> Parsed {
    count("failed");
    tracing::warn!(%failure, "the pages were not prepared for the language model");
    with_warning(
        parsed,
        "The pages could not be prepared for the language model, so the fields were extracted without it.",
    )
}

fn with_warning(mut parsed: Parsed, warning: &str) -> Parsed {
    parsed.warnings.push(warning.to_owned());
    parsed
}

fn count(outcome: &'static str) {
    metrics::counter!("docket_extraction_model_requests_total", "outcome" => outcome).increment(1);
}
