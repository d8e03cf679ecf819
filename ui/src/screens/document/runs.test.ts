import { describe, expect, it } from "vitest";
import type { RunView } from "../../api/types.ts";
import { compareRuns, figureLabels, runLength, stageSpans, reportedProgress } from "./runs.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const stage = (name: string, from: number, to: number, sha256?: string) => ({
  name, status: "succeeded", started_at: at(from), ended_at: at(to), retries: 0,
  artifacts: sha256 ? [{ name: "pages", size_bytes: 1, sha256 }] : [],
});
const run = (stats: object, ...stages: object[]) =>
  ({ stats, stages, started_at: at(0), finished_at: at(10) }) as unknown as RunView;

describe("runs", () => {
  it("are compared stage by stage and figure by figure", () => {
    const comparison = compareRuns(
      run({ words: 10, pages: 1 }, stage("ingest", 0, 1), stage("ocr", 1, 5, "aa")),
      run({ words: 12, pages: 1, tables: 1 }, stage("ocr", 0, 2, "bb"), stage("layout", 2, 3, "cc")),
    );
    expect(comparison.stages.map(({ stage: name, isSame }) => [name, isSame])).toEqual([["ingest", null], ["ocr", false], ["layout", null]]);
    expect(comparison.figures).toEqual([
      { name: "pages", before: "1", after: "1", isSame: true },
      { name: "tables", before: "–", after: "1", isSame: false },
      { name: "words", before: "10", after: "12", isSame: false },
    ]);
  });

  it("have figures in the singular and the plural", () => {
    expect(figureLabels(run({ attachments: 1, chunks: 3, docs_processed: 1 }))).toEqual(["1 attachment", "3 chunks", "1 doc processed"]);
  });

  it("are not called different when the artifacts of one of them may not be read", () => {
    const comparison = compareRuns(run({}, stage("ocr", 0, 1)), run({}, stage("ocr", 0, 1, "aa")));
    expect(comparison.stages[0]?.isSame).toBeNull();
  });

  it("report the progress of their current stage", () => {
    const reading = { ...stage("ocr", 1, 1), status: "processing", ended_at: null, progress: { done: 812, total: 3000 } };
    const running = { ...run({}, stage("ingest", 0, 1), reading), run_id: "r" };
    expect(reportedProgress(running)).toEqual({ runId: "r", stage: "ocr", done: 812, total: 3000 });
    expect(reportedProgress(run({}, stage("ingest", 0, 1)))).toBeNull();
    expect(reportedProgress(undefined)).toBeNull();
  });

  it("show when each stage started and how long it took", () => {
    const spans = stageSpans(run({}, stage("ingest", 0, 1), stage("ocr", 1, 4)));
    expect(spans.map(({ from, width }) => [from, width])).toEqual([[0, 0.25], [0.25, 0.75]]);
    expect(runLength(run({}))).toBe(10_000);
    expect(runLength({ ...run({}), finished_at: null })).toBeNull();
  });
});
