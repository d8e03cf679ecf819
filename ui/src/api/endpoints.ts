/** One function for each thing the screens ask of the server. */
import { ask, getJson, newIdempotencyKey, postJson } from "./client.ts";
import { readEventStream } from "./event-stream.ts";
import { ApiError, asProblem, problemOf, Unreachable } from "./problem.ts";
import type * as t from "./types.ts";

/** As many rows as the server gives at once. */
export const PAGE_SIZE = 100;

// ---- Session ---------------------------------------------------------------------------------------------------------

/** Signing in sends no token, and a refusal here does not end a session. */
export async function signIn(email: string, password: string): Promise<t.LoginResponse> {
  const response = await reach("/v1/auth/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as t.LoginResponse;
}

export async function readMe(token: string | null): Promise<t.MeView> {
  const response = await reach("/v1/me", { headers: token ? { authorization: `Bearer ${token}` } : {} });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as t.MeView;
}

async function reach(path: string, how: RequestInit): Promise<Response> {
  try {
    return await fetch(path, how);
  } catch (error) {
    throw new Unreachable(error);
  }
}

export const signOut = () => ask("/v1/auth/logout", { method: "POST" });
export const signOutEverywhere = () => ask("/v1/me/sessions", { method: "DELETE" });

/** Ends all other sessions; this one continues with the token in the answer. */
export async function changePassword(current_password: string, new_password: string): Promise<t.LoginResponse> {
  const response = await ask("/v1/me/password", { method: "PUT", json: { current_password, new_password } });
  return (await response.json()) as t.LoginResponse;
}

// ---- Documents -------------------------------------------------------------------------------------------------------

export const listDocuments = (query: t.DocumentsQuery, signal?: AbortSignal) =>
  getJson<t.Listed<t.DocumentView>>("/v1/documents", { ...query }, signal);
export const countFacets = (query: t.FacetsQuery, signal?: AbortSignal) =>
  getJson<t.DocumentFacets>("/v1/documents/facets", { ...query }, signal);
export const countDocuments = () => getJson<t.DocumentSummary>("/v1/documents/stats/summary");
export const findDocument = (id: string) => getJson<t.DocumentDetail>(`/v1/documents/${id}`);
export const readPage = (id: string, page: number) => getJson<t.PageView>(`/v1/documents/${id}/pages/${page}`);
export const rerunDocument = (id: string, request: { from_stage?: string; reason?: string; password?: string; document_type?: string } = {}) =>
  postJson<t.RerunResponse>(`/v1/documents/${id}/rerun`, request);
/** The document keeps its id and gets a version with the content of the file. */
export async function updateOriginal(id: string, update: { file: File; reason?: string; password?: string }): Promise<t.RerunResponse> {
  const form = new FormData();
  if (update.reason) form.append("reason", update.reason);
  if (update.password) form.append("password", update.password);
  form.append("file", update.file);
  const headers = { "idempotency-key": newIdempotencyKey() };
  return (await (await ask(`/v1/documents/${id}/rerun`, { method: "POST", form, headers })).json()) as t.RerunResponse;
}
export const retryDocument = (id: string) => ask(`/v1/documents/${id}/retry`, { method: "POST" });
export const deactivateDocument = (id: string) => ask(`/v1/documents/${id}/deactivate`, { method: "POST" });
export const deleteDocument = (id: string) => ask(`/v1/documents/${id}`, { method: "DELETE" });
export const tagDocument = (id: string, tags: readonly string[]) =>
  ask(`/v1/documents/${id}/tags`, { method: "PUT", json: { tags } });
export const renameDocument = async (id: string, title: string) =>
  (await (await ask(`/v1/documents/${id}/title`, { method: "PUT", json: { title } })).json()) as t.DocumentTitle;
export const linkToOriginal = (id: string) => getJson<t.LinkView>(`/v1/documents/${id}/original`);
export const linkToPdf = (id: string) => getJson<t.LinkView>(`/v1/documents/${id}/pdf`);

export async function readText(id: string, format: "text" | "markdown"): Promise<string> {
  return (await ask(`/v1/documents/${id}/text`, { query: { format } })).text();
}

export const linkToPageView = (id: string) => getJson<t.PageViewLink>(`/v1/documents/${id}/view`);

export async function drawPage(id: string, page: number, width: number, signal?: AbortSignal): Promise<Blob> {
  return (await ask(`/v1/documents/${id}/pages/${page}.png`, { query: { width }, signal })).blob();
}

// ---- Results, trades, document types, quality ------------------------------------------------------------------------------

/** The current result, or the one with this version. */
export const readResult = (id: string, version?: number) =>
  getJson<t.ResultView>(`/v1/documents/${id}/result${version === undefined ? "" : `s/${version}`}`);
export const listResults = (id: string, cursor?: string) =>
  getJson<t.Listed<t.ResultEntry>>(`/v1/documents/${id}/results`, { limit: PAGE_SIZE, cursor });
export const compareResults = (id: string, before: number, after: number) =>
  getJson<t.ResultDiff>(`/v1/documents/${id}/results/${before}/diff/${after}`);
export const promoteResult = (id: string, version: number) =>
  postJson<t.ResultView>(`/v1/documents/${id}/results/${version}/promote`, {}, { "idempotency-key": newIdempotencyKey() });
export const listTrades = (query: t.TradesQuery, signal?: AbortSignal) =>
  getJson<t.Listed<t.Trade>>("/v1/trades", { ...query }, signal);
export const linkToTradePdf = (id: string) => getJson<t.LinkView>(`/v1/trades/${id}/pdf`);
export const listDocumentTypes = () => getJson<{ items: t.DocumentTypeSummary[] }>("/v1/document-types");
export const findDocumentType = (name: string, version?: number) =>
  getJson<t.DocumentType>(`/v1/document-types/${encodeURIComponent(name)}`, { version });
export const listTypeVersions = (name: string) =>
  getJson<{ items: t.DocumentTypeVersion[] }>(`/v1/document-types/${encodeURIComponent(name)}/versions`);
export const saveDocumentType = async (name: string, definition: unknown) =>
  (await (await ask(`/v1/document-types/${encodeURIComponent(name)}`, { method: "PUT", json: definition })).json()) as t.DocumentType;
export const withdrawDocumentType = (name: string) => ask(`/v1/document-types/${encodeURIComponent(name)}`, { method: "DELETE" });
export const measureQuality = (query: t.QualityQuery) => getJson<t.Quality>("/v1/quality", { ...query });
export const changeAcceptance = async (acceptance: t.Acceptance) =>
  (await (await ask("/v1/tenant/acceptance", { method: "PUT", json: acceptance })).json()) as t.Tenant;

// ---- Batches ---------------------------------------------------------------------------------------------------------

export const createBatch = (name: string) =>
  postJson<t.BatchView>("/v1/batches", { name }, { "idempotency-key": newIdempotencyKey() });

// ---- Jobs and runs ------------------------------------------------------------------------------------------------------------

export const listQueues = () => getJson<{ queues: t.QueueView[] }>("/v1/queues");
export const listJobs = (query: t.JobsQuery) => getJson<t.Listed<t.JobView>>("/v1/jobs", { ...query });
export const listDeadJobs = (cursor?: string) =>
  getJson<t.Listed<t.JobView>>("/v1/jobs/dead", { limit: PAGE_SIZE, cursor });
export const retryJob = (id: string) => ask(`/v1/jobs/${id}/retry`, { method: "POST" });
export const requeueDeadJobs = (request: t.RequeueRequest) =>
  postJson<{ requeued: number }>("/v1/jobs/dead/requeue", request);
/** Discards only jobs that were shown to the user: there is no “all”. */
export const discardJobs = (job_ids: readonly string[]) =>
  postJson<t.DiscardResponse>("/v1/jobs/dead/discard", { job_ids }, { "idempotency-key": newIdempotencyKey() });
export const listRuns = (query: { status?: string; doc_id?: string; limit?: number }) =>
  getJson<t.Listed<t.RunView>>("/v1/ingestion-runs", query);
export const readArtifact = async (run: string, stage: string, name: string) =>
  (await ask(`/v1/ingestion-runs/${run}/artifacts/${stage}/${encodeURIComponent(name)}`)).blob();
export const cancelRun = (id: string) => ask(`/v1/runs/${id}/cancel`, { method: "POST" });

// ---- Users, keys, audit, server -----------------------------------------------------------------------------------------

export const listUsers = (cursor?: string) => getJson<t.Listed<t.UserView>>("/v1/users", { limit: PAGE_SIZE, cursor });
export const createUser = (user: { email: string; password: string; role: t.RoleName }) =>
  postJson<t.UserView>("/v1/users", user, { "idempotency-key": newIdempotencyKey() });
export const updateUser = (id: string, change: { role?: t.RoleName; password?: string; active?: boolean }) =>
  ask(`/v1/users/${id}`, { method: "PATCH", json: change });
export const deactivateUser = (id: string) => ask(`/v1/users/${id}`, { method: "DELETE" });
export const listApiKeys = () => getJson<t.Listed<t.ApiKeyView>>("/v1/api-keys", { limit: PAGE_SIZE });
export const createApiKey = (key: { name: string; role: t.RoleName; expires_at?: string }) => postJson<t.CreatedApiKey>("/v1/api-keys", key);
export const revokeApiKey = (id: string) => ask(`/v1/api-keys/${id}`, { method: "DELETE" });
export const listAudit = (query: t.AuditQuery, signal?: AbortSignal) =>
  getJson<t.Listed<t.AuditEntry>>("/v1/audit", { ...query }, signal);
export const verifyAudit = () => getJson<t.Chain>("/v1/audit/verify");
export const readTenant = () => getJson<t.Tenant>("/v1/tenant");
export const changeRules = async (rules: t.Rules) =>
  (await (await ask("/v1/tenant/rules", { method: "PUT", json: rules })).json()) as t.Rules;
export const readConfiguration = () => getJson<t.Configuration>("/v1/config");

/** Readiness needs no token, and a 503 has the same body. */
export async function readHealth(): Promise<t.HealthView> {
  const response = await reach("/readyz", {});
  return (await response.json()) as t.HealthView;
}

// ---- Search and answers ----------------------------------------------------------------------------------------------

export const search = async (query: string, mode: t.SearchMode, filters: t.SearchFilters, limit = 20, signal?: AbortSignal) =>
  (await (await ask("/v1/search", { method: "POST", json: { query, mode, filters, limit }, signal })).json()) as t.SearchAnswer;

export interface AnswerListener {
  /** The passages that the answer will use. */
  onPassages: (passages: t.SearchAnswer["hits"]) => void;
  /** Provisional text: `onAnswer` replaces all of it. */
  onText: (text: string) => void;
  onAnswer: (answer: t.Answer) => void;
}

/** Asks and reads until the answer is complete. A server that does not stream sends it in one piece. */
export async function askQuestion(
  question: string,
  filters: t.SearchFilters,
  listener: AnswerListener,
  signal?: AbortSignal,
): Promise<void> {
  const response = await ask("/v1/ask", {
    method: "POST",
    json: { question, filters },
    headers: { accept: "text/event-stream, application/json;q=0.9" },
    signal,
  });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    listener.onAnswer((await response.json()) as t.Answer);
    return;
  }
  let isAnswered = false;
  for await (const event of readEventStream(response)) {
    if (event.event === "passages") listener.onPassages((JSON.parse(event.data) as t.SearchAnswer).hits);
    if (event.event === "delta") listener.onText((JSON.parse(event.data) as { text: string }).text);
    if (event.event === "answer") {
      isAnswered = true;
      listener.onAnswer(JSON.parse(event.data) as t.Answer);
    }
    if (event.event === "problem") throw streamedProblem(event.data);
  }
  if (!isAnswered) throw new Error("The answer was interrupted. Ask again.");
}

function streamedProblem(data: string): ApiError {
  const body = JSON.parse(data) as { status?: number };
  return new ApiError(asProblem(body, { status: body.status ?? 500, headers: new Headers() }));
}
