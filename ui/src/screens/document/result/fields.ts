/** Groups the fields of a result for the screen, and finds their places on a page. Pure. */
import { boxOf, type Box, type DocumentTypeDefinition, type FieldKind, type ResultField, type ResultFields, type ResultView } from "../../../api/types.ts";
import { nameInWords } from "../../../format/fields.ts";
import type { Area } from "../highlight.ts";

/** A field with its path in the result, such as `seller.name` or `trades.0.isin`. */
export interface PlacedField {
  path: string;
  label: string;
  kind: FieldKind | undefined;
  field: ResultField;
}

export interface Section {
  /** Empty for fields without a group. */
  title: string;
  fields: PlacedField[];
}

/** The names and kinds of the fields of a document type, in its order. */
export type KnownFields = ReadonlyMap<string, FieldKind>;

export function knownFields(definition: DocumentTypeDefinition | undefined): KnownFields {
  return new Map(definition?.fields.map(({ name, kind }) => [name, kind]));
}

/** What the document type says about a field, by its path in a result. */
export function definitionOf(path: string, definition: DocumentTypeDefinition | undefined): DocumentTypeDefinition["fields"][number] | undefined {
  const name = path.replace(/^(trades|lines)\.\d+\./, "$1[].");
  return definition?.fields.find((field) => field.name === name);
}

/** Fields of one party are together: “Seller” with its name, street and city. The order is that of the document type. */
export function sectionsOf(fields: ResultFields, known: KnownFields): Section[] {
  const sections = new Map<string, PlacedField[]>();
  for (const path of inOrder(Object.keys(fields), [...known.keys()])) {
    const field = fields[path];
    if (!field) continue;
    const dot = path.indexOf(".");
    const [group, name] = dot < 0 ? ["", path] : [path.slice(0, dot), path.slice(dot + 1)];
    const section = sections.get(group) ?? [];
    section.push({ path, label: nameInWords(name), kind: known.get(path), field });
    sections.set(group, section);
  }
  return [...sections].map(([group, placed]) => ({ title: group === "" ? "" : nameInWords(group), fields: placed }));
}

function inOrder(names: readonly string[], order: readonly string[]): string[] {
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...names].sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

export interface GroupTable {
  columns: { name: string; label: string; kind: FieldKind | undefined }[];
  /** A row for each trade or line; null where it has no such field. */
  rows: (PlacedField | null)[][];
}

/** Trades or lines as a table. A column is left out if no row has a value or a field to review in it. */
export function tableOf(group: "trades" | "lines", items: readonly ResultFields[], known: KnownFields): GroupTable {
  const order = [...known.keys()].flatMap((name) => (name.startsWith(`${group}[].`) ? [name.slice(group.length + 3)] : []));
  const names = inOrder([...new Set(items.flatMap((item) => Object.keys(item)))], order);
  const isShown = (name: string) => items.some((item) => item[name]?.value != null || item[name]?.status === "needs_review");
  const columns = names.filter(isShown).map((name) => ({ name, label: nameInWords(name), kind: known.get(`${group}[].${name}`) }));
  const rows = items.map((item, index) => columns.map(({ name, label, kind }): PlacedField | null => {
    const field = item[name];
    return field ? { path: `${group}.${index}.${name}`, label, kind, field } : null;
  }));
  return { columns, rows };
}

export function isNumber(kind: FieldKind | undefined): boolean {
  return kind === "money" || kind === "quantity" || kind === "percent" || kind === "number";
}

/** Few items with many fields are easier to read with a column for each item. */
export function isUpright({ columns, rows }: GroupTable): boolean {
  return rows.length <= 3 && columns.length > 6;
}

export function areaOf(place: { page?: number | null; box?: readonly number[] | null }): Area | null {
  const box = boxOf(place.box);
  return box && place.page != null ? { page: place.page, box } : null;
}

/** The box of one or more fields on a page. */
export interface BoxMark {
  paths: string[];
  box: Box;
  needsReview: boolean;
}

/** Fields with the same box share a mark. Larger boxes come first, so that a box within another one is drawn over it. */
export function marksOnPage(result: Pick<ResultView, "fields" | "trades" | "lines">, page: number): BoxMark[] {
  const marks = new Map<string, BoxMark>();
  for (const [path, field] of allFields(result)) {
    const area = areaOf(field);
    if (area?.page !== page) continue;
    const key = area.box.map((side) => side.toFixed(1)).join(" ");
    const mark = marks.get(key) ?? { paths: [], box: area.box, needsReview: false };
    mark.paths.push(path);
    mark.needsReview ||= field.status === "needs_review";
    marks.set(key, mark);
  }
  const size = ({ box: [left, top, right, bottom] }: BoxMark) => (right - left) * (bottom - top);
  return [...marks.values()].sort((a, b) => size(b) - size(a));
}

export function allFields(result: Pick<ResultView, "fields" | "trades" | "lines">): [string, ResultField][] {
  const grouped = (["trades", "lines"] as const).flatMap((group) =>
    (result[group] ?? []).flatMap((item, index) => Object.entries(item).map(([name, field]): [string, ResultField] => [`${group}.${index}.${name}`, field])));
  return [...Object.entries(result.fields ?? {}), ...grouped];
}
