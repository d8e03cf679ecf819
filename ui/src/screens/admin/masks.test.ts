import { describe, expect, it } from "vitest";
import { asSent, boxBetween, maskProblem, kindsToChoose, movedBox, maskLabel } from "./masks.ts";

describe("a mask that is drawn", () => {
  it("is the same from every corner, and ends at the page's edges", () => {
    expect(boxBetween({ x: 0.8, y: 0.9 }, { x: 0.2, y: 0.1 })).toEqual([0.2, 0.1, 0.8, 0.9]);
    expect(boxBetween({ x: -1, y: 0.5 }, { x: 0.25, y: 7 })).toEqual([0, 0.5, 0.25, 1]);
  });

  it("is ignored when the pointer hardly moved", () => {
    expect(boxBetween({ x: 0.5, y: 0.5 }, { x: 0.503, y: 0.9 })).toBeNull();
  });

  it("keeps its size when it is moved against an edge", () => {
    expect(movedBox([0.5, 0.5, 0.75, 1], { x: 0.5, y: 0.25 })).toEqual([0.75, 0.5, 1, 1]);
    expect(movedBox([0.5, 0.5, 0.75, 1], { x: -2, y: -0.25 })).toEqual([0, 0.25, 0.25, 0.75]);
  });
});

describe("a mask", () => {
  it("says why the server would refuse it", () => {
    expect(maskProblem({ box: [0, 0.9, 1, 1] })).toBeNull();
    expect(maskProblem({ box: [0, 0, 100, 20] })).toContain("percent");
    expect(maskProblem({ box: [0.5, 0, 0.5, 1] })).toContain("Left");
    expect(maskProblem({ box: [0, 0, 1, 1], page: 0 })).toContain("1 or more");
  });

  it("says which pages and files it applies to", () => {
    expect(maskLabel({ box: [] })).toBe("Every page of all files");
    expect(maskLabel({ box: [], page: 2, kinds: ["pdf"], file_name_contains: "payslip" })).toBe("Page 2 of pdf files with “payslip” in their name");
  });

  it("keeps file types that are not offered by default", () => {
    expect(kindsToChoose({ box: [], kinds: ["pptx", "pdf"] })).toEqual(["pdf", "png", "jpg", "tiff", "pptx"]);
  });

  it("is sent without empty fields", () => {
    const masks = [{ box: [0, 0, 1, 0.1], page: null, kinds: [], file_name_contains: " " }];
    expect(asSent({ masks })).toEqual({ masks: [{ box: [0, 0, 1, 0.1] }], pipeline: [] });
  });
});
