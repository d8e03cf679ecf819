/** The last few minutes of the queues, as this page saw them. */
import type { QueueView } from "../../api/types.ts";
import { Store } from "../../live/store.ts";

export interface Sample {
  waiting: number;
  inFlight: number;
  perMinute: number;
}

export const SAMPLES_KEPT = 60;

/** A line of fewer points does not take the whole width. */
const FEWEST = 12;

export const queueSamples = new Store<ReadonlyMap<string, readonly Sample[]>>(new Map());

export function withSamples(all: ReadonlyMap<string, readonly Sample[]>, queues: readonly QueueView[]): ReadonlyMap<string, readonly Sample[]> {
  const next = new Map(all);
  for (const queue of queues) {
    const sample = { waiting: queue.waiting, inFlight: queue.in_flight, perMinute: queue.finished_last_minute };
    next.set(queue.stage, [...(next.get(queue.stage) ?? []), sample].slice(-SAMPLES_KEPT));
  }
  return next;
}

/** Points of a line for values over time, in a box of `width` × `height`, the latest at the right edge. */
export function linePoints(values: readonly number[], width: number, height: number): string {
  const top = Math.max(1, ...values);
  const step = width / (Math.max(FEWEST, values.length) - 1);
  const from = width - (values.length - 1) * step;
  return values.map((value, at) => `${(from + at * step).toFixed(1)},${(height - (value / top) * height).toFixed(1)}`).join(" ");
}
