/** Checks as sums with the names and values of their fields, and why a field needs review. Pure. */
import type { DocumentTypeDefinition, FieldKind, ResultCheck, ResultField, ResultFields, ResultView } from "../../../api/types.ts";
import { nameInWords, pathInWords, valueInWords } from "../../../format/fields.ts";
import { difference } from "../../../format/decimals.ts";

type Constraint = NonNullable<DocumentTypeDefinition["constraints"]>[number];
type FieldDefinition = DocumentTypeDefinition["fields"][number];
type Checked = Pick<ResultView, "fields" | "trades" | "lines">;

export interface Term {
  /** What connects it with the term before it: “+”, “−”, “×”, “=”, “is after”; empty for the first one. */
  sign: string;
  /** “Gross amount”; empty for one of many lines. */
  label: string;
  value: string;
}

export interface ExplainedCheck {
  title: string;
  /** The check as a sum. Empty when `text` says it. */
  terms: Term[];
  /** “off by 10.00”, or the check in the words of the server. */
  text: string;
  /** The fields that it uses. */
  paths: string[];
}

/** Of many lines, the first are enough to recognise a sum. */
const MOST_TERMS = 6;
const E_INVOICE = "e_invoice.";

/** “Trade 2, Net of buy”; “Grand total, compared with the electronic invoice”. */
export function checkTitle(name: string): string {
  return name.startsWith(E_INVOICE) ? `${nameInWords(name.slice(E_INVOICE.length))}, compared with the electronic invoice` : pathInWords(name);
}

/** A check with the constraint of the document type that it follows. Checks without one stay as the server wrote them. */
export function explain(check: ResultCheck, result: Checked, definition: DocumentTypeDefinition | undefined, locale?: string): ExplainedCheck {
  const [, , index, ownName] = /^(trades|lines)\.(\d+)\.(.+)$/.exec(check.name) ?? [];
  const name = ownName ?? check.name;
  const constraint = definition?.constraints?.find((known) => known.name === name);
  const at = Number(index ?? 0);
  const paths = usedPaths(check, result);
  const title = checkTitle(check.name);
  const plain = { title, terms: [], text: detailInWords(check.detail, locale), paths };
  if (check.passed == null) return { ...plain, text: missingInWords(check, constraint, result, at) ?? plain.text };
  const terms = constraint && definition ? termsOf(constraint, check.passed, result, definition, at, locale) : null;
  return constraint && terms ? { title, terms, text: check.passed ? "" : gapOf(constraint, result, at, locale), paths } : plain;
}

function usedPaths(check: ResultCheck, result: Checked): string[] {
  const of = (fields: ResultFields, prefix: string) => Object.entries(fields).flatMap(([name, field]) => (field.checks.includes(check.name) ? [prefix + name] : []));
  const ofItems = (group: "trades" | "lines") => (result[group] ?? []).flatMap((item, index) => of(item, `${group}.${index}.`));
  return [...of(result.fields ?? {}, ""), ...ofItems("trades"), ...ofItems("lines")];
}

const SHORT = /^(?:trades|lines)\[\]\./;
const shortName = (name: string) => name.replace(SHORT, "");

/** The field of a constraint: in the document, or in the trade or line that is checked. */
function fieldOf(name: string, result: Checked, at: number): ResultField | undefined {
  const group = name.startsWith("trades[].") ? result.trades : name.startsWith("lines[].") ? result.lines : null;
  return (group === null ? result.fields : group?.[at])?.[shortName(name)];
}

function termsOf(constraint: Constraint, passed: boolean, result: Checked, definition: DocumentTypeDefinition, at: number, locale?: string): Term[] | null {
  const kinds = new Map(definition.fields.map(({ name, kind }) => [name, kind]));
  const term = (name: string, sign: string): Term | null => {
    const value = fieldOf(name, result, at)?.value;
    return value == null ? null : { sign, label: nameInWords(shortName(name)), value: valueInWords(value, kinds.get(name), locale) };
  };
  const equals = passed ? "=" : "≠";
  switch (constraint.rule) {
    case "sum": {
      const terms = [...constraint.add.map((name) => term(name, "+")), ...(constraint.subtract ?? []).map((name) => term(name, "−"))].filter((one) => one !== null);
      return complete(terms, term(constraint.total, equals));
    }
    case "product":
      return complete(constraint.factors.map((name) => term(name, "×")).filter((one) => one !== null), term(constraint.product, equals));
    case "date_order":
      return complete([term(constraint.earlier, "")].filter((one) => one !== null), term(constraint.later, passed ? "is not after" : "is after"));
    case "line_sum":
      return complete(lineTerms(constraint.field, kinds.get(constraint.field), result, locale), term(constraint.total, equals));
  }
}

function complete(terms: readonly Term[], last: Term | null): Term[] | null {
  if (terms.length === 0 || !last) return null;
  return [...terms.map((term, at) => (at === 0 && term.sign !== "−" ? { ...term, sign: "" } : term)), last];
}

function lineTerms(field: string, kind: FieldKind | undefined, result: Checked, locale?: string): Term[] {
  const items = (field.startsWith("trades[].") ? result.trades : result.lines) ?? [];
  const values = items.flatMap((item) => item[shortName(field)]?.value ?? []);
  const shown = values.length > MOST_TERMS ? values.slice(0, MOST_TERMS - 1) : values;
  const terms = shown.map((value): Term => ({ sign: "+", label: "", value: valueInWords(value, kind, locale) }));
  const rest = values.length - shown.length;
  return rest === 0 ? terms : [...terms, { sign: "+", label: "", value: `${rest} more` }];
}

/** By how much a sum is wrong: “off by 10.00”. */
function gapOf(constraint: Constraint, result: Checked, at: number, locale?: string): string {
  const value = (name: string) => fieldOf(name, result, at)?.value ?? null;
  let [added, subtracted, total]: [string[], string[], string | null] = [[], [], null];
  if (constraint.rule === "sum") {
    added = constraint.add.flatMap((name) => value(name) ?? []);
    subtracted = (constraint.subtract ?? []).flatMap((name) => value(name) ?? []);
    total = value(constraint.total);
  } else if (constraint.rule === "line_sum") {
    const items = (constraint.field.startsWith("trades[].") ? result.trades : result.lines) ?? [];
    added = items.flatMap((item) => item[shortName(constraint.field)]?.value ?? []);
    total = value(constraint.total);
  }
  const gap = total === null ? null : difference(total, added, subtracted);
  return gap === null ? "" : `off by ${valueInWords(gap, "money", locale)}`;
}

/** Which value a check lacks. */
function missingInWords(check: ResultCheck, constraint: Constraint | undefined, result: Checked, at: number): string | null {
  if (constraint?.rule === "line_sum") {
    const isTotalMissing = fieldOf(constraint.total, result, at)?.value == null;
    return `${isTotalMissing ? nameInWords(constraint.total) : `${nameInWords(shortName(constraint.field))} of a line`} is missing.`;
  }
  const names = /^missing: (.+)$/.exec(check.detail)?.[1]?.split(", ").map(shortName);
  if (!names) return null;
  const words = names.map((name, place) => (place === 0 ? nameInWords(name) : nameInWords(name).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())));
  return `${words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""} are` : `${words[0] ?? ""} is`} missing.`;
}

/** The numbers of a plain sum in the browser's locale. Anything else stays as it is. */
function detailInWords(detail: string, locale?: string): string {
  if (!/^-?\d+(\.\d+)?( [+−×] \d+(\.\d+)?)*( \+ …)? [=≠] -?\d+(\.\d+)?$/.test(detail)) return detail;
  return detail.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => valueInWords(number, "money", locale));
}

/** Failed checks first, then those that passed, then those without all their values. */
export function byOutcome<T extends Pick<ResultCheck, "passed">>(checks: readonly T[]): { failed: T[]; passed: T[]; unchecked: T[] } {
  return {
    failed: checks.filter(({ passed }) => passed === false),
    passed: checks.filter(({ passed }) => passed === true),
    unchecked: checks.filter(({ passed }) => passed == null),
  };
}

const LOW_CONFIDENCE = "The confidence is too low for the accepted error rate.";
const NOT_DESCRIBED = "The document type does not describe this field.";

/** Whether a reason is one that many fields of a result share. It is then shown only with the details of a field. */
export function isCommon(reason: string): boolean {
  return reason === LOW_CONFIDENCE || reason === NOT_DESCRIBED;
}

/** Why a field needs review, as a short sentence; null when it does not. */
export function whyReview(field: ResultField, checks: readonly ResultCheck[], known: Pick<FieldDefinition, "must_review"> | undefined, hasDefinition: boolean): string | null {
  if (field.status !== "needs_review") return null;
  if (field.value == null) return "The document type requires a value.";
  const failed = field.checks.filter((name) => checks.some((check) => check.name === name && check.passed === false));
  if (failed.length > 0) return `${failed.length === 1 ? "Failed check" : "Failed checks"}: ${failed.map(checkTitle).join("; ")}.`;
  if (known?.must_review) return "The document type always sends it to review.";
  if (!known && hasDefinition) return NOT_DESCRIBED;
  return LOW_CONFIDENCE;
}
