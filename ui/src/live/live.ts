/** Applies the server's events to what the screens show; `follow.ts` receives them. */
import { QueryClient, type InfiniteData } from "@tanstack/react-query";
import type { ServerEvent } from "../api/event-stream.ts";
import { ApiError, isMissingRoute, Unreachable } from "../api/problem.ts";
import type { DocumentView, Listed } from "../api/types.ts";
import { followEvents, type ConnectionState } from "./follow.ts";
import { documentEventOf, pagesAfter, type DocumentEvent, type Progress } from "./document-events.ts";
import { noticeEvent } from "./notices.ts";
import { Store } from "./store.ts";
import { followUpload } from "./uploads.ts";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (tries, error) => error instanceof Unreachable || (isTransient(error) && tries < 2),
      retryDelay: (tries) => Math.min(5_000, 500 * 2 ** tries),
    },
  },
});

function isTransient(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status >= 500 && !isMissingRoute(error);
}

/** The progress of running documents, by document. */
export const progressOf = new Store<ReadonlyMap<string, Progress>>(new Map());
export const connectionState = new Store<ConnectionState>("connecting");

/** A burst of events renews counts and first pages once. */
const RENEW_AFTER_MS = 700;

export function goLive(): () => void {
  let renewal: ReturnType<typeof setTimeout> | undefined;
  const renewSoon = () => {
    renewal ??= setTimeout(() => {
      renewal = undefined;
      for (const queryKey of [["summary"], ["queues"], ["jobs"], ["dead"], ["runs"], ["batches"], ["fresh"], ["audit"], ["trades"]]) {
        void queries.invalidateQueries({ queryKey });
      }
    }, RENEW_AFTER_MS);
  };
  const stop = followEvents({
    onEvent: (received: ServerEvent) => {
      const event = documentEventOf(received);
      apply(event);
      if (event.kind !== "progress") renewSoon();
    },
    onState: (state) => connectionState.set(state),
    onGap: () => void queries.invalidateQueries(),
  });
  return () => {
    clearTimeout(renewal);
    stop();
    progressOf.set(new Map());
    connectionState.set("connecting");
  };
}

function apply(event: DocumentEvent): void {
  if (event.kind === "other") return;
  progressOf.update((all) => progressAfter(all, event));
  followUpload(event);
  if (event.kind === "progress") return;
  queries.setQueriesData<InfiniteData<Listed<DocumentView>>>({ queryKey: ["documents"] }, (list) => {
    if (!list) return list;
    const pages = pagesAfter(list.pages, event);
    return pages === list.pages ? list : { ...list, pages };
  });
  void queries.invalidateQueries({ queryKey: ["document", event.docId] });
  noticeEvent(event);
}

function progressAfter(all: ReadonlyMap<string, Progress>, event: DocumentEvent): ReadonlyMap<string, Progress> {
  if (event.kind === "other" || event.kind === "queued" || event.kind === "renamed") return all;
  const next = new Map(all);
  if (event.kind === "progress") next.set(event.docId, event.progress);
  else if (event.kind === "started") next.set(event.docId, { runId: event.runId, stage: null, done: 0, total: 0 });
  else if (!next.delete(event.docId)) return all;
  return next;
}
