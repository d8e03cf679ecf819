//! What Docket does for its callers: one folder per subject, one file per use case.
//!
//! A use case authorises (turning the caller into a scope), validates, and does its work in one
//! transaction that carries the audit row with it. It knows nothing of HTTP.

mod access;
mod audit;
mod documents;
mod error;
mod events;
mod objects;
mod once;
mod operations;
mod page;
mod rate;
mod runs;
mod search;
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
pub use documents::admit_upload::UploadPermit;
pub use documents::artifacts::FoundArtifact;
pub use documents::batches::Batches;
pub use documents::batches::create::RequestedBatch;
pub use documents::facets::{BatchFacet, DocumentFacets};
pub use documents::find_ids::FoundIds;
pub use documents::forget_passwords::PasswordKeeper;
pub use documents::intake::{Intake, IntakeSettings};
pub use documents::links::{Followed, FoundOriginal, LinkVisit, SignedLink};
pub use documents::list::{DocumentDetail, DocumentListPage, ListedDocument};
pub use documents::read_pages::{PageImage, TextForm};
pub use documents::submit::{Accepted, AcceptedRun, Described, Received, Receiving};
pub use documents::sweep_originals::{OriginalsCleanup, Retention, Swept};
pub use documents::tags::MOST_TAGS;
pub use documents::{Content, Documents, Uploads};
pub use error::OpsError;
pub use events::Events;
pub use events::follow::{Event, EventId, Following};
pub use objects::{
    CheckStep, KnownObjectStore, ObjectFinding, ObjectTotals, ObjectTrouble, Objects,
    adopt_object_store, known_object_store, tie_object_store,
};
pub use once::Done;
pub use operations::Operations;
pub use operations::check_readiness::{Dependency, Readiness, Vitals, WorkerProbe};
pub use operations::paused_jobs::RecentPauses;
pub use page::{Page, PageRequest};
pub use rate::{Limiter, TooMany};
pub use retrieval::index::Mode;
pub use runs::Runs;
pub use runs::discard::{Discarded, SkippedJob};
pub use runs::list::RunDetail;
pub use runs::rerun::Rerun;
pub use runs::retry_job::RequestedRequeue;
pub use search::{
    Answered, AskEvent, Citation, Filters, Hit, KnownDocument, Question, Reranker, Search,
    SearchRequest, SearchResult, SearchSettings, Sentence, VectorsKeeper,
};
pub use store::{
    After, BatchItemRecord, BatchName, BatchRecord, CheckpointRecord, DeadJobFilter,
    DocumentFilter, DocumentOrder, DocumentPlace, DocumentProgress, DocumentRecord, DocumentWindow,
    FacetCounts, JobFilter, JobRecord, PartRecord, QueueRecord, RunRecord, SortKey, StageRecord,
    TenantUsage, ValueCount, VersionRecord,
};
pub use tenants::Tenants;
pub use tenants::create::RequestedTenant;
pub use tenants::first_start::FirstStart;
pub use tenants::overview::TenantOverview;

use audit::AuditChecks;
use documents::admit_upload::UploadSlots;
use documents::recent_reads::RecentReads;
use objects::RecentlyChecked;
use once::RequestSeal;

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
    pub documents: Documents,
    pub events: Events,
    pub objects: Objects,
    pub operations: Operations,
    pub runs: Runs,
    pub search: Search,
    pub tenants: Tenants,
    pub uploads: Uploads,
}

/// What the operator decides about the use cases.
#[derive(Clone, Debug)]
pub struct Settings {
    pub token_key: TokenKey,
    pub token_lifetime: chrono::Duration,
    pub bcrypt_cost: u32,
    /// Sign-in attempts per minute at one account from one client; see `login_throttle.rs` for the wider limits.
    pub login_attempts_per_minute: u32,
    /// Keys that one client may present per minute without this process knowing them.
    pub unknown_keys_per_minute: NonZeroU32,
    pub audit: AuditSettings,
    pub intake: IntakeSettings,
    /// Draws pages for people; without one they cannot be looked at.
    pub reader: Option<Reader>,
    /// What the process found out about its sandbox, for whoever watches it.
    pub sandbox: Option<SandboxReport>,
    pub search: SearchSettings,
}

impl Ops {
    /// The clock and the ids are those of `store`.
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
        let request_seal = RequestSeal::new(&settings.token_key);
        Self {
            audit: Audit {
                store: store.clone(),
                blobs: blobs.clone(),
                background: background.clone(),
                settings: settings.audit.clone(),
                checks: AuditChecks::default(),
            },
            batches: Batches {
                store: store.clone(),
                intake: intake.clone(),
                request_seal: request_seal.clone(),
            },
            content: Content {
                store: store.clone(),
                blobs: blobs.clone(),
                link_key: LinkKey::new(settings.token_key.bytes()),
                recent_reads: RecentReads::default(),
                recently_checked: RecentlyChecked::default(),
                renderings: Semaphore::new(Content::RENDERED_AT_ONCE),
                reader: settings.reader.clone(),
            },
            documents: Documents { store: store.clone(), intake: intake.clone() },
            events: Events::new(store.clone(), Arc::clone(&access)),
            objects: Objects { store: store.clone(), blobs: blobs.clone() },
            operations: Operations {
                store: store.clone(),
                blobs: blobs.clone(),
                access: Arc::clone(&access),
                limits: Arc::clone(&limits),
                intake: intake.clone(),
                sandbox: settings.sandbox.clone(),
                worker: OnceLock::new(),
                recent_pauses: RecentPauses::default(),
            },
            runs: Runs {
                store: store.clone(),
                intake: intake.clone(),
                request_seal: request_seal.clone(),
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
                request_seal,
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

    /// What taking a document in needs, for workers.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Waits for what goes on after its caller was answered. Nothing new may be asked for meanwhile.
    pub async fn finish_background_work(&self) {
        self.background.close();
        self.background.wait().await;
        self.background.reopen();
    }
}

/// Shows a name only: what is inside is large, or secret.
macro_rules! opaque_debug {
    ($($name:ident)*) => {
        $(impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        })*
    };
}

opaque_debug!(Ops Access Audit Batches Content Documents Events Objects Operations Runs Search Tenants Uploads);
