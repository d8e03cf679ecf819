//! What Docket does for its callers: one file per use case.
//!
//! A use case authorises (turning the caller into a scope), validates, and does its work in one
//! transaction that carries the audit row with it. It knows nothing of HTTP.

mod access;
mod admit_upload;
mod audit;
mod audit_checks;
mod authenticate;
mod batches;
mod cancel_run;
mod change_own_password;
mod check_readiness;
mod content_access;
mod continued_access;
mod count_facets;
mod create_api_key;
mod create_tenant;
mod create_user;
mod discard_jobs;
mod download;
mod error;
mod first_start;
mod follow_events;
mod forget_passwords;
mod gather;
mod housekeeping;
mod intake;
mod limits;
mod list_api_keys;
mod list_documents;
mod list_jobs;
mod list_tenants;
mod list_users;
mod login;
mod login_throttle;
mod logout;
mod measure_queues;
mod objects;
mod once;
mod page;
mod passwords;
mod paused_jobs;
mod queue_room;
mod rate;
mod read_pages;
mod recent_reads;
mod remembered_tokens;
mod report_clock;
mod rerun_document;
mod retry_job;
mod revoke_api_key;
mod search;
mod see_configuration;
mod storage_room;
mod submit_document;
mod sweep_originals;
mod tag_document;
mod take_in_part;
mod tenant;
mod tokens;
mod update_user;

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use blob::Blobs;
use blob::links::LinkKey;
use domain::{Clock, IdGen, Random};
use reading::reader::Reader;
use reading::sandbox::SandboxReport;
use store::{NewApiKey, Store};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

pub use admit_upload::UploadPermit;
pub use audit::{AuditKey, AuditSettings, InvalidPublicKey, PublicKey};
pub use authenticate::AuthError;
pub use batches::RequestedBatch;
pub use blob::{BlobError, BlobStream};
pub use check_readiness::{Dependency, Readiness, Vitals, WorkerProbe};
pub use count_facets::{BatchFacet, DocumentFacets};
pub use create_api_key::{CreatedApiKey, RequestedApiKey};
pub use create_tenant::RequestedTenant;
pub use create_user::RequestedUser;
pub use discard_jobs::{Discarded, SkippedJob};
pub use download::{Followed, FoundArtifact, FoundOriginal, LinkVisit, SignedLink};
pub use error::OpsError;
pub use first_start::FirstStart;
pub use follow_events::{Event, EventId, Following};
pub use forget_passwords::PasswordKeeper;
pub use intake::{Intake, IntakeSettings};
pub use list_documents::{DocumentDetail, RunDetail};
pub use login::SignedIn;
pub use objects::{
    CheckStep, KnownObjectStore, ObjectFinding, ObjectTotals, ObjectTrouble, adopt_object_store,
    known_object_store, tie_object_store,
};
pub use once::Done;
pub use page::{Page, PageRequest};
pub use rate::{Limiter, TooMany};
pub use read_pages::TextForm;
pub use rerun_document::Rerun;
pub use retrieval::index::Mode;
pub use retry_job::RequestedRequeue;
pub use search::{
    Answered, AskEvent, Citation, Filters, Hit, KnownDocument, Question, SearchRequest,
    SearchResult, SearchSettings, SecondOpinion, Sentence, VectorsKeeper,
};
pub use store::{
    After, BatchItemRecord, BatchName, BatchRecord, CheckpointRecord, DeadJobFilter,
    DocumentFilter, DocumentRecord, FacetCounts, JobFilter, JobRecord, PartRecord, QueueRecord,
    RunRecord, StageRecord, TenantUsage, ValueCount, VersionRecord,
};
pub use submit_document::{Accepted, AcceptedRun, Described, Received, Receiving};
pub use sweep_originals::{OriginalsJanitor, Retention, Swept};
pub use tag_document::MOST_TAGS;
pub use take_in_part::FileWithin;
pub use tenant::TenantOverview;
pub use tokens::TokenKey;
pub use update_user::RequestedChange;

use access::AccessDirectory;
use admit_upload::UploadSlots;
use audit_checks::AuditChecks;
use gather::Gather;
use limits::SpecialLimits;
use login_throttle::LoginThrottle;
use objects::RecentlyChecked;
use once::RequestSeal;
use passwords::Passwords;
use queue_room::QueueRoom;
use recent_reads::RecentReads;
use search::{Indexes, Writer};
use tokens::Tokens;

/// Everything a use case needs. One per process, shared by all requests.
pub struct Ops {
    store: Store,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGen>,
    random: Arc<dyn Random>,
    audit: AuditSettings,
    passwords: Passwords,
    tokens: Tokens,
    access: Arc<AccessDirectory>,
    login_throttle: LoginThrottle,
    /// Look-ups of keys that are new to this process: how many one client may cause, and how many
    /// may be under way.
    unknown_keys: Limiter<IpAddr>,
    key_look_ups: Semaphore,
    audit_checks: AuditChecks,
    /// What goes on after its caller was answered.
    background: TaskTracker,
    request_seal: RequestSeal,
    new_keys: Gather<NewApiKey>,
    blobs: Blobs,
    link_key: LinkKey,
    recent_reads: RecentReads,
    checked_artifacts: RecentlyChecked,
    intake: Intake,
    limits: SpecialLimits,
    reader: Option<Reader>,
    sandbox: Option<SandboxReport>,
    worker: OnceLock<WorkerProbe>,
    search: SearchSettings,
    /// Who writes answers, of those settings.
    writer: Option<Writer>,
    vectors: VectorsKeeper,
    indexes: Arc<Indexes>,
    queue_room: QueueRoom,
    upload_slots: UploadSlots,
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

/// What is taken from the machine.
#[derive(Clone, Debug)]
pub struct Environment {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGen>,
    pub random: Arc<dyn Random>,
}

impl Ops {
    const KEY_LOOK_UPS: usize = 2;

    pub fn new(store: Store, blobs: Blobs, settings: &Settings, environment: Environment) -> Self {
        let Environment { clock, ids, random } = environment;
        let background = TaskTracker::new();
        Self {
            new_keys: Gather::new(store.clone(), background.clone()),
            audit: settings.audit.clone(),
            passwords: Passwords::new(settings.bcrypt_cost),
            tokens: Tokens::new(&settings.token_key, settings.token_lifetime),
            access: Arc::default(),
            login_throttle: LoginThrottle::new(settings.login_attempts_per_minute, &clock),
            unknown_keys: Limiter::per_minute(settings.unknown_keys_per_minute, &clock),
            key_look_ups: Semaphore::new(Self::KEY_LOOK_UPS),
            audit_checks: AuditChecks::default(),
            background,
            request_seal: RequestSeal::new(&settings.token_key),
            link_key: LinkKey::new(settings.token_key.bytes()),
            recent_reads: RecentReads::default(),
            checked_artifacts: RecentlyChecked::default(),
            intake: Intake::new(
                store.clone(),
                blobs.clone(),
                Arc::clone(&ids),
                Arc::clone(&clock),
                settings.intake.clone(),
            ),
            limits: SpecialLimits::default(),
            reader: settings.reader.clone(),
            sandbox: settings.sandbox.clone(),
            worker: OnceLock::new(),
            indexes: Arc::new(Indexes::new(settings.search.memory)),
            vectors: VectorsKeeper::new(
                store.clone(),
                settings.search.embedding.clone(),
                Arc::clone(&clock),
            ),
            writer: settings.search.language_model.clone().map(Writer::new),
            search: settings.search.clone(),
            queue_room: QueueRoom::default(),
            upload_slots: UploadSlots::default(),
            store,
            blobs,
            clock,
            ids,
            random,
        }
    }

    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
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

    /// What giving chunks their vectors needs, for workers.
    pub fn vectors(&self) -> VectorsKeeper {
        self.vectors.clone()
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

impl fmt::Debug for Ops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ops").field("store", &self.store).finish_non_exhaustive()
    }
}
