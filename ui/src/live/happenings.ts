/** What an event of the server means for the rows that screens hold. Pure: `live.ts` applies it. */
import type { ServerEvent } from "../api/event-stream.ts";
import type { DocumentView, Listed } from "../api/types.ts";

/** How far a document's run is, as far as the events told. */
export interface Progress {
  runId: string;
  stage: string | null;
  done: number;
  total: number;
}

export type Happening =
  | { kind: "queued" | "started" | "paused" | "completed"; docId: string; runId: string }
  | { kind: "failed"; docId: string; runId: string; stage: string | null; error: string | null; code: string | null }
  | { kind: "renamed"; docId: string; title: string }
  | { kind: "progress"; docId: string; progress: Progress }
  | { kind: "other" };

interface Payload {
  doc_id?: string;
  run_id?: string;
  title?: string;
  stage?: string | null;
  error?: string | null;
  code?: string | null;
  done?: number;
  total?: number;
}

export function happeningOf(event: ServerEvent): Happening {
  const payload = payloadOf(event.data);
  const docId = payload.doc_id;
  const runId = payload.run_id ?? "";
  if (docId === undefined) return { kind: "other" };
  switch (event.event) {
    case "document.queued":
      return { kind: "queued", docId, runId };
    case "document.started":
      return { kind: "started", docId, runId };
    case "document.paused":
      return { kind: "paused", docId, runId };
    case "document.completed":
      return { kind: "completed", docId, runId };
    case "document.failed":
      return { kind: "failed", docId, runId, stage: payload.stage ?? null, error: payload.error ?? null, code: payload.code ?? null };
    case "document.renamed":
      return payload.title === undefined ? { kind: "other" } : { kind: "renamed", docId, title: payload.title };
    case "document.progress": {
      const progress = { runId, stage: payload.stage ?? null, done: payload.done ?? 0, total: payload.total ?? 0 };
      return { kind: "progress", docId, progress };
    }
    default:
      return { kind: "other" };
  }
}

function payloadOf(data: string): Payload {
  try {
    return JSON.parse(data) as Payload;
  } catch {
    return {};
  }
}

/** The row as it is after the happening. A document that is served stays so while a later run works on it. */
export function rowAfter(row: DocumentView, happening: Happening): DocumentView {
  switch (happening.kind) {
    case "queued":
      return row.status === "active" ? row : { ...row, status: "uploaded", error: null, error_code: null };
    case "started":
      return row.status === "active" ? row : { ...row, status: "processing", error: null, error_code: null };
    case "completed":
      return { ...row, status: "active", error: null, error_code: null };
    case "failed":
      return row.status === "active" ? row : { ...row, status: "failed", error: happening.error, error_code: happening.code };
    case "renamed":
      return { ...row, title: happening.title };
    case "paused":
    case "progress":
    case "other":
      return row;
  }
}

/** Pages of a list after a happening, or the same object when it is about no row of them. */
export function pagesAfter(pages: Listed<DocumentView>[], happening: Happening): Listed<DocumentView>[] {
  if (happening.kind === "other" || happening.kind === "progress" || happening.kind === "paused") return pages;
  const at = pages.findIndex((page) => page.items.some((row) => row.doc_id === happening.docId));
  const page = pages[at];
  if (!page) return pages;
  const items = page.items.map((row) => (row.doc_id === happening.docId ? rowAfter(row, happening) : row));
  return pages.with(at, { ...page, items });
}

/** The first page read anew, in front of what was loaded before: rows are renewed, and new ones put on top. */
export function withFreshTop(pages: Listed<DocumentView>[], fresh: Listed<DocumentView>): Listed<DocumentView>[] {
  const [first, ...others] = pages;
  if (!first) return [fresh];
  const renewed = new Map(fresh.items.map((row) => [row.doc_id, row]));
  const known = new Set(pages.flatMap((page) => page.items.map((row) => row.doc_id)));
  const added = fresh.items.filter((row) => !known.has(row.doc_id));
  const renew = (page: Listed<DocumentView>) => ({ ...page, items: page.items.map((row) => renewed.get(row.doc_id) ?? row) });
  return [{ ...renew(first), items: [...added, ...renew(first).items] }, ...others.map(renew)];
}
