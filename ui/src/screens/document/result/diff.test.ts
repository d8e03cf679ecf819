import { describe, expect, it } from "vitest";
import type { ResultDiff, ResultEntry } from "../../../api/types.ts";
import { diffRows, firstComparison } from "./diff.ts";

const entry = (document_type: string) => ({ document_type }) as ResultEntry;
const compared = (value: string, status: "accepted" | "corrected" = "accepted") => ({ value, status, confidence: 0.9 });

describe("the rows of a comparison", () => {
  const diff: ResultDiff = {
    before: entry("receipt"),
    after: entry("invoice"),
    changes: [
      { path: "grand_total", change: "changed", before: compared("10.50"), after: compared("11.50", "corrected") },
      { path: "trades.0.isin", change: "added", before: null, after: compared("DE0007164600") },
      { path: "seller.name", change: "removed", before: compared("Acme"), after: null },
    ],
    unchanged: 4,
  };

  it("have the values of both sides, with words for what happened", () => {
    const rows = diffRows(diff, new Map());
    expect(rows.map(({ label, before, after, change }) => [label, before?.value ?? null, after?.value ?? null, change[1]])).toEqual([
      ["Document type", "Receipt", "Invoice", "Changed"],
      ["Grand total", "10.50", "11.50", "Changed"],
      ["Trade 1, ISIN", null, "DE0007164600", "Added"],
      ["Seller name", "Acme", null, "Removed"],
    ]);
    expect(rows[1]?.after?.status).toBe("Corrected");
  });

  it("leave out the type when it is the same", () => {
    expect(diffRows({ ...diff, before: entry("invoice") }, new Map())).toHaveLength(3);
  });
});

describe("the first comparison", () => {
  const version = (result_version: number, state: string) => ({ result_version, state });

  it("is with the version that waits for promotion", () => {
    expect(firstComparison([version(4, "waiting"), version(3, "current"), version(2, "superseded")])).toEqual({ before: 3, after: 4 });
  });

  it("is of the latest two versions otherwise", () => {
    expect(firstComparison([version(3, "current"), version(2, "superseded"), version(1, "superseded")])).toEqual({ before: 2, after: 3 });
  });

  it("needs two versions", () => {
    expect(firstComparison([version(1, "current")])).toBeNull();
    expect(firstComparison([])).toBeNull();
  });
});
