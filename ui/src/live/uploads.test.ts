import { describe, expect, it } from "vitest";
import { ApiError, Unreachable } from "../api/problem.ts";
import type { IngestResponse } from "../api/types.ts";
import { isWorthRetrying, mayHelp, followUpload, outcomeInWords, pauseAfter, uploads, type UploadItem } from "./uploads.ts";

const refusal = (status: number, retryAfter: number | null = null) =>
  new ApiError({ title: "", status, detail: "", code: "" }, retryAfter);

describe("pauseAfter", () => {
  it("waits as long as the server asks", () => {
    expect(pauseAfter(refusal(429, 3), 1)).toBe(3000);
    expect(pauseAfter(refusal(503), 3)).toBe(4000);
  });

  it("retries when the server is unreachable, up to a limit", () => {
    expect(pauseAfter(new Unreachable(null), 1)).toBe(1000);
    expect(pauseAfter(new Unreachable(null), 5)).toBeNull();
  });

  it("does not retry a permanent refusal", () => {
    expect(pauseAfter(refusal(400), 1)).toBeNull();
    expect(pauseAfter(new Error("odd"), 1)).toBeNull();
  });
});

describe("a refused file", () => {
  const refused = (code: string, status: number) => new ApiError({ title: "", status, detail: "", code });

  it("is offered for retry only when the server may accept it later", () => {
    for (const error of [new Unreachable(null), refused("", 503), refused("", 429), refused("storage_quota_exceeded", 413)]) {
      expect(mayHelp(error)).toBe(true);
    }
    for (const error of [refused("empty_file", 400), refused("unsupported_type", 415), refused("too_large", 413), refused("", 422)]) {
      expect(mayHelp(error)).toBe(false);
    }
    const item = { state: "refused", problem: { text: "The file is empty", mayHelp: false } } as UploadItem;
    expect(isWorthRetrying(item)).toBe(false);
  });
});

describe("an uploaded file that turns out to be encrypted", () => {
  it("is recognised by the code of the failure", () => {
    const sent = { id: 1, state: "accepted", outcome: { doc_id: "d", run_id: "r" } } as UploadItem;
    const failed = (code: string | null) => {
      uploads.set([sent]);
      followUpload({ kind: "failed", docId: "d", runId: "r", stage: "preprocess", error: "password", code });
      return uploads.get()[0]?.lockedBy;
    };
    expect(failed("password_required")).toBe("password_required");
    expect(failed(null)).toBeUndefined();
  });
});

describe("outcomeInWords", () => {
  it("says what deduplication decided", () => {
    const outcome = (dedup_result: IngestResponse["dedup_result"]) => outcomeInWords({ content_hash: "sha256:0", doc_id: "d", status: "queued", dedup_result });
    expect(outcome("skipped")).toContain("Already uploaded");
    expect(outcome("new_version")).toContain("New version");
  });
});
