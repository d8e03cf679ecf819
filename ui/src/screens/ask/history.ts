/** Earlier questions and searches, kept in the browser for each user. */

export interface HistoryEntry {
  mode: "ask" | "search";
  text: string;
  at: string;
}

const KEPT = 50;

export function historyKey(userId: string): string {
  return `docket.asked.${userId}`;
}

/** The history with `asked` on top; a repeated question moves up. */
export function withEntry(history: readonly HistoryEntry[], asked: HistoryEntry): HistoryEntry[] {
  return [asked, ...history.filter(({ mode, text }) => mode !== asked.mode || text !== asked.text)].slice(0, KEPT);
}

export function readHistory(stored: string | null): HistoryEntry[] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? value.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  const { mode, text, at } = (value ?? {}) as Partial<HistoryEntry>;
  return (mode === "ask" || mode === "search") && typeof text === "string" && typeof at === "string";
}
