/** Fields of results in words: their names, values, statuses and sources. Pure. */
import type { FieldKind, FieldSource, FieldStatus } from "../api/types.ts";
import type { Tone } from "../design/basics.tsx";
import { day } from "./time.ts";

const CAPITALS = new Set(["isin", "wkn", "iban", "bic", "id", "vat", "xml"]);

/** “vat_id” → “VAT ID”, “net_amount” → “Net amount”. */
export function nameInWords(name: string): string {
  const words = name.replaceAll(/[._]+/g, " ").trim().split(" ").map((word) => (CAPITALS.has(word) ? word.toUpperCase() : word)).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const GROUPS: Record<string, string> = { trades: "Trade", lines: "Line" };

/** “seller.vat_id” → “Seller VAT ID”, “trades.0.isin” → “Trade 1, ISIN”, “lines[].quantity” → “Line, Quantity”. */
export function pathInWords(path: string): string {
  const [, group, index, name] = /^(trades|lines)(?:\.(\d+)|\[\])\.(.+)$/.exec(path) ?? [];
  if (group === undefined || name === undefined) return nameInWords(path);
  return `${GROUPS[group] ?? group}${index === undefined ? "" : ` ${Number(index) + 1}`}, ${nameInWords(name)}`;
}

export const FIELD_STATUSES: Record<FieldStatus, readonly [Tone, string]> = {
  accepted: ["good", "Accepted"],
  needs_review: ["warn", "Needs review"],
  missing: ["off", "Missing"],
  confirmed: ["good", "Confirmed"],
  corrected: ["busy", "Corrected"],
};

export const FIELD_SOURCES: Record<FieldSource, string> = {
  page: "Text of the page",
  ocr_alternative: "Second OCR reading",
  e_invoice: "Electronic invoice (XML)",
  layout_memory: "Text of the page, as on confirmed documents",
  language_model: "Text of the page, chosen by a language model",
  derived: "Follows from other fields",
  reviewer: "Entered by a reviewer",
};

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const NUMBERS: readonly FieldKind[] = ["money", "quantity", "number"];

/** A normalised value in the browser's locale, with all its digits. Values of other kinds stay as they are. */
export function valueInWords(value: string, kind: FieldKind | undefined, locale?: string): string {
  if (kind !== undefined && NUMBERS.includes(kind) && DECIMAL.test(value)) return decimal(value, locale);
  if (kind === "percent" && DECIMAL.test(value)) return `${decimal(value, locale)} %`;
  if ((kind === "date" || kind === undefined) && DATE.test(value)) return day(value, locale);
  if (kind === "choice") return nameInWords(value);
  return value;
}

/** Keeps the digits of the fraction: 12.50 does not become 12.5, and no digit is rounded away. */
export function decimal(value: string, locale?: string): string {
  const [whole = "0", fraction] = value.replace("-", "").split(".");
  const parts = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 }).formatToParts(-1.5);
  const sign = value.startsWith("-") ? (parts.find(({ type }) => type === "minusSign")?.value ?? "-") : "";
  const point = parts.find(({ type }) => type === "decimal")?.value ?? ".";
  return `${sign}${new Intl.NumberFormat(locale).format(BigInt(whole))}${fraction === undefined ? "" : `${point}${fraction}`}`;
}
