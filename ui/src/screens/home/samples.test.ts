import { describe, expect, it } from "vitest";
import type { QueueView } from "../../api/types.ts";
import { linePoints, SAMPLES_KEPT, withSamples, type Sample } from "./samples.ts";

const queue = (waiting: number): QueueView => ({ stage: "ocr", paused: 0, waiting, in_flight: 1, dead: 0, finished_last_minute: 4 });

describe("samples", () => {
  it("are kept for a while only", () => {
    let all: ReadonlyMap<string, readonly Sample[]> = new Map();
    for (let at = 0; at < SAMPLES_KEPT + 5; at++) all = withSamples(all, [queue(at)]);
    expect(all.get("ocr")).toHaveLength(SAMPLES_KEPT);
    expect(all.get("ocr")?.at(-1)?.waiting).toBe(SAMPLES_KEPT + 4);
  });

  it("end at the right edge, the highest at the top", () => {
    expect(linePoints([0, 10], 22, 20)).toBe("20.0,20.0 22.0,0.0");
    expect(linePoints([0], 22, 20)).toBe("22.0,20.0");
  });
});
