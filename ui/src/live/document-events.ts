/** What an event of the server changes in the rows of the screens. Pure: `live.ts` applies it. */
import type { ServerEvent } from "../api/event-stream.ts";
import type { DocumentView, Listed } from "../api/types.ts";

/** The progress of a document's run, according to the events. */
export interface Progress {
  runId: string;
  stage: string | null;
  done: number;
  total: number;
}

export type DocumentEvent =
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

export function documentEventOf(event: ServerEvent): DocumentEvent {
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

/** The row after the event. A document that is ready stays ready while a later run works on it. */
export function rowAfter(row: DocumentView, event: DocumentEvent): DocumentView {
  switch (event.kind) {
    case "queued":
      return row.status === "active" ? row : { ...row, status: "uploaded", error: null, error_code: null };
    case "started":
      return row.status === "active" ? row : { ...row, status: "processing", error: null, error_code: null };
    case "completed":
      return { ...row, status: "active", error: null, error_code: null, progress: null };
    case "failed":
      return row.status === "active" ? { ...row, progress: null } : { ...row, status: "failed", error: event.error, error_code: event.code, progress: null };
    case "renamed":
      return { ...row, title: event.title };
    case "paused":
    case "progress":
    case "other":
      return row;
  }
}

/** The pages of a list after the event; the same object when it concerns none of their rows. */
export function pagesAfter(pages: Listed<DocumentView>[], event: DocumentEvent): Listed<DocumentView>[] {
  if (event.kind === "other" || event.kind === "progress" || event.kind === "paused") return pages;
  const at = pages.findIndex((page) => page.items.some((row) => row.doc_id === event.docId));
  const page = pages[at];
  if (!page) return pages;
  const items = page.items.map((row) => (row.doc_id === event.docId ? rowAfter(row, event) : row));
  return pages.with(at, { ...page, items });
}

/**
 * The loaded pages with the first page fetched again. With the newest rows on top, known rows are renewed and new ones
 * added on top. In another order a row may have moved: then only a list of one page is replaced, and otherwise rows stay
 * where they are.
 */
export function withFreshTop(pages: Listed<DocumentView>[], fresh: Listed<DocumentView>, sort: string): Listed<DocumentView>[] {
  const [first, ...others] = pages;
  if (!first || (sort !== "newest" && others.length === 0)) return [fresh];
  const renewed = new Map(fresh.items.map((row) => [row.doc_id, row]));
  const known = new Set(pages.flatMap((page) => page.items.map((row) => row.doc_id)));
  const added = sort === "newest" ? fresh.items.filter((row) => !known.has(row.doc_id)) : [];
  const renew = (page: Listed<DocumentView>) => ({ ...page, items: page.items.map((row) => renewed.get(row.doc_id) ?? row) });
  return [{ ...renew(first), items: [...added, ...renew(first).items] }, ...others.map(renew)];
}
