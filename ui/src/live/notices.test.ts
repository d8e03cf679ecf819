import { describe, expect, it } from "vitest";
import { noticesOf } from "./notices.ts";

const completed = (docId: string) => ({ kind: "completed", docId, runId: "r" }) as const;
const failed = (docId: string, error: string | null) => ({ kind: "failed", docId, runId: "r", stage: "ocr", error, code: null }) as const;

describe("noticesOf", () => {
  it("names one document and counts many, each once", () => {
    expect(noticesOf([completed("a")])).toMatchObject([{ tone: "good", link: { to: "/documents/a" } }]);
    expect(noticesOf([completed("a"), completed("b"), completed("a")])).toMatchObject([{ text: "2 documents are ready." }]);
  });

  it("keeps bad news apart, with the reason", () => {
    const made = noticesOf([completed("a"), failed("b", "the file is torn")]);
    expect(made.map(({ tone }) => tone)).toEqual(["good", "bad"]);
    expect(made[1]?.text).toContain("the file is torn");
  });

  it("has nothing to say of what has not ended", () => {
    expect(noticesOf([{ kind: "started", docId: "a", runId: "r" }])).toEqual([]);
  });
});
