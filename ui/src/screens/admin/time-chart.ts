/** Where the points of a chart over time are. Pure. */

export interface Point {
  /** The beginning of its day or week, in ISO 8601. */
  at: string;
  value: number;
  /** The ends of its confidence interval. */
  low?: number | null;
  high?: number | null;
}

export interface Mark {
  /** The horizontal place in percent, and its width. */
  left: number;
  width: number;
  /** Heights in percent. */
  value: number;
  low: number | null;
  high: number | null;
}

const DAY_MS = 86_400_000;

/** Periods without data leave a gap: the horizontal place is the time. */
export function marksOf(points: readonly Point[], period: "day" | "week", most: number): Mark[] {
  const length = period === "week" ? 7 * DAY_MS : DAY_MS;
  const times = points.map(({ at }) => Date.parse(at));
  const first = Math.min(...times);
  // A few periods would become wide blocks.
  const span = Math.max(Math.max(...times) + length - first, 12 * length);
  const height = (value: number) => Math.max(0, Math.min(100, (100 * value) / most));
  return points.map(({ value, low, high }, index): Mark => ({
    left: (100 * ((times[index] ?? first) - first)) / span,
    width: (100 * length) / span,
    value: height(value),
    low: low == null ? null : height(low),
    high: high == null ? null : height(high),
  }));
}

/** The top of a scale: a round share that all values fit under. */
export function topOf(values: readonly number[]): number {
  const largest = Math.max(0, ...values);
  return [0.02, 0.05, 0.1, 0.2, 0.5].find((top) => top >= largest) ?? 1;
}
