/** One action on many documents: some at a time, and a failure of one leaves the others alone. */

export interface BulkOutcome {
  done: number;
  failed: { id: string; error: unknown }[];
}

const AT_ONCE = 4;

export async function forEachOf(ids: readonly string[], action: (id: string) => Promise<unknown>): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, failed: [] };
  const left = [...ids];
  const carry = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await action(id);
        outcome.done += 1;
      } catch (error) {
        outcome.failed.push({ id, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, carry));
  return outcome;
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
