import { describe, expect, it } from "vitest";
import { marksOf, topOf } from "./time-chart.ts";

describe("marks", () => {
  it("are placed by time, with a gap where there is no data", () => {
    const at = (week: number) => new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString();
    const marks = marksOf([{ at: at(0), value: 0.5 }, { at: at(3), value: 1, low: 0.25, high: 2 }, { at: at(19), value: 0 }], "week", 1);
    expect(marks.map(({ left, width, value }) => [left, width, value])).toEqual([[0, 5, 50], [15, 5, 100], [95, 5, 0]]);
    expect([marks[1]?.low, marks[1]?.high, marks[0]?.low]).toEqual([25, 100, null]);
  });

  it("of a few days stay narrow", () => {
    expect(marksOf([{ at: "2026-01-05T00:00:00Z", value: 1 }], "day", 1)[0]?.width).toBeCloseTo(100 / 12);
  });
});

it("a scale ends at a round share", () => {
  expect([topOf([0.013]), topOf([0.021, 0.2]), topOf([0.7]), topOf([])]).toEqual([0.02, 0.2, 1, 0.02]);
});
