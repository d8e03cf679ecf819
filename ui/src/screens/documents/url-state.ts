/** The filters and the order of the list, which are in the address: it can be shared, and the browser's Back works. */
import type { DocumentFacets, DocumentStatus, DocumentView, FacetsQuery, SearchFilters } from "../../api/types.ts";
import { startOfDay } from "../../format/time.ts";

export const STATUSES = ["active", "processing", "uploaded", "failed", "rejected", "inactive"] as const satisfies readonly DocumentStatus[];
export const SPANS = ["today", "week", "month"] as const;
export const SORTS = ["newest", "oldest", "title", "title_desc", "updated"] as const;
export type Sort = (typeof SORTS)[number];

export interface ListState {
  search: string;
  status: (typeof STATUSES)[number] | null;
  type: string | null;
  source: string | null;
  tag: string | null;
  batch: string | null;
  span: (typeof SPANS)[number] | null;
  /** Null for the order in which documents were added, the newest first. */
  sort: Sort | null;
}

const NAMES = { search: "q", status: "status", type: "type", source: "source", tag: "tag", batch: "batch", span: "added", sort: "sort" } as const;

export function readListState(params: URLSearchParams): ListState {
  const text = (name: keyof ListState) => params.get(NAMES[name]);
  return {
    search: text("search") ?? "",
    status: STATUSES.find((status) => status === text("status")) ?? null,
    type: text("type"),
    source: text("source"),
    tag: text("tag"),
    batch: text("batch"),
    span: SPANS.find((span) => span === text("span")) ?? null,
    sort: SORTS.find((sort) => sort === text("sort") && sort !== "newest") ?? null,
  };
}

/** The parameters with `change` applied: empty values are removed, and other parameters stay. */
export function writeListState(params: URLSearchParams, change: Partial<ListState>): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(change) as [keyof ListState, string | null][]) {
    if (value) next.set(NAMES[name], value);
    else next.delete(NAMES[name]);
  }
  return next;
}

const DAYS = { today: 0, week: 6, month: 29 };

/** The filters as the API has them, for the list and for its facets. */
export function queryOf(state: ListState, now: Date): FacetsQuery {
  const query: FacetsQuery = { status: state.status ?? "all" };
  if (state.type) query.type = state.type;
  if (state.source) query.source = state.source;
  if (state.tag) query.tag = state.tag;
  if (state.batch) query.batch_id = state.batch;
  if (state.search.trim()) query.search = state.search.trim();
  if (state.span) {
    const from = startOfDay(now);
    from.setDate(from.getDate() - DAYS[state.span]);
    query.from = from.toISOString();
  }
  return query;
}

/** The filters as the search for passages has them; null when no passage can match: only documents that are ready have any. */
export function passageFilters(query: FacetsQuery): SearchFilters | null {
  // The search knows no sources.
  if ((query.status !== "all" && query.status !== "active") || query.source) return null;
  return {
    ...(query.type && { types: [query.type] }),
    ...(query.tag && { tags: [query.tag] }),
    ...(query.batch_id && { batch_id: query.batch_id }),
    ...(query.from && { created_from: query.from }),
  };
}

/** A row whose status changed since the list was loaded is hidden when another status is chosen. */
export function isShown(row: DocumentView, state: ListState): boolean {
  return state.status === null || row.status === state.status;
}

export function isFiltered(state: ListState): boolean {
  return state.search !== "" || filterCount(state) > 0;
}

/** How many filters are set, apart from the search and the order. */
export function filterCount(state: ListState): number {
  return Object.entries(state).filter(([name, value]) => name !== "search" && name !== "sort" && value !== null).length;
}

/** How many documents match. The facet of statuses counts by every other condition. */
export function totalOf(facets: DocumentFacets, status: ListState["status"]): { amount: number; atLeast: boolean } {
  const counted = facets.status.values.filter(({ value }) => status === null || value === status);
  const amount = counted.reduce((sum, { documents }) => sum + documents, 0);
  return { amount, atLeast: !facets.status.is_complete || counted.some(({ at_least: atLeast }) => atLeast) };
}
