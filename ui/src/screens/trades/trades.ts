/** The filters of the list of trades, which are in the address, and the cells of its rows. Pure. */
import type { Trade, TradesQuery } from "../../api/types.ts";
import type { Tone } from "../../design/basics.tsx";
import { valueInWords } from "../../format/fields.ts";
import { writeAreas } from "../document/highlight.ts";
import { areaOf } from "../document/result/fields.ts";

export const MATCH_STATUSES: Record<Trade["match_status"], readonly [Tone, string]> = {
  pending: ["off", "Not compared yet"],
  matched: ["good", "Matched"],
  ambiguous: ["warn", "Several candidates"],
  unmatched: ["bad", "No match"],
};

export const REVIEW_STATUSES: Record<Trade["review_status"], readonly [Tone, string]> = {
  pending: ["off", "Not reviewed"],
  approved: ["good", "Approved"],
  rejected: ["bad", "Rejected"],
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The filters as the server expects them. What the server would refuse is left out. */
export function tradesQuery(params: URLSearchParams): TradesQuery {
  const text = (name: string) => params.get(name)?.trim() || undefined;
  const date = (name: string) => (DATE.test(text(name) ?? "") ? text(name) : undefined);
  const one = <T extends string>(name: string, known: Record<T, unknown>) => (Object.keys(known) as T[]).find((value) => value === params.get(name));
  return {
    isin: text("isin"),
    date_from: date("date_from"),
    date_to: date("date_to"),
    match_status: one("match_status", MATCH_STATUSES),
    review_status: one("review_status", REVIEW_STATUSES),
  };
}

/** The document of a trade, at the page of its ISIN (or of another field with a place), with the field highlighted. */
export function addressOfTrade(trade: Pick<Trade, "document_id" | "position" | "raw_extracted_data">): string {
  const fields = Object.entries(trade.raw_extracted_data);
  const placed = fields.filter(([, field]) => areaOf(field) !== null);
  const [name, field] = placed.find(([key]) => key === "isin") ?? placed[0] ?? fields[0] ?? [];
  const params = new URLSearchParams({ tab: "fields" });
  const area = field ? areaOf(field) : null;
  if (area) {
    params.set("page", String(area.page));
    params.set("at", writeAreas([area]));
  }
  if (name !== undefined) params.set("field", `trades.${trade.position}.${name}`);
  return `/documents/${trade.document_id}?${params.toString()}`;
}

/** “1,250.00 EUR”; null without an amount. */
export function amountOf(trade: Pick<Trade, "raw_extracted_data">, name: string, currencyName: string, locale?: string): string | null {
  const value = trade.raw_extracted_data[name]?.value;
  const currency = trade.raw_extracted_data[currencyName]?.value;
  return value == null ? null : [valueInWords(value, "money", locale), currency].filter(Boolean).join(" ");
}
