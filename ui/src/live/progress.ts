/** The progress of a document's run in words, for lists and the upload tray. Pure. */
import type { DocumentView } from "../api/types.ts";
import { waitingFor } from "../format/waiting.ts";
import type { Progress } from "./document-events.ts";

const STAGES: Record<string, string> = {
  ingest: "Storing",
  preprocess: "Preparing",
  ocr: "OCR",
  layout: "Layout",
  classify: "Classifying",
  extract: "Extracting",
  chunk: "Splitting into passages",
  embed: "Embedding",
  index: "Indexing",
  enrich: "Enriching",
  validate: "Validating",
  parse: "Finding fields",
  reconcile: "Checking fields",
  package: "Storing the result",
};

/** The label of a stage; a stage of an extension has its own name. */
export function stageLabel(stage: string): string {
  return STAGES[stage] ?? stage;
}

/** What a list shows of a run: a label, and how much is done when the stage reports it. */
export interface ProgressLabel {
  text: string;
  /** Between 0 and 1. */
  share: number | null;
}

/** “OCR 3/12”. */
export function stageProgress(stage: string, done: number, total: number): ProgressLabel {
  const label = stageLabel(stage);
  return total > 0 ? { text: `${label} ${done}/${total}`, share: Math.min(1, done / total) } : { text: label, share: null };
}

/**
 * The progress of a row: from the events when they reported any of the same run, otherwise as the server listed it. Null
 * when no run works on the document.
 */
export function rowProgress(row: Pick<DocumentView, "status" | "progress">, live: Progress | undefined): ProgressLabel | null {
  const listed = row.progress;
  if (live?.stage && (!listed || live.runId === listed.run_id)) return stageProgress(live.stage, live.done, live.total);
  if (!listed) return row.status === "uploaded" ? { text: "Waiting for a worker", share: null } : null;
  const paused = waitingFor(listed.waiting_for);
  if (paused !== null) return { text: paused, share: null };
  if (!listed.stage) return { text: "Between two stages", share: null };
  if (!listed.is_running) return { text: `Waiting for a worker · ${stageLabel(listed.stage)}`, share: null };
  return stageProgress(listed.stage, listed.done ?? 0, listed.total ?? 0);
}
