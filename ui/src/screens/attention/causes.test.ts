import { describe, expect, it } from "vitest";
import type { JobView } from "../../api/types.ts";
import { causeOf, discardPortions, groupByCause, requeuePlan } from "./causes.ts";

let made = 0;
const job = (error: string | null, stage = "preprocess", error_class = "permanent"): JobView =>
  ({ job_id: `job-${++made}`, error, stage, error_class, guidance: "Split it." }) as JobView;

describe("causeOf", () => {
  it("leaves out what differs from file to file", () => {
    expect(causeOf("a picture of 20000 × 20000 pixels")).toBe(causeOf("a picture of 1,200 × 9 pixels"));
    expect(causeOf("“a.pdf” is torn")).toBe(causeOf("“other.pdf” is torn"));
    expect(causeOf("no blob 01a1e24d-5b28-76f0-85c5-2e886b55b195")).toBe("no blob …");
    expect(causeOf(null)).toBe("no reason was recorded");
  });
});

describe("groupByCause", () => {
  it("puts the largest first and keeps stages and classes apart", () => {
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
  it("are a group of their own by their code", () => {
    const locked = { ...job("it cannot be opened"), error_code: "password_required" };
    const groups = groupByCause([locked, job("it cannot be opened")]);
    expect(groups.map((group) => group.errorCode)).toEqual(["password_required", null]);
  });
});

describe("discardPortions", () => {
  it("names every job once, as many at a time as the server takes", () => {
    const jobs = Array.from({ length: 1500 }, () => job("torn"));
    const portions = discardPortions(jobs);
    expect(portions.map((ids) => ids.length)).toEqual([1000, 500]);
    expect(new Set(portions.flat()).size).toBe(1500);
    expect(discardPortions([])).toEqual([]);
  });
});

describe("requeuePlan", () => {
  it("lets the server find the rest of the cause", () => {
    const jobs = [job("the file asks for too much: 7 pages"), job("the file asks for too much: 9 pages"), job("the database was away")];
    const [group] = groupByCause(jobs);
    expect(group && requeuePlan(group, jobs)).toEqual({
      kind: "filter",
      request: { stage: "preprocess", error_class: "permanent", error_contains: "the file asks for too much:" },
    });
  });

  it("goes one by one when a filter would hit others or says too little", () => {
    const wide = [job("the file asks for too much: 7 pages"), job("the file asks for too much: 3 words")];
    const [first] = groupByCause(wide);
    expect(first && requeuePlan(first, wide).kind).toBe("one-by-one");
    const short = [job("torn 1")];
    const [only] = groupByCause(short);
    expect(only && requeuePlan(only, short)).toEqual({ kind: "one-by-one", jobIds: [short[0]?.job_id] });
  });
});
