/**
 * Types of routes that the OpenAPI document of the server does not have yet, written by hand. When it has one, its types
 * come from `schema.ts` and leave here.
 *
 * Search, answers and the others are being built to this contract. What is “wanted” nobody has promised: a screen that needs
 * it says so when the server answers that there is no such route.
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

/** `GET /v1/audit/verify`: whether the audit log is whole. */
export interface Chain {
  rows: number;
  is_whole: boolean;
  /** What was changed, moved or removed, in sentences. */
  faults: string[];
}

/** `GET /v1/tenant`. */
export interface Tenant {
  tenant_id: string;
  name: string;
  rules: { masks: object[]; pipeline: string[] };
  limits: { max_upload_bytes: number; queue_quota: number; requests_per_second: number };
  usage: { documents: number; bytes: number; waiting_runs: number; users: number };
}

/** What a document has beyond what the generated types say. */
export interface Described {
  tags?: string[];
  /** What came within it as attachments, and what it came within. */
  parts?: { doc_id: string; name: string; title: string; status: string; place: string }[];
}

/** Wanted: `GET /v1/config`. A secret has no value, only the note that it is set. */
export interface ConfigurationView {
  settings: { key: string; value: unknown; secret: boolean; origin: string; about: string }[];
}
