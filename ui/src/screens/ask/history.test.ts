import { describe, expect, it } from "vitest";
import { readHistory, withEntry, type HistoryEntry } from "./history.ts";

const asked = (text: string, mode: HistoryEntry["mode"] = "ask"): HistoryEntry => ({ mode, text, at: "2026-01-01T00:00:00Z" });

describe("history", () => {
  it("moves a question that is asked again to the top, and forgets in the end", () => {
    const list = withEntry([asked("b"), asked("a"), asked("a", "search")], asked("a"));
    expect(list.map(({ text, mode }) => `${mode} ${text}`)).toEqual(["ask a", "ask b", "search a"]);
    const long = Array.from({ length: 60 }, (_, at) => asked(String(at)));
    expect(withEntry(long, asked("new"))).toHaveLength(50);
  });

  it("survives whatever is in the storage", () => {
    expect(readHistory(null)).toEqual([]);
    expect(readHistory("{torn")).toEqual([]);
    expect(readHistory(JSON.stringify([asked("a"), { mode: "x" }, null]))).toEqual([asked("a")]);
  });
});
