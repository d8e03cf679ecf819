//! The use cases of Docket: one folder per subject, one file per use case.
//!
//! A use case authorises the caller (which yields a scope), validates the request, and does its work in one
//! transaction together with the audit row. It does not know HTTP.

mod access;
mod audit;
mod document_types;
mod documents;
mod error;
mod events;
mod extraction_store;
mod idempotency;
mod objects;
mod operations;
mod page;
mod quality;
mod rate;
mod results;
mod runs;
mod search;
mod tenant_slots;
mod tenants;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use blob::Blobs;
use blob::links::LinkKey;
use domain::{Clock, Random};
use reading::reader::Reader;
use reading::sandbox::SandboxReport;
use store::Store;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

pub use access::Access;
pub use access::authenticate::AuthError;
pub use access::create_api_key::{CreatedApiKey, RequestedApiKey};
pub use access::create_user::RequestedUser;
pub use access::login::SignedIn;
pub use access::tokens::TokenKey;
pub use access::update_user::RequestedChange;
pub use audit::{Audit, AuditKey, AuditSettings, InvalidPublicKey, PublicKey};
pub use blob::{BlobError, BlobStream};
pub use document_types::{ChangedType, DocumentTypes, ExpectedType, TypeVersion, VersionEntry};
pub use documents::admit_upload::UploadPermit;
pub use documents::artifacts::ArtifactDownload;
pub use documents::batches::Batches;
pub use documents::batches::create::RequestedBatch;
pub use documents::batches::results::{BatchReading, BatchResult};
pub use documents::dry_run::DryRun;
pub use documents::facets::{BatchFacet, DocumentFacets};
pub use documents::find_ids::FoundIds;
pub use documents::intake::{Intake, IntakeSettings};
pub use documents::layout_memory::{LayoutMemory, similar_layouts};
pub use documents::learn_layout::Learnt;
pub use documents::links::{LinkRequest, LinkTarget, OriginalDownload, SignedLink};
pub use documents::list::{DocumentDetail, DocumentListPage, ListedDocument};
pub use documents::originals_cleanup::{OriginalsCleanup, RemovedObjects, Retention};
pub use documents::page_view::{PageViewRequest, RenderedView};
pub use documents::password_cleanup::PasswordCleanup;
pub use documents::read_pages::{PageImage, TextForm};
pub use documents::submit::{Accepted, AcceptedRun, IncomingUpload, StagedUpload, UploadMetadata};
pub use documents::tags::MAX_TAGS;
pub use documents::{Content, Documents, Uploads};
pub use error::OpsError;
pub use events::Events;
pub use events::follow::{Event, EventFollower, EventId};
pub use extraction::types::DocumentType;
pub use extraction_store::TenantExtraction;
pub use idempotency::Outcome;
pub use objects::{
    CheckStep, ObjectFinding, ObjectProblem, ObjectTotals, Objects, RegisteredObjectStore,
    adopt_object_store, bind_object_store, registered_object_store,
};
pub use operations::Operations;
pub use operations::check_readiness::{Dependency, Readiness, ReadinessProbe, WorkerProbe};
pub use operations::paused_jobs::PausedJobsCache;
pub use page::{Page, PageRequest};
pub use quality::Quality;
pub use quality::record_review::ReviewOutcome;
pub use quality::report::{
    ErrorCounts, Measures, QualityPeriod, QualityReport, QualityRequest, TypeQuality,
};
pub use rate::{Limiter, RateLimited};
pub use results::{ComparedResults, ResultListPage, Results};
pub use retrieval::index::Mode;
pub use runs::Runs;
pub use runs::discard::{Discarded, SkippedJob};
pub use runs::list::RunDetail;
pub use runs::rerun::RerunOptions;
pub use runs::retry_job::RequestedRequeue;
pub use search::{
    AskEvent, AskResult, Citation, EmbeddingMaintenance, Filters, Hit, KnowledgeBaseDocument,
    Question, Reranker, Search, SearchRequest, SearchResult, SearchSettings, Sentence,
};
pub use store::{
    After, BatchItemRecord, BatchName, BatchRecord, CheckpointRecord, DeadJobFilter,
    DocumentFilter, DocumentOrder, DocumentPlace, DocumentProgress, DocumentRecord, DocumentWindow,
    FacetCounts, JobFilter, JobRecord, LayoutMemorySummary, PartRecord, QueueRecord, ResultRecord,
    RunRecord, SortKey, StageRecord, TenantUsage, TradeFilter, TradeRecord, ValueCount,
    VersionRecord,
};
pub use tenants::Tenants;
pub use tenants::create::RequestedTenant;
pub use tenants::first_start::FirstStart;
pub use tenants::overview::TenantOverview;

use documents::admit_upload::UploadSlots;
use documents::recent_reads::RecentReads;
use idempotency::RequestHmac;
use objects::RecentlyChecked;
use tenant_slots::TenantSlots;

/// The use cases, by subject. One per process, shared by all requests.
pub struct Ops {
    store: Store,
    blobs: Blobs,
    random: Arc<dyn Random>,
    background: TaskTracker,
    intake: Intake,
    pub access: Arc<Access>,
    pub audit: Audit,
    pub batches: Batches,
    pub content: Content,
    pub document_types: DocumentTypes,
    pub documents: Documents,
    pub events: Events,
    pub layout_memory: LayoutMemory,
    pub objects: Objects,
    pub operations: Operations,
    pub results: Results,
    pub quality: Quality,
    pub runs: Runs,
    pub search: Search,
    pub tenants: Tenants,
    pub uploads: Uploads,
}

/// The operator's settings for the use cases.
#[derive(Clone, Debug)]
pub struct Settings {
    pub token_key: TokenKey,
    pub token_lifetime: chrono::Duration,
    pub bcrypt_cost: u32,
    /// Sign-in attempts per minute at one account from one client; see `login_throttle.rs` for the wider limits.
    pub login_attempts_per_minute: u32,
    /// How many API keys that this process has not seen one client may present per minute.
    pub unknown_keys_per_minute: NonZeroU32,
    pub audit: AuditSettings,
    pub intake: IntakeSettings,
    /// Renders pages as images; without one, page images are not available.
    pub reader: Option<Reader>,
    /// The sandbox status of this process, for readiness and metrics.
    pub sandbox: Option<SandboxReport>,
    pub search: SearchSettings,
}

impl Ops {
    /// Takes the clock and the id generator from `store`.
    pub fn new(store: Store, blobs: Blobs, settings: &Settings, random: Arc<dyn Random>) -> Self {
        let background = TaskTracker::new();
        let access = Access::new(store.clone(), random.clone(), background.clone(), settings);
        let (access, limits) = (Arc::new(access), Arc::default());
        let intake = Intake::new(
            store.clone(),
            blobs.clone(),
            Arc::clone(store.ids()),
            Arc::clone(store.clock()),
            settings.intake.clone(),
        );
        let request_hmac = RequestHmac::new(&settings.token_key);
        Self {
            audit: Audit {
                store: store.clone(),
                blobs: blobs.clone(),
                background: background.clone(),
                settings: settings.audit.clone(),
                checks: TenantSlots::new(Audit::CONCURRENT_CHECKS),
            },
            batches: Batches {
                store: store.clone(),
                intake: intake.clone(),
                request_hmac: request_hmac.clone(),
                access: Arc::clone(&access),
            },
            content: Content {
                store: store.clone(),
                blobs: blobs.clone(),
                link_key: LinkKey::new(settings.token_key.bytes()),
                recent_reads: RecentReads::default(),
                recently_checked: RecentlyChecked::default(),
                renderings: Semaphore::new(Content::CONCURRENT_RENDERINGS),
                dry_runs: TenantSlots::new(Content::CONCURRENT_DRY_RUNS),
                reader: settings.reader.clone(),
            },
            document_types: DocumentTypes::new(store.clone()),
            documents: Documents { store: store.clone(), intake: intake.clone() },
            events: Events::new(store.clone(), Arc::clone(&access)),
            layout_memory: LayoutMemory { store: store.clone() },
            objects: Objects { store: store.clone(), blobs: blobs.clone() },
            operations: Operations {
                store: store.clone(),
                blobs: blobs.clone(),
                access: Arc::clone(&access),
                limits: Arc::clone(&limits),
                intake: intake.clone(),
                sandbox: settings.sandbox.clone(),
                worker: OnceLock::new(),
                paused_jobs_cache: PausedJobsCache::default(),
            },
            results: Results { store: store.clone(), request_hmac: request_hmac.clone() },
            quality: Quality { store: store.clone() },
            runs: Runs {
                store: store.clone(),
                intake: intake.clone(),
                request_hmac: request_hmac.clone(),
            },
            search: Search::new(store.clone(), settings.search.clone()),
            tenants: Tenants {
                store: store.clone(),
                access: Arc::clone(&access),
                intake: intake.clone(),
                limits: Arc::clone(&limits),
            },
            uploads: Uploads {
                store: store.clone(),
                blobs: blobs.clone(),
                request_hmac,
                access: Arc::clone(&access),
                intake: intake.clone(),
                limits,
                upload_slots: UploadSlots::default(),
            },
            access,
            store,
            blobs,
            random,
            background,
            intake,
        }
    }

    pub fn clock(&self) -> &Arc<dyn Clock> {
        self.store.clock()
    }

    pub fn random(&self) -> &Arc<dyn Random> {
        &self.random
    }

    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// For workers, which submit attachments.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits for work that continues after the response was sent. The caller must start no new work meanwhile.
    pub async fn finish_background_work(&self) {
        self.background.close();
        self.background.wait().await;
        self.background.reopen();
    }
}

/// Prints the type's name only, because the fields are large or secret.
macro_rules! opaque_debug {
    ($($name:ident)*) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        })*
    };
}

opaque_debug!(Ops Access Audit Batches Content DocumentTypes Documents Events LayoutMemory Objects Operations Quality Results Runs Search Tenants Uploads);
