/** What the list shows is in the address: it can be shared, and the browser's Back works. */
import type { DocumentsQuery, DocumentStatus, DocumentView } from "../../api/types.ts";
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

/** The part of the state that the server filters by. */
export function queryOf(state: ListState, now: Date): DocumentsQuery {
  const query: DocumentsQuery = { status: state.status ?? "all" };
  if (state.search.trim()) query.search = state.search.trim();
  if (state.span) {
    const from = startOfDay(now);
    from.setDate(from.getDate() - DAYS[state.span]);
    query.from = from.toISOString();
  }
  return query;
}

/** The part that is left to the page: the server lists by neither type nor source nor tag. */
export function isShown(row: DocumentView, state: ListState): boolean {
  return (state.status === null || row.status === state.status)
    && (state.type === null || row.source_type === state.type)
    && (state.source === null || row.source === state.source)
    && (state.tag === null || row.tags.includes(state.tag));
}

export function isFiltered(state: ListState): boolean {
  return state.search !== "" || Object.entries(state).some(([name, value]) => name !== "search" && value !== null);
}

/** How many of the rows have each value, the most frequent first. */
export function countBy(rows: readonly DocumentView[], values: (row: DocumentView) => readonly string[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of rows.flatMap(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
