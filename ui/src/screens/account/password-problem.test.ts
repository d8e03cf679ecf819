import { expect, it } from "vitest";
import { passwordProblem } from "./password-problem.ts";

it("finds passwords that differ or did not change, and leaves the rest to the server", () => {
  expect(passwordProblem("old", "new", "nwe")).toContain("don’t match");
  expect(passwordProblem("old", "old", "old")).toContain("same as the current");
  expect(passwordProblem("old", "x", "x")).toBeNull();
});
