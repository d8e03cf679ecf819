/** What runs tell, and runs beside each other. Pure. */
import type { RunView, StageView } from "../../api/types.ts";
import type { Progress } from "../../live/happenings.ts";

export interface StageComparison {
  stage: string;
  before: StageView | null;
  after: StageView | null;
  /** Whether both left the same bytes; null when one left none. */
  isSame: boolean | null;
}

export interface RunComparison {
  stages: StageComparison[];
  figures: { name: string; before: string; after: string; isSame: boolean }[];
}

/** How far the stage is that a run is in, when nothing has been heard of it yet. */
export function standingOf(run: RunView | undefined): Progress | null {
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

export function figuresOf(run: RunView): Record<string, string> {
  return Object.fromEntries(Object.entries(run.stats).map(([name, value]) => [name.replaceAll("_", " "), String(value)]));
}

/** Where each stage lies in the time of its run, as shares of it. */
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
