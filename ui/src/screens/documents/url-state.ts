/** What the list shows is in the address: it can be shared, and the browser's Back works. */
import type { DocumentFacets, DocumentStatus, DocumentView, FacetsQuery } from "../../api/types.ts";
import { startOfDay } from "../../format/time.ts";

export const STATUSES = ["active", "processing", "uploaded", "failed", "rejected", "inactive"] as const satisfies readonly DocumentStatus[];
export const SPANS = ["today", "week", "month"] as const;

export interface ListState {
  search: string;
  status: (typeof STATUSES)[number] | null;
  type: string | null;
  source: string | null;
  tag: string | null;
  batch: string | null;
  span: (typeof SPANS)[number] | null;
}

const NAMES = { search: "q", status: "status", type: "type", source: "source", tag: "tag", batch: "batch", span: "added" } as const;

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
  };
}

/** The parameters with `change` applied; what is empty is left out, and what belongs to others stays. */
export function writeListState(params: URLSearchParams, change: Partial<ListState>): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [name, value] of Object.entries(change) as [keyof ListState, string | null][]) {
    if (value) next.set(NAMES[name], value);
    else next.delete(NAMES[name]);
  }
  return next;
}

const DAYS = { today: 0, week: 6, month: 29 };

/** The state as the server takes it, for the list and for its facets. */
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

/** What the events of the server change in a row is its status: one that has left the chosen status is not shown any more. */
export function isShown(row: DocumentView, state: ListState): boolean {
  return state.status === null || row.status === state.status;
}

export function isFiltered(state: ListState): boolean {
  return state.search !== "" || Object.entries(state).some(([name, value]) => name !== "search" && value !== null);
}

/** How many documents there are of what is chosen. The facet of statuses counts by every other condition. */
export function totalOf(facets: DocumentFacets, status: ListState["status"]): { amount: number; atLeast: boolean } {
  const counted = facets.status.values.filter(({ value }) => status === null || value === status);
  const amount = counted.reduce((sum, { documents }) => sum + documents, 0);
  return { amount, atLeast: !facets.status.is_complete || counted.some(({ at_least: atLeast }) => atLeast) };
}
