import { describe, expect, it } from "vitest";
import { newFocus } from "../focus.ts";
import { pointAt } from "./FieldMarks.tsx";
import type { BoxMark } from "./fields.ts";

const TOTAL: BoxMark = { paths: ["total", "currency"], box: [1, 2, 3, 4], needsReview: false };

describe("the pointer on the page", () => {
  it("marks all fields of the box, once", () => {
    const focus = newFocus();
    let changes = 0;
    focus.field.subscribe(() => {
      changes += 1;
    });
    pointAt(focus, TOTAL, 2);
    pointAt(focus, TOTAL, 2);
    expect(focus.field.get()).toEqual({ paths: ["total", "currency"], area: { page: 2, box: [1, 2, 3, 4] }, from: "page" });
    expect(changes).toBe(1);
  });

  it("clears its own mark, and not that of the list", () => {
    const focus = newFocus();
    pointAt(focus, TOTAL, 2);
    pointAt(focus, null, 2);
    expect(focus.field.get()).toBeNull();
    focus.field.set({ paths: ["date"], area: null, from: "list" });
    pointAt(focus, null, 2);
    expect(focus.field.get()?.paths).toEqual(["date"]);
  });
});
