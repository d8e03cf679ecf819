/** Why a document that was read has no result. Pure. */
import type { RunView } from "../../../api/types.ts";

/** The stage that stores the result. */
const LAST_STAGE = "package";

/** `before`: the runs of the document did not extract fields. `ended`: the latest run did, but ended without a result. */
export type NoResult = "processing" | "before" | "ended";

export function whyNoResult(runs: readonly Pick<RunView, "status" | "pipeline">[]): NoResult {
  const [latest] = runs;
  if (!latest?.pipeline.includes(LAST_STAGE)) return "before";
  return latest.status === "queued" || latest.status === "running" ? "processing" : "ended";
}
