import { describe, expect, it } from "vitest";
import { bytes, counted, percent } from "./numbers.ts";
import { duration, relativeTime, startOfDay } from "./time.ts";

const now = new Date("2026-03-10T12:00:00Z");
const before = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now, "en");

describe("relativeTime", () => {
  it("speaks of the largest unit that fits", () => {
    expect(before(2)).toBe("now");
    expect(before(40)).toBe("40 seconds ago");
    expect(before(59.8)).toBe("1 minute ago");
    expect(before(3 * 3600)).toBe("3 hours ago");
    expect(before(86_400)).toBe("yesterday");
    expect(before(400 * 86_400)).toBe("last year");
  });

  it("knows the future", () => {
    expect(relativeTime(new Date(now.getTime() + 120_000), now, "en")).toBe("in 2 minutes");
  });
});

describe("duration", () => {
  it("has the precision that its size calls for", () => {
    expect(duration(21, "en")).toBe("21 ms");
    expect(duration(6872, "en")).toBe("6.9 s");
    expect(duration(125_000, "en")).toBe("2 min 5 s");
    expect(duration(3_599_700, "en")).toBe("1 h 0 min");
  });
});

describe("numbers", () => {
  it("counts bytes in the units of the standard", () => {
    expect(bytes(1, "en")).toBe("1 byte");
    expect(bytes(999, "en")).toBe("999 bytes");
    expect(bytes(1500, "en")).toBe("1.5 kB");
    expect(bytes(141_324, "en")).toBe("141 kB");
  });

  it("uses the one or the many", () => {
    expect(counted(1, "document", undefined, "en")).toBe("1 document");
    expect(counted(1200, "file", undefined, "en")).toBe("1,200 files");
    expect(percent(0.746, "en")).toBe("75%");
  });

  it("begins a day at midnight here", () => {
    expect(startOfDay(new Date(2026, 4, 6, 17, 30)).getTime()).toBe(new Date(2026, 4, 6).getTime());
  });
});
