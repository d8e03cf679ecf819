/** Earlier questions and searches, kept in the browser for each user. */

export interface Asked {
  mode: "ask" | "search";
  text: string;
  at: string;
}

const KEPT = 50;

export function historyKey(userId: string): string {
  return `docket.asked.${userId}`;
}

/** The history with `asked` on top; a repeated question moves up. */
export function withAsked(history: readonly Asked[], asked: Asked): Asked[] {
  return [asked, ...history.filter(({ mode, text }) => mode !== asked.mode || text !== asked.text)].slice(0, KEPT);
}

export function readHistory(stored: string | null): Asked[] {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    return Array.isArray(value) ? value.filter(isAsked) : [];
  } catch {
    return [];
  }
}

function isAsked(value: unknown): value is Asked {
  const { mode, text, at } = (value ?? {}) as Partial<Asked>;
  return (mode === "ask" || mode === "search") && typeof text === "string" && typeof at === "string";
}
