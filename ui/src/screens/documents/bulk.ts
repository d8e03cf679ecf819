/** One action on many documents: a few at a time, and a failure of one does not stop the others. */

export interface BulkFailure {
  id: string;
  error: unknown;
}

export interface BulkOutcome {
  done: number;
  failed: BulkFailure[];
}

const AT_ONCE = 4;

/** Runs `action` for each id until `signal` is aborted, and reports the outcome so far after each. */
export async function forEachOf(
  ids: readonly string[],
  action: (id: string) => Promise<unknown>,
  onProgress: (outcome: BulkOutcome) => void = () => undefined,
  signal?: AbortSignal,
): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, failed: [] };
  const left = [...ids];
  const work = async () => {
    for (let id = left.shift(); id !== undefined && !signal?.aborted; id = left.shift()) {
      try {
        await action(id);
        outcome.done += 1;
      } catch (error) {
        outcome.failed.push({ id, error });
      }
      onProgress({ done: outcome.done, failed: [...outcome.failed] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}

/** A document's tags after some are added and others removed. */
export function tagsAfter(tags: readonly string[], added: readonly string[], removed: readonly string[]): string[] {
  return [...new Set([...tags, ...added])].filter((tag) => !removed.includes(tag));
}

/** The selection after a click on a row: with Shift, everything from the row clicked before. */
export function selectionAfter(selected: ReadonlySet<string>, ids: readonly string[], clicked: string, before: string | null): ReadonlySet<string> {
  const next = new Set(selected);
  const [from, to] = [before === null ? -1 : ids.indexOf(before), ids.indexOf(clicked)];
  if (from >= 0 && to >= 0) {
    for (const id of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(id);
  } else if (!next.delete(clicked)) {
    next.add(clicked);
  }
  return next;
}
