//! What goes over the wire. The OpenAPI document and the UI's types are made from these.

mod api_keys;
mod audit;
mod config;
mod documents;
mod facets;
mod health;
mod ids;
mod jobs;
mod page;
mod pages;
mod problem;
mod run_config;
mod search;
mod session;
mod tenant;
mod users;

pub use api_keys::{ApiKeyView, CreateApiKeyRequest, CreatedApiKeyView, KeyCreatorView};
pub use audit::{AuditEntryView, AuditQuery};
pub use config::{ConfigView, SettingOrigin, SettingView};
pub use documents::{
    BatchCounts, BatchResultView, BatchUploadResponse, BatchView, CreateBatchRequest,
    DocumentDetailView, DocumentProgressView, DocumentQuery, DocumentSort, DocumentStatusFilter,
    DocumentSummary, DocumentTitle, DocumentView, FileContent, FileOutcome, FileProblem,
    IngestResponse, IngestStatus, LinkQuery, LinkView, PartView, RerunRequest, RerunResponse,
    RunQuery, RunView, StageProgress, StageView, Tags, UploadForm, UploadManyForm, VersionView,
};
pub use facets::{BatchFacetView, FacetQuery, FacetValueView, FacetView, FacetsView};
pub use health::{DependencyView, HealthStatus, HealthView};
pub use ids::FoundIdsView;
pub use jobs::{
    DiscardRequest, DiscardResponse, ErrorClass, JobQuery, JobView, QueueView, QueuesView,
    RequeueRequest, RequeueResponse, SkippedJobView,
};
pub use page::{
    ApiKeyPage, AuditPage, BatchPage, BatchResultPage, Cursor, DocumentCursor, DocumentPage,
    InvalidCursor, JobPage, KnowledgeBasePage, PageQuery, RunPage, SortKey, UserPage, is_storable,
};
pub use pages::{
    BlockView, CellView, KeyValueView, OriginView, OtherReadingView, PageView, PictureQuery,
    SpanView, TableView, TextFormat, TextQuery, TextSourceView, WordView,
};
pub use problem::Problem;
pub use run_config::{RunConfigView, UpdateForm};
pub use search::{
    AreaView, AskBody, AskResponse, CitationView, HighlightView, HitView, KnownDocumentView,
    SearchBody, SearchFilters, SearchMode, SearchQuery, SearchResponse, SentenceView,
};
pub use session::{CallerKind, ChangePasswordRequest, LoginRequest, LoginResponse, MeView};
pub use tenant::{
    ChainView, CheckpointPage, CheckpointQuery, CheckpointView, LimitsView, MaskView, RulesView,
    TenantView, UsageView,
};
pub use users::{CreateUserRequest, RoleName, UpdateUserRequest, UserView};
