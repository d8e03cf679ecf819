/** Keeps everything on the screen in step with the server: see `follow.ts` for how it hears of changes. */
import { QueryClient, type InfiniteData } from "@tanstack/react-query";
import type { ServerEvent } from "../api/event-stream.ts";
import { ApiError, isMissingRoute, Unreachable } from "../api/problem.ts";
import type { DocumentView, Listed } from "../api/types.ts";
import { followEvents, type LineState } from "./follow.ts";
import { happeningOf, pagesAfter, type Happening, type Progress } from "./happenings.ts";
import { tellOfHappening } from "./notices.ts";
import { Store } from "./store.ts";
import { noteUploadHappening } from "./uploads.ts";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (tries, error) => error instanceof Unreachable || (isPassing(error) && tries < 2),
      retryDelay: (tries) => Math.min(5_000, 500 * 2 ** tries),
    },
  },
});

function isPassing(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status >= 500 && !isMissingRoute(error);
}

/** How far runs are that are under way, by document. */
export const progressOf = new Store<ReadonlyMap<string, Progress>>(new Map());
export const lineState = new Store<LineState>("connecting");

/** Bursts of events renew counts and first pages once, not once each. */
const RENEW_AFTER_MS = 700;

export function goLive(): () => void {
  let renewal: ReturnType<typeof setTimeout> | undefined;
  const renewSoon = () => {
    renewal ??= setTimeout(() => {
      renewal = undefined;
      for (const queryKey of [["summary"], ["queues"], ["jobs"], ["dead"], ["runs"], ["batches"], ["fresh"], ["audit"]]) {
        void queries.invalidateQueries({ queryKey });
      }
    }, RENEW_AFTER_MS);
  };
  const stop = followEvents({
    onEvent: (event: ServerEvent) => {
      const happening = happeningOf(event);
      apply(happening);
      if (happening.kind !== "progress") renewSoon();
    },
    onState: (state) => lineState.set(state),
    onGap: () => void queries.invalidateQueries(),
  });
  return () => {
    clearTimeout(renewal);
    stop();
    progressOf.set(new Map());
    lineState.set("connecting");
  };
}

function apply(happening: Happening): void {
  if (happening.kind === "other") return;
  progressOf.update((all) => progressAfter(all, happening));
  noteUploadHappening(happening);
  if (happening.kind === "progress") return;
  queries.setQueriesData<InfiniteData<Listed<DocumentView>>>({ queryKey: ["documents"] }, (list) => {
    if (!list) return list;
    const pages = pagesAfter(list.pages, happening);
    return pages === list.pages ? list : { ...list, pages };
  });
  void queries.invalidateQueries({ queryKey: ["document", happening.docId] });
  tellOfHappening(happening);
}

function progressAfter(all: ReadonlyMap<string, Progress>, happening: Happening): ReadonlyMap<string, Progress> {
  if (happening.kind === "other" || happening.kind === "queued" || happening.kind === "renamed") return all;
  const next = new Map(all);
  if (happening.kind === "progress") next.set(happening.docId, happening.progress);
  else if (happening.kind === "started") next.set(happening.docId, { runId: happening.runId, stage: null, done: 0, total: 0 });
  else if (!next.delete(happening.docId)) return all;
  return next;
}
