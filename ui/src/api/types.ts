/** Short names for the types of the API. */
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

export type Acceptance = Schemas["AcceptanceView"];
export type Answer = Schemas["AskResponse"];
export type ApiKeyView = Schemas["ApiKeyView"];
export type AreaView = Schemas["AreaView"];
export type AuditEntry = Schemas["AuditEntryView"];
export type BatchView = Schemas["BatchView"];
export type BlockView = Schemas["BlockView"];
export type Chain = Schemas["ChainView"];
export type Citation = Schemas["CitationView"];
export type Configuration = Schemas["ConfigView"];
export type CreatedApiKey = Schemas["CreatedApiKeyView"];
export type DiscardResponse = Schemas["DiscardResponse"];
export type DocumentDetail = Schemas["DocumentDetailView"];
export type DocumentFacets = Schemas["FacetsView"];
export type DocumentSummary = Schemas["DocumentSummary"];
export type DocumentTitle = Schemas["DocumentTitle"];
export type DocumentType = Schemas["DocumentTypeView"];
export type DocumentTypeDefinition = Schemas["DocumentTypeDefinition"];
export type DocumentTypeSummary = Schemas["DocumentTypeSummary"];
export type DocumentTypeVersion = Schemas["DocumentTypeVersionView"];
export type DocumentView = Schemas["DocumentView"];
export type DryRun = Schemas["DocumentTypeDryRun"];
export type FacetView = Schemas["FacetView"];
export type FieldAlternative = Schemas["FieldAlternative"];
export type FieldChange = Schemas["FieldChangeView"];
export type FieldKind = Schemas["FieldKind"];
export type FieldSource = Schemas["FieldSource"];
export type FieldStatus = Schemas["FieldStatus"];
export type HealthView = Schemas["HealthView"];
export type Hit = Schemas["HitView"];
export type IngestResponse = Schemas["IngestResponse"];
export type JobView = Schemas["JobView"];
export type LinkView = Schemas["LinkView"];
export type LoginResponse = Schemas["LoginResponse"];
export type Mask = Schemas["MaskView"];
export type MeasuredError = Schemas["MeasuredErrorView"];
export type MeView = Schemas["MeView"];
export type PageView = Schemas["PageView"];
export type AttachmentView = Schemas["AttachmentView"];
export type PageViewLink = Schemas["PageViewLink"];
export type Quality = Schemas["QualityView"];
export type QualityMeasures = Schemas["QualityMeasures"];
export type QueueView = Schemas["QueueView"];
export type RequeueRequest = Schemas["RequeueRequest"];
export type RerunResponse = Schemas["RerunResponse"];
export type ResultCheck = Schemas["ResultCheck"];
export type ResultDiff = Schemas["ResultDiffView"];
export type ResultEntry = Schemas["ResultEntryView"];
/** The fields of a result, or of one of its trades or lines, by name. */
export type ResultFields = Schemas["BTreeMap"];
export type ResultField = ResultFields[string];
export type ResultView = Schemas["ResultView"];
export type RoleName = Schemas["RoleName"];
export type Rules = Schemas["RulesView"];
export type RunView = Schemas["RunView"];
export type SearchAnswer = Schemas["SearchResponse"];
export type SearchFilters = Schemas["SearchFilters"];
export type SearchMode = Schemas["SearchMode"];
export type SettingView = Schemas["SettingView"];
export type StageView = Schemas["StageView"];
export type TableView = Schemas["TableView"];
export type Tenant = Schemas["TenantView"];
export type Trade = Schemas["TradeView"];
export type TypeQuality = Schemas["TypeQualityView"];
export type UserView = Schemas["UserView"];
export type VersionView = Schemas["VersionView"];
export type WordView = Schemas["WordView"];

export type DocumentsQuery = NonNullable<operations["list_documents"]["parameters"]["query"]>;
export type FacetsQuery = NonNullable<operations["count_facets"]["parameters"]["query"]>;
export type AuditQuery = NonNullable<operations["list_audit"]["parameters"]["query"]>;
export type JobsQuery = NonNullable<operations["list_jobs"]["parameters"]["query"]>;
export type QualityQuery = NonNullable<operations["measure_quality"]["parameters"]["query"]>;
export type TradesQuery = NonNullable<operations["list_trades"]["parameters"]["query"]>;
export type DocumentStatus = NonNullable<DocumentsQuery["status"]>;

export interface Listed<T> {
  items: T[];
  limit: number;
  next_cursor?: string | null;
}

/** Left, top, right, bottom: points from the top left corner of the page. */
export type Box = readonly [number, number, number, number];

export function boxOf(numbers: readonly number[] | null | undefined): Box | null {
  const [left, top, right, bottom] = numbers ?? [];
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return null;
  return [left, top, right, bottom];
}
