/** Times and durations in the browser's locale. */

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 12],
  ["year", Infinity],
];

/** “3 minutes ago”; within the last seconds “now”. */
export function relativeTime(moment: Date, now: Date, locale?: string): string {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  let amount = (moment.getTime() - now.getTime()) / 1000;
  if (Math.abs(amount) < 5) return words.format(0, "second");
  for (const [unit, size] of STEPS) {
    if (Math.abs(Math.round(amount)) < size) return words.format(Math.round(amount), unit);
    amount /= size;
  }
  return words.format(Math.round(amount), "year");
}

export function exactTime(moment: Date, locale?: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" }).format(moment);
}

/** “Mar 2, 2026”, of a date without a time (`2026-03-02`). */
export function day(date: string, locale?: string): string {
  const moment = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(moment.getTime()) ? date : new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(moment);
}

/** “840 ms”, “6.9 s”, “2 min 5 s”, “3 h 4 min”. */
export function duration(milliseconds: number, locale?: string): string {
  const number = (value: number, digits: number) =>
    new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value);
  if (milliseconds < 1000) return `${number(milliseconds, 0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${number(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${number(Math.floor(whole / 60), 0)} min ${whole % 60} s`;
  return `${number(Math.floor(whole / 3600), 0)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** The start of the day of `now`, in the browser's time zone. */
export function startOfDay(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
