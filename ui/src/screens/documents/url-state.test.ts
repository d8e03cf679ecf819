import { describe, expect, it } from "vitest";
import type { DocumentFacets, DocumentView } from "../../api/types.ts";
import { filterCount, isFiltered, isShown, passageFilters, queryOf, readListState, totalOf, writeListState } from "./url-state.ts";

const state = (address: string) => readListState(new URLSearchParams(address));

describe("the state of the list", () => {
  it("is the same after it was written to the address", () => {
    const params = writeListState(new URLSearchParams("other=1"), { search: "rent & co", status: "failed", type: "pdf", span: "week", sort: "title" });
    expect(params.get("other")).toBe("1");
    expect(readListState(params)).toEqual({ search: "rent & co", status: "failed", type: "pdf", source: null, tag: null, batch: null, span: "week", sort: "title" });
    expect(writeListState(params, { search: "", status: null, type: null, span: null, sort: null }).toString()).toBe("other=1");
  });

  it("ignores unknown values", () => {
    expect(state("status=bogus&added=someday&sort=best")).toEqual(state(""));
    expect(state("sort=newest").sort).toBeNull();
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

  it("leaves every filter to the server", () => {
    expect(queryOf(state("type=pdf&source=batch&tag=tax&batch=7"), new Date())).toEqual({
      status: "all", type: "pdf", source: "batch", tag: "tax", batch_id: "7",
    });
  });

  it("applies the filters to passages too, as far as the search has them", () => {
    const filters = (address: string) => passageFilters(queryOf(state(address), new Date(2026, 2, 10)));
    expect(filters("type=pdf&tag=tax&batch=7&added=today&sort=title")).toEqual({
      types: ["pdf"], tags: ["tax"], batch_id: "7", created_from: new Date(2026, 2, 10).toISOString(),
    });
    expect(filters("status=active")).toEqual({});
    expect(filters("status=failed")).toBeNull();
    expect(filters("source=batch")).toBeNull();
  });

  it("counts filters, but neither the search nor the order", () => {
    expect(filterCount(state("q=x&sort=title&type=pdf&tag=a"))).toBe(2);
    expect(isFiltered(state("sort=title"))).toBe(false);
  });

  it("hides rows whose status changed", () => {
    const row = { status: "active" } as DocumentView;
    expect(isShown(row, state("status=active&type=pdf"))).toBe(true);
    expect(isShown(row, state("status=failed"))).toBe(false);
  });

  it("says how many match, or at least how many", () => {
    const values = [{ value: "active", documents: 10_000, at_least: true }, { value: "failed", documents: 3, at_least: false }];
    const facets = (isComplete: boolean) => ({ status: { values, is_complete: isComplete } }) as DocumentFacets;
    expect(totalOf(facets(true), "failed")).toEqual({ amount: 3, atLeast: false });
    expect(totalOf(facets(false), "failed")).toEqual({ amount: 3, atLeast: true });
    expect(totalOf(facets(true), null)).toEqual({ amount: 10_003, atLeast: true });
    expect(totalOf(facets(true), "rejected")).toEqual({ amount: 0, atLeast: false });
  });
});
