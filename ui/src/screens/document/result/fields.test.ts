import { describe, expect, it } from "vitest";
import type { ResultField, ResultFields } from "../../../api/types.ts";
import { allFields, areaOf, isUpright, knownFields, marksOnPage, sectionsOf, tableOf } from "./fields.ts";

const field = (value: string | null, more: Partial<ResultField> = {}): ResultField => ({
  value, raw: value, confidence: 0.9, status: value === null ? "missing" : "accepted", alternatives: [], checks: [], ...more,
});
const definition = (...names: string[]) => knownFields({ title: "A type", schema: {}, fields: names.map((name) => ({ name, kind: "text" })) });

describe("sections", () => {
  it("follow the order of the document type, with the fields of a party together", () => {
    const fields = { "buyer.name": field("B"), grand_total: field("2"), invoice_number: field("7"), "seller.name": field("S"), "seller.city": field("C") };
    const sections = sectionsOf(fields, definition("invoice_number", "seller.name", "seller.city", "buyer.name", "grand_total"));
    expect(sections.map(({ title, fields: placed }) => [title, placed.map(({ label }) => label)])).toEqual([
      ["", ["Invoice number", "Grand total"]],
      ["Seller", ["Name", "City"]],
      ["Buyer", ["Name"]],
    ]);
  });

  it("put fields that the type does not have at the end", () => {
    const sections = sectionsOf({ another: field("x"), total: field("1") }, definition("total"));
    expect(sections[0]?.fields.map(({ path }) => path)).toEqual(["total", "another"]);
  });
});

describe("a table of trades", () => {
  const trades: ResultFields[] = [{ isin: field("DE0007164600"), fees: field(null), wkn: field(null) }, { isin: field("US0378331005"), fees: field("9.90") }];
  const table = tableOf("trades", trades, definition("broker", "trades[].isin", "trades[].wkn", "trades[].fees"));

  it("has the columns in which some trade has a value", () => {
    expect(table.columns.map(({ label }) => label)).toEqual(["ISIN", "Fees"]);
  });

  it("names each cell by its path", () => {
    expect(table.rows.map((row) => row.map((cell) => cell?.path ?? null))).toEqual([["trades.0.isin", "trades.0.fees"], ["trades.1.isin", "trades.1.fees"]]);
  });

  it("is upright when few trades have many fields", () => {
    expect(isUpright(table)).toBe(false);
    expect(isUpright({ columns: Array.from({ length: 12 }, () => ({ name: "a", label: "A", kind: undefined })), rows: [[]] })).toBe(true);
  });
});

describe("boxes on a page", () => {
  const result = {
    fields: { total: field("1", { page: 1, box: [10, 10, 50, 20] }), currency: field("EUR", { page: 1, box: [10, 10, 50, 20.01], status: "needs_review" }), elsewhere: field("2", { page: 2, box: [0, 0, 1, 1] }), unplaced: field("3", { page: 1 }) },
    trades: [],
    lines: [{ name: field("Screws", { page: 1, box: [0, 0, 100, 100] }) }],
  };

  it("fields with the same box share one, and larger boxes come first", () => {
    expect(marksOnPage(result, 1)).toEqual([
      { paths: ["lines.0.name"], box: [0, 0, 100, 100], needsReview: false },
      { paths: ["total", "currency"], box: [10, 10, 50, 20], needsReview: true },
    ]);
  });

  it("are only those of the page", () => {
    expect(marksOnPage(result, 2).flatMap(({ paths }) => paths)).toEqual(["elsewhere"]);
    expect(marksOnPage(result, 3)).toEqual([]);
  });

  it("need a page and four sides", () => {
    expect(areaOf({ page: 1, box: [1, 2, 3] })).toBeNull();
    expect(areaOf({ box: [1, 2, 3, 4] })).toBeNull();
    expect(areaOf({ page: 3, box: [1, 2, 3, 4] })).toEqual({ page: 3, box: [1, 2, 3, 4] });
  });

  it("all fields have their paths", () => {
    expect(allFields(result).map(([path]) => path)).toEqual(["total", "currency", "elsewhere", "unplaced", "lines.0.name"]);
  });
});
