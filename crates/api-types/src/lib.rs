//! The types of API requests and responses. The OpenAPI document and the UI's types are generated from these.

mod api_keys;
mod audit;
mod batches;
mod config;
mod document_types;
mod documents;
mod facets;
mod health;
mod ids;
mod jobs;
mod layout_memory;
mod page;
mod pages;
mod problem;
mod quality;
mod results;
mod run_config;
mod search;
mod session;
mod tenant;
mod users;

pub use api_keys::{ApiKeyView, CreateApiKeyRequest, CreatedApiKeyView, KeyCreatorView};
pub use audit::{AuditEntryView, AuditQuery};
pub use batches::{BatchCounts, BatchResultView, BatchView, CreateBatchRequest};
pub use config::{ConfigView, SettingOrigin, SettingView};
pub use document_types::{
    DocumentTypeDefinition, DocumentTypeDryRun, DocumentTypeList, DocumentTypeOrigin,
    DocumentTypeQuery, DocumentTypeSummary, DocumentTypeVersionView, DocumentTypeVersions,
    DocumentTypeView, DryRunRequest,
};
pub use documents::{
    AttachmentView, BatchUploadResponse, DocumentDetailView, DocumentProgressView, DocumentQuery,
    DocumentSort, DocumentStatusFilter, DocumentSummary, DocumentTitle, DocumentView, FileContent,
    FileOutcome, FileProblem, IngestResponse, IngestStatus, LinkQuery, LinkView, RerunRequest,
    RerunResponse, RunQuery, RunView, StageProgress, StageView, Tags, UploadForm, UploadManyForm,
    VersionView,
};
pub use facets::{BatchFacetView, FacetQuery, FacetValueView, FacetView, FacetsView};
pub use health::{DependencyView, HealthStatus, HealthView};
pub use ids::FoundIdsView;
pub use jobs::{
    DiscardRequest, DiscardResponse, ErrorClass, JobQuery, JobView, QueueView, QueuesView,
    RequeueRequest, RequeueResponse, SkippedJobView,
};
pub use layout_memory::{
    DeleteLayoutMemoryQuery, DeletedLayoutMemory, LayoutMemoryFieldView, LayoutMemoryPage,
    LayoutMemoryQuery, LayoutMemoryView,
};
pub use page::{
    ApiKeyPage, AuditPage, BatchPage, BatchResultPage, Cursor, DocumentCursor, DocumentPage,
    InvalidCursor, JobPage, KnowledgeBasePage, PageQuery, ResultPage, RunPage, SortKey, TradePage,
    UserPage, is_storable, is_storable_date,
};
pub use pages::{
    BlockView, CellView, KeyValueView, OtherReadingView, PageView, PageViewLink, PictureQuery,
    SpanView, TableView, TextFormat, TextQuery, TextSourceView, WordSourceView, WordView,
};
pub use problem::{FieldProblem, Problem};
pub use quality::{
    FieldQualityView, KindShortfallView, MeasuredErrorView, PeriodQualityView, QualityInterval,
    QualityMeasures, QualityQuery, QualityView, TypeQualityView,
};
pub use results::{
    BatchResultQuery, ComparedFieldView, FieldChangeView, ResultDiffView, ResultEntryView,
    ResultFormat, ResultQuery, ResultVersionView, ResultView, TradeQuery, TradeView,
};
pub use run_config::{RunConfigView, UpdateForm};
pub use search::{
    AreaView, AskBody, AskResponse, CitationView, HighlightView, HitView,
    KnowledgeBaseDocumentView, SearchBody, SearchFilters, SearchMode, SearchQuery, SearchResponse,
    SentenceView,
};
pub use session::{CallerKind, ChangePasswordRequest, LoginRequest, LoginResponse, MeView};
pub use tenant::{
    AcceptanceView, ChainView, CheckpointPage, CheckpointQuery, CheckpointView, LimitsView,
    MaskView, RulesView, TenantView, TypeAcceptanceView, UsageView,
};
pub use users::{CreateUserRequest, RoleName, UpdateUserRequest, UserView};
