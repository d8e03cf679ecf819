import { expect, it } from "vitest";
import { withTags } from "./TagField.tsx";

it("takes several tags at once, and none twice", () => {
  expect(withTags(["2026"], " tax, 2026 ,, house ")).toEqual(["2026", "tax", "house"]);
  expect(withTags(["2026"], "  ")).toEqual(["2026"]);
});
