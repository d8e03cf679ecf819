import { describe, expect, it } from "vitest";
import type { RunView, StageView } from "../../api/types.ts";
import { isStale } from "./StaleRuns.tsx";

const now = new Date("2026-11-17T12:00:00Z");
const run = (minutes: number, waiting_for: string | null, status = "running"): RunView =>
  ({
    status,
    updated_at: new Date(now.getTime() - minutes * 60_000).toISOString(),
    stages: [{ name: "preprocess", status: "succeeded" }, { name: "ocr", status: "pending", waiting_for }] as StageView[],
  }) as RunView;

describe("isStale", () => {
  it("is a run under way without a sign of life for 15 minutes", () => {
    expect(isStale(run(16, null), now)).toBe(true);
    expect(isStale(run(14, null), now)).toBe(false);
    expect(isStale(run(16, null, "succeeded"), now)).toBe(false);
  });

  it("is no run that is paused", () => {
    expect(isStale(run(600, "object_store"), now)).toBe(false);
  });
});
