/** The editor of document types: its text, and the server's problems with their lines. Pure. */
import { ApiError } from "../../api/problem.ts";
import type { DocumentTypeDefinition, DocumentTypeSummary } from "../../api/types.ts";
import type { Tone } from "../../design/basics.tsx";
import { formatJson, JsonError, lineOfPath, linesOf } from "./json-lines.ts";

export interface Draft {
  name: string;
  title: string;
  description: string;
  /** Everything else of the definition, as JSON. */
  text: string;
}

export const NEW_DRAFT: Draft = {
  name: "",
  title: "",
  description: "",
  text: formatJson({
    phrases: { en: ["delivery note"] },
    fields: [{ name: "number", kind: "id", required: true, labels: { en: ["Delivery note no."] } }],
    schema: { type: "object", properties: { number: { type: "string" } } },
  }),
};

export function draftOf(definition: DocumentTypeDefinition): Draft {
  const { name, title, description, ...rest } = definition;
  return { name: name ?? "", title, description: description ?? "", text: formatJson(rest) };
}

export interface Problem {
  /** Where it is in the text; null when it is elsewhere. */
  line: number | null;
  message: string;
}

/** The definition to send, or what is wrong with the text. */
export function definitionOf(draft: Draft): { definition: object } | { problem: Problem } {
  try {
    linesOf(draft.text);
  } catch (error) {
    if (error instanceof JsonError) return { problem: { line: error.line, message: error.message } };
    throw error;
  }
  const rest: unknown = JSON.parse(draft.text);
  if (typeof rest !== "object" || rest === null || Array.isArray(rest)) return { problem: { line: 1, message: "The definition must be an object: { … }." } };
  return { definition: { ...rest, title: draft.title, description: draft.description } };
}

/** A place of a problem, as the server writes it: `fields[3].name: ` or `schema/properties/total: `. */
const PLACE = /(?:^|(?<=\. ))((?:name|title|description|definition|phrases|fields|constraints|schema)(?:[.[/][^\s:]*)?): /g;

/** The problems of the server's answer, each with its line in the text. */
export function problemsOf(error: unknown, text: string): Problem[] {
  if (!(error instanceof ApiError) || error.problem.status !== 400) return [];
  const { detail, field } = error.problem;
  const lines = linesIn(text);
  const places = [...detail.matchAll(PLACE)];
  if (places.length === 0) return [{ line: field === undefined ? null : lineOfPath(lines, field), message: detail }];
  return places.map((place, at) => ({
    line: lineOfPath(lines, place[1] ?? ""),
    message: detail.slice(place.index, places[at + 1]?.index).trim(),
  }));
}

function linesIn(text: string): ReturnType<typeof linesOf> {
  try {
    return linesOf(text);
  } catch {
    return new Map();
  }
}

/** From where to where a line extends in the text. */
export function rangeOfLine(text: string, line: number): [number, number] {
  const before = text.split("\n").slice(0, line - 1).join("\n");
  const from = line > 1 ? before.length + 1 : 0;
  const end = text.indexOf("\n", from);
  return [from, end < 0 ? text.length : end];
}

export function originOf(type: Pick<DocumentTypeSummary, "origin" | "replaces_built_in">): readonly [Tone, string] {
  if (type.origin === "built_in") return ["off", "Built-in"];
  return type.replaces_built_in ? ["warn", "Replaces a built-in type"] : ["good", "Own"];
}
