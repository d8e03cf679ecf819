import { describe, expect, it } from "vitest";
import type { RunView, StageView } from "../../api/types.ts";
import { isStalled } from "./StalledRuns.tsx";

const now = new Date("2026-11-17T12:00:00Z");
const run = (minutes: number, waiting_for: string | null, status = "running"): RunView =>
  ({
    status,
    updated_at: new Date(now.getTime() - minutes * 60_000).toISOString(),
    stages: [{ name: "preprocess", status: "succeeded" }, { name: "ocr", status: "pending", waiting_for }] as StageView[],
  }) as RunView;

describe("isStalled", () => {
  it("is true for a run without an update for 15 minutes", () => {
    expect(isStalled(run(16, null), now)).toBe(true);
    expect(isStalled(run(14, null), now)).toBe(false);
    expect(isStalled(run(16, null, "succeeded"), now)).toBe(false);
  });

  it("is false for a paused run", () => {
    expect(isStalled(run(600, "object_store"), now)).toBe(false);
  });
});
