import { describe, expect, it } from "vitest";
import { forEachOf, selectionAfter } from "./bulk.ts";

describe("forEachOf", () => {
  it("goes through all, whatever happens to one", async () => {
    const seen: string[] = [];
    const outcome = await forEachOf(["a", "b", "c", "d", "e", "f"], async (id) => {
      await Promise.resolve();
      seen.push(id);
      if (id === "b") throw new Error("refused");
    });
    expect(seen.sort()).toEqual(["a", "b", "c", "d", "e", "f"]);
    expect(outcome).toEqual({ done: 5, failed: [{ id: "b", error: new Error("refused") }] });
  });
});

describe("selectionAfter", () => {
  const ids = ["a", "b", "c", "d"];
  const after = (selected: string[], clicked: string, before: string | null) =>
    [...selectionAfter(new Set(selected), ids, clicked, before)].sort();

  it("switches one row, and takes a range in either direction", () => {
    expect(after(["a"], "a", null)).toEqual([]);
    expect(after([], "c", null)).toEqual(["c"]);
    expect(after(["a"], "c", "a")).toEqual(["a", "b", "c"]);
    expect(after(["d"], "b", "d")).toEqual(["b", "c", "d"]);
  });
});
