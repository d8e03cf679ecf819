import { describe, expect, it } from "vitest";
import { ApiError, Unreachable } from "../api/problem.ts";
import { outcomeInWords, pauseAfter } from "./uploads.ts";

const refusal = (status: number, retryAfter: number | null = null) =>
  new ApiError({ title: "", status, detail: "", code: "" }, retryAfter);

describe("pauseAfter", () => {
  it("waits as long as the server asks", () => {
    expect(pauseAfter(refusal(429, 3), 1)).toBe(3000);
    expect(pauseAfter(refusal(503), 3)).toBe(4000);
  });

  it("tries again when the server is away, and gives up in the end", () => {
    expect(pauseAfter(new Unreachable(null), 1)).toBe(1000);
    expect(pauseAfter(new Unreachable(null), 5)).toBeNull();
  });

  it("does not repeat what was refused for good", () => {
    expect(pauseAfter(refusal(400), 1)).toBeNull();
    expect(pauseAfter(new Error("odd"), 1)).toBeNull();
  });
});

describe("outcomeInWords", () => {
  it("says what deduplication decided", () => {
    const outcome = (dedup_result: string) => outcomeInWords({ content_hash: "sha256:0", doc_id: "d", status: "queued", dedup_result });
    expect(outcome("skipped")).toContain("Already here");
    expect(outcome("new_version")).toContain("New version");
  });
});
