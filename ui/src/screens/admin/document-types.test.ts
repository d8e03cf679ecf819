import { describe, expect, it } from "vitest";
import { ApiError } from "../../api/problem.ts";
import { definitionOf, draftOf, NEW_DRAFT, originOf, problemsOf, rangeOfLine } from "./document-types.ts";
import { formatJson, lineOfPath, linesOf } from "./json-lines.ts";

const TEXT = `{
  "fields": [
    {"name": "number", "kind": "id"},
    {
      "name": "total",
      "patterns": [
        "[0-9]+",
        "("
      ]
    }
  ],
  "schema": {
    "properties": {"total": {"type": "number"}}
  }
}`;

const refusal = (detail: string, field?: string) => new ApiError({ title: "Bad request", status: 400, code: "invalid_document_type", detail, field });

describe("lines of a JSON text", () => {
  it("are found by the paths of the server", () => {
    const lines = linesOf(TEXT);
    expect(lineOfPath(lines, "fields[1].patterns[1]")).toBe(8);
    expect(lineOfPath(lines, "fields[1].labels.de")).toBe(4);
    expect(lineOfPath(lines, "schema/properties/total")).toBe(13);
    expect(lineOfPath(lines, "constraints")).toBeNull();
  });

  it("of an error are where it is", () => {
    const lineOfError = (text: string) => {
      const made = definitionOf({ ...NEW_DRAFT, text });
      return "problem" in made ? made.problem.line : null;
    };
    expect(lineOfError('{\n  "fields": [1,\n  ]\n}')).toBe(3);
    expect(lineOfError('{\n  "fields" 1\n}')).toBe(2);
    expect(lineOfError('{\n  fields: 1\n}')).toBe(2);
    expect(lineOfError('{"a": 1}\n\n}')).toBe(3);
    expect(lineOfError('{\n"a": "\\x"}')).toBe(2);
    expect(lineOfError("")).toBe(1);
    expect(lineOfError("[1]")).toBe(1);
    expect(lineOfError(TEXT)).toBeNull();
  });

  it("can be selected", () => {
    const [from, to] = rangeOfLine(TEXT, 8);
    expect(TEXT.slice(from, to).trim()).toBe('"("');
    expect(rangeOfLine("one", 1)).toEqual([0, 3]);
  });
});

describe("problems of the server", () => {
  it("each have their line", () => {
    const error = refusal("title: must have 1 to 200 characters. fields[1].patterns[1]: the group is not closed. Remove it. schema/properties/total: must be a text.", "title");
    expect(problemsOf(error, TEXT)).toEqual([
      { line: null, message: "title: must have 1 to 200 characters." },
      { line: 8, message: "fields[1].patterns[1]: the group is not closed. Remove it." },
      { line: 13, message: "schema/properties/total: must be a text." },
    ]);
  });

  it("may be one sentence about a field", () => {
    expect(problemsOf(refusal("fields[0].kind must be one of money, date.", "fields[0].kind"), TEXT)).toEqual([{ line: 3, message: "fields[0].kind must be one of money, date." }]);
  });

  it("are only those of the definition", () => {
    expect(problemsOf(new Error("The network failed."), TEXT)).toEqual([]);
  });
});

it("a definition survives the editor", () => {
  const definition = { name: "a", title: "A", description: "B", fields: [], schema: { type: "object" }, phrases: { en: ["x"] } };
  const { title, description, fields, schema, phrases } = definition;
  expect(definitionOf(draftOf(definition))).toEqual({ definition: { title, description, fields, schema, phrases } });
  expect(definitionOf(NEW_DRAFT)).toHaveProperty("definition.fields");
});

it("types are built-in, own, or replace a built-in one", () => {
  expect(originOf({ origin: "built_in", replaces_built_in: false })[1]).toBe("Built-in");
  expect(originOf({ origin: "own", replaces_built_in: false })[1]).toBe("Own");
  expect(originOf({ origin: "own", replaces_built_in: true })[1]).toBe("Replaces a built-in type");
});

describe("a definition as text", () => {
  const definition = {
    phrases: { en: Array.from({ length: 30 }, (_, at) => `phrase number ${at}`) },
    fields: Array.from({ length: 8 }, (_, at) => ({ name: `field_${at}`, kind: "id", required: true, labels: { en: ["a \"label\""] } })),
    schema: true,
    empty: {},
  };
  const text = formatJson(definition);

  it("has a line for each short object, and many words on a line", () => {
    expect(text).toContain('\n    {"name": "field_0", "kind": "id", "required": true, "labels": {"en": ["a \\"label\\""]}},\n');
    expect(text.split("\n").length).toBeLessThan(26);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(112);
  });

  it("is the same definition", () => {
    expect(JSON.parse(text)).toEqual(definition);
    expect(formatJson({ a: 1 })).toBe('{"a": 1}');
  });
});
