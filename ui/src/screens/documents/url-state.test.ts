import { describe, expect, it } from "vitest";
import type { DocumentView } from "../../api/types.ts";
import { countBy, isFiltered, isShown, queryOf, readListState, writeListState } from "./url-state.ts";

const state = (address: string) => readListState(new URLSearchParams(address));

describe("the state of the list", () => {
  it("comes back from the address as it went in", () => {
    const params = writeListState(new URLSearchParams("other=1"), { search: "rent & co", status: "failed", type: "pdf", span: "week" });
    expect(params.get("other")).toBe("1");
    expect(readListState(params)).toEqual({ search: "rent & co", status: "failed", type: "pdf", source: null, tag: null, batch: null, span: "week" });
    expect(writeListState(params, { search: "", status: null, type: null, span: null }).toString()).toBe("other=1");
  });

  it("ignores what somebody made up", () => {
    expect(state("status=bogus&added=someday")).toEqual(state(""));
    expect(isFiltered(state("status=bogus"))).toBe(false);
    expect(isFiltered(state("q=x"))).toBe(true);
  });

  it("asks the server for every status unless one is chosen", () => {
    const now = new Date(2026, 2, 10, 15);
    expect(queryOf(state(""), now)).toEqual({ status: "all" });
    expect(queryOf(state("status=failed&q=+rent+&added=week"), now)).toEqual({
      status: "failed", search: "rent", from: new Date(2026, 2, 4).toISOString(),
    });
  });

  it("filters by type, source and tag, and drops rows that have left the status", () => {
    const row = { status: "active", source_type: "pdf", source: "manual", tags: ["tax", "2026"] } as DocumentView;
    expect(isShown(row, state("type=pdf&status=active"))).toBe(true);
    expect(isShown(row, state("type=docx"))).toBe(false);
    expect(isShown(row, state("tag=2026"))).toBe(true);
    expect(isShown(row, state("tag=20"))).toBe(false);
    expect(isShown(row, state("status=failed"))).toBe(false);
  });

  it("counts facets, the most frequent first", () => {
    const rows = ["pdf", "jpg", "pdf"].map((source_type) => ({ source_type }) as DocumentView);
    expect(countBy(rows, (row) => [row.source_type])).toEqual([["pdf", 2], ["jpg", 1]]);
  });
});
