/** Measures of the quality of extraction in words, and changes of the accepted error rate. Pure. */
import type { Acceptance, MeasuredError, TypeQuality } from "../../api/types.ts";
import { count, counted, finePercent } from "../../format/numbers.ts";

/** With fewer reviewed fields, a rate says little. */
const FEW = 30;

/** “95% interval 0.4% to 2.8%, 3 of 250 wrong”. */
export function errorNote({ reviewed, wrong, rate, low, high }: MeasuredError, locale?: string): string {
  if (reviewed === 0 || rate == null) return "No accepted field was reviewed yet";
  const range = low == null || high == null ? "" : `95% interval ${finePercent(low, locale)} to ${finePercent(high, locale)}, `;
  return `${range}${count(wrong, locale)} of ${count(reviewed, locale)} wrong`;
}

/** The rate alone, for a column of a table. */
export function rateInWords({ reviewed, rate, low, high }: MeasuredError, locale?: string): string {
  if (reviewed === 0 || rate == null) return "not measured";
  return low == null || high == null ? finePercent(rate, locale) : `${finePercent(rate, locale)} (${finePercent(low, locale)}–${finePercent(high, locale)})`;
}

/** Why a measured error says little; null when enough fields were reviewed, and when none was, which the numbers say. */
export function tooFew({ reviewed }: MeasuredError): string | null {
  if (reviewed === 0 || reviewed >= FEW) return null;
  return `Only ${counted(reviewed, "accepted field was", "accepted fields were")} reviewed, which is too few to say how often accepted fields are wrong.`;
}

const BASES: Record<string, string> = {
  shipped: "what Docket was shipped with",
  shipped_and_reviewed: "what Docket was shipped with, and the fields that you reviewed",
  reviewed: "the fields that you reviewed",
};

/** From which confidence on fields are accepted, and why. */
export function thresholdInWords(type: Pick<TypeQuality, "threshold" | "error_bound" | "shortfall" | "basis" | "accepted">, locale?: string): string {
  if (type.threshold == null) {
    const exact = type.accepted > 0 ? " The accepted values are those of electronic invoices, which Docket reads exactly." : "";
    return (type.shortfall ?? "No field is accepted.") + exact;
  }
  const bound = type.error_bound == null ? "" : `, of which at most ${finePercent(type.error_bound, locale)} are expected to be wrong`;
  return `Fields are accepted from a confidence of ${finePercent(type.threshold, locale)} on${bound}. This is based on ${BASES[type.basis] ?? type.basis}.`;
}

/** The highest error rate that can be accepted. */
export const MOST_ERROR = 0.5;

/** The share that a text in percent stands for (“2”, “0.5”, “1,5”); null if it is none from 0 to `most`. */
export function shareOf(text: string, most = 1): number | null {
  const cleaned = text.trim().replace(/\s*%$/, "").replace(",", ".");
  const value = /^\d+(\.\d+)?$/.test(cleaned) ? Number(cleaned) : NaN;
  // Rounded, so that 2.3 % is 0.023 and not 0.022999….
  return value >= 0 && value <= most * 100 ? Math.round(value * 1e6) / 1e8 : null;
}

/** A share as a text in percent, as `shareOf` reads it. */
export function percentText(share: number): string {
  return String(Math.round(share * 1e8) / 1e6);
}

/** The settings with another rate for a type; null takes the tenant's rate again. */
export function withTypeRate(acceptance: Acceptance, type: string, rate: number | null): Acceptance {
  const others = Object.entries(acceptance.types ?? {}).filter(([name]) => name !== type);
  const own = rate === null ? [] : [[type, { accepted_error_rate: rate }] as const];
  return { ...acceptance, types: Object.fromEntries([...others, ...own]) };
}

/** The days that the screen can show, and the beginning of the shown time. */
export const SPANS = ["30", "90", "365"] as const;

export function startOf(days: (typeof SPANS)[number], now: Date): string {
  const from = new Date(now);
  from.setDate(from.getDate() - Number(days));
  from.setHours(0, 0, 0, 0);
  return from.toISOString();
}
