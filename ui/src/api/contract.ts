/**
 * Types of routes that the OpenAPI document of the server does not have yet, written by hand. When it has one, its types
 * come from `schema.ts` and leave here.
 *
 * Search and answers are being built to this contract. The others are wishes: a screen that needs one says so when
 * the server answers that there is no such route.
 */
import type { Box } from "./types.ts";

export interface Area {
  page: number;
  box: Box;
}

export interface SearchFilters {
  document_ids?: string[];
  types?: string[];
  batch_id?: string;
  tags?: string[];
  created_from?: string;
  created_to?: string;
}

export type SearchMode = "hybrid" | "lexical" | "vector";

export interface Hit {
  rank: number;
  score: number;
  doc_id: string;
  doc_version_id: string;
  chunk_id: string;
  title: string;
  filename: string;
  source_type: string;
  heading: string[];
  pages: number[];
  snippet: string;
  /** In characters (Unicode scalar values) of `snippet`. */
  highlights: { start: number; end: number }[];
  areas: Area[];
}

export interface SearchAnswer {
  hits: Hit[];
  warnings: string[];
}

export interface Citation {
  number: number;
  doc_id: string;
  doc_version_id: string;
  chunk_id: string;
  title: string;
  pages: number[];
  quote: string;
  areas: Area[];
}

export interface Answer {
  answer: string | null;
  abstained: boolean;
  reason: string | null;
  confidence: number;
  provider: string;
  sentences: { text: string; citations: number[] }[];
  citations: Citation[];
  /** Only when it abstained. */
  nearest?: Hit[];
  warnings: string[];
}

/** Wanted: `POST /v1/audit/verify`. What `docket audit verify` finds. */
export interface AuditVerification {
  intact: boolean;
  rows: number;
  lanes: number;
  verified_at: string;
  broken: { audit_id: string | null; lane: number; position: number; problem: string }[];
}

/** Wanted: `GET /v1/tenant`. Limits are null where there is none. */
export interface TenantUsage {
  tenant_id: string;
  name: string;
  limits: { queue_quota: number | null; upload_max_size_mb: number; rate_limit_per_second: number | null; storage_bytes: number | null };
  usage: { documents: number; versions: number; pages: number; original_bytes: number; artifact_bytes: number; queued_jobs: number; users: number; api_keys: number };
}

/** Wanted: `GET /v1/config`. A secret has no value, only the note that it is set. */
export interface ConfigurationView {
  settings: { key: string; value: unknown; secret: boolean; origin: string; about: string }[];
}
