/**
 * Short messages in a corner of the screen: that an action succeeded, that a document is ready or failed.
 *
 * Documents that end close together share one message with their number.
 */
import { counted } from "../format/numbers.ts";
import type { DocumentEvent } from "./document-events.ts";
import { Store } from "./store.ts";

export interface Notice {
  id: number;
  tone: "good" | "bad" | "plain";
  text: string;
  link?: { to: string; text: string };
  trace?: string;
}

export const notices = new Store<readonly Notice[]>([]);

const SHOWN_MS = { good: 6_000, plain: 6_000, bad: 14_000 };
const GATHER_MS = 1_200;
const AT_MOST = 4;

let lastId = 0;

export function showNotice(notice: Omit<Notice, "id">): void {
  const id = ++lastId;
  notices.update((all) => [...all, { ...notice, id }].slice(-AT_MOST));
  setTimeout(() => dismiss(id), SHOWN_MS[notice.tone]);
}

export function dismiss(id: number): void {
  notices.update((all) => all.filter((notice) => notice.id !== id));
}

const ended: DocumentEvent[] = [];
let gathering: ReturnType<typeof setTimeout> | undefined;

export function noticeEvent(event: DocumentEvent): void {
  if (event.kind !== "completed" && event.kind !== "failed") return;
  ended.push(event);
  gathering ??= setTimeout(() => {
    gathering = undefined;
    for (const notice of noticesOf(ended.splice(0))) showNotice(notice);
  }, GATHER_MS);
}

/** At most one message for documents that are ready and one for those that failed. The server may report an end more than once. */
export function noticesOf(events: readonly DocumentEvent[]): Omit<Notice, "id">[] {
  const ready = new Set<string>();
  const failed = new Map<string, string | null>();
  for (const event of events) {
    if (event.kind === "completed") ready.add(event.docId);
    if (event.kind === "failed") failed.set(event.docId, event.error);
  }
  const made: Omit<Notice, "id">[] = [];
  if (ready.size > 0) {
    const [only] = ready;
    made.push({
      tone: "good",
      text: ready.size === 1 ? "A document is ready." : `${counted(ready.size, "document")} are ready.`,
      link: ready.size === 1 ? { to: `/documents/${only ?? ""}`, text: "Open it" } : { to: "/documents?status=active", text: "Show them" },
    });
  }
  if (failed.size > 0) {
    const [only] = failed;
    made.push({
      tone: "bad",
      text: failed.size === 1 ? `A document failed: ${only?.[1] ?? "no reason was recorded"}` : `${counted(failed.size, "document")} failed.`,
      link: failed.size === 1 ? { to: `/documents/${only?.[0] ?? ""}`, text: "Open it" } : { to: "/documents?status=failed", text: "Show them" },
    });
  }
  return made;
}
