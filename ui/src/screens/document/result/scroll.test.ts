import { expect, it } from "vitest";
import { scrollNeeded } from "./scroll.ts";

it("a box is scrolled into the view by as little as needed", () => {
  expect(scrollNeeded([100, 120], [0, 500])).toBe(0);
  expect(scrollNeeded([-30, -10], [0, 500])).toBe(-54);
  expect(scrollNeeded([490, 510], [0, 500])).toBe(34);
  expect(scrollNeeded([200, 900], [0, 500])).toBe(176);
});
