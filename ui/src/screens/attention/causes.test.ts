import { describe, expect, it } from "vitest";
import type { JobView } from "../../api/types.ts";
import { causeOf, discardBatches, groupByCause, requeuePlan } from "./causes.ts";

let made = 0;
const job = (error: string | null, stage = "preprocess", error_class = "permanent"): JobView =>
  ({ job_id: `job-${++made}`, error, stage, error_class, guidance: "Split it." }) as JobView;

describe("causeOf", () => {
  it("replaces what differs from file to file", () => {
    expect(causeOf("a picture of 20000 × 20000 pixels")).toBe(causeOf("a picture of 1,200 × 9 pixels"));
    expect(causeOf("“a.pdf” is torn")).toBe(causeOf("“other.pdf” is torn"));
    expect(causeOf("no blob 01a1e24d-5b28-76f0-85c5-2e886b55b195")).toBe("no blob …");
    expect(causeOf(null)).toBe("no error was recorded");
  });
});

describe("groupByCause", () => {
  it("sorts by size and separates stages and error classes", () => {
    const groups = groupByCause([
      job("page 7 is torn", "ocr"),
      job("more than 512 elements"),
      job("more than 90 elements"),
      job("more than 90 elements", "preprocess", "poison"),
    ]);
    expect(groups.map((group) => [group.cause, group.jobs.length])).toEqual([
      ["more than … elements", 2],
      ["page 7 is torn", 1],
      ["more than 90 elements", 1],
    ]);
  });
});

describe("encrypted files", () => {
  it("form a group of their own by their code", () => {
    const locked = { ...job("it cannot be opened"), error_code: "password_required" };
    const groups = groupByCause([locked, job("it cannot be opened")]);
    expect(groups.map((group) => group.errorCode)).toEqual(["password_required", null]);
  });
});

describe("discardBatches", () => {
  it("lists every job once, with at most as many per request as the server accepts", () => {
    const jobs = Array.from({ length: 1500 }, () => job("torn"));
    const batches = discardBatches(jobs);
    expect(batches.map((ids) => ids.length)).toEqual([1000, 500]);
    expect(new Set(batches.flat()).size).toBe(1500);
    expect(discardBatches([])).toEqual([]);
  });
});

describe("requeuePlan", () => {
  it("uses a filter so that the server finds the other jobs of the cause", () => {
    const jobs = [job("the file asks for too much: 7 pages"), job("the file asks for too much: 9 pages"), job("the database was unreachable")];
    const [group] = groupByCause(jobs);
    expect(group && requeuePlan(group, jobs)).toEqual({
      kind: "filter",
      request: { stage: "preprocess", error_class: "permanent", error_contains: "the file asks for too much:" },
    });
  });

  it("lists jobs one by one when a filter would match others or is too short", () => {
    const wide = [job("the file asks for too much: 7 pages"), job("the file asks for too much: 3 words")];
    const [first] = groupByCause(wide);
    expect(first && requeuePlan(first, wide).kind).toBe("one-by-one");
    const short = [job("torn 1")];
    const [only] = groupByCause(short);
    expect(only && requeuePlan(only, short)).toEqual({ kind: "one-by-one", jobIds: [short[0]?.job_id] });
  });
});
