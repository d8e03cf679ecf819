/** Figures of runs, and the comparison of two runs. Pure. */
import type { RunView, StageView } from "../../api/types.ts";
import type { Progress } from "../../live/document-events.ts";

export interface StageComparison {
  stage: string;
  before: StageView | null;
  after: StageView | null;
  /** Whether both stages wrote the same artifacts; null when one wrote none. */
  isSame: boolean | null;
}

export interface RunComparison {
  stages: StageComparison[];
  figures: { name: string; before: string; after: string; isSame: boolean }[];
}

/** The progress of a run's current stage as the document reports it, for before the first event. */
export function reportedProgress(run: RunView | undefined): Progress | null {
  const stage = run?.stages.find((one) => one.progress != null);
  if (!run || !stage?.progress) return null;
  return { runId: run.run_id, stage: stage.name, ...stage.progress };
}

export function runLength(run: RunView): number | null {
  if (!run.started_at || !run.finished_at) return null;
  return new Date(run.finished_at).getTime() - new Date(run.started_at).getTime();
}

export function compareRuns(before: RunView, after: RunView): RunComparison {
  const names = [...new Set([...before.stages, ...after.stages].map((stage) => stage.name))];
  const stages = names.map((stage): StageComparison => {
    const [a, b] = [findStage(before, stage), findStage(after, stage)];
    return { stage, before: a, after: b, isSame: sameArtifacts(a, b) };
  });
  const [a, b] = [figuresOf(before), figuresOf(after)];
  const figures = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().map((name) => ({
    name, before: a[name] ?? "–", after: b[name] ?? "–", isSame: a[name] === b[name],
  }));
  return { stages, figures };
}

function findStage(run: RunView, name: string): StageView | null {
  return run.stages.find((stage) => stage.name === name) ?? null;
}

function sameArtifacts(a: StageView | null, b: StageView | null): boolean | null {
  if (!a || !b) return null;
  const sums = (stage: StageView) => stage.artifacts.map(({ name, sha256 }) => `${name} ${sha256}`).sort().join("\n");
  return sums(a) === "" || sums(b) === "" ? null : sums(a) === sums(b);
}

/** “1 chunk”, “3 attachments”: the names of the figures are plurals. */
export function figureLabels(run: RunView): string[] {
  return Object.entries(figuresOf(run)).map(([name, value]) => `${value} ${value === "1" ? name.replace(/\b(\w*[^s\W])s\b/, "$1") : name}`);
}

export function figuresOf(run: RunView): Record<string, string> {
  return Object.fromEntries(Object.entries(run.stats).map(([name, value]) => [name.replaceAll("_", " "), String(value)]));
}

/** Start and length of each stage as shares of the run's time. */
export function stageSpans(run: RunView): { stage: StageView; from: number; width: number }[] {
  const times = run.stages.flatMap((stage) => [stage.started_at, stage.ended_at]).flatMap((at) => (at ? [new Date(at).getTime()] : []));
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const total = Math.max(1, end - start);
  return run.stages.map((stage) => {
    if (!stage.started_at) return { stage, from: 0, width: 0 };
    const began = new Date(stage.started_at).getTime();
    const ended = stage.ended_at ? new Date(stage.ended_at).getTime() : end;
    return { stage, from: (began - start) / total, width: Math.max(0, ended - began) / total };
  });
}
