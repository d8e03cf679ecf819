/** The state of a run that was started with a password. Pure. */
import type { DocumentDetail } from "../../api/types.ts";
import { wantsPassword } from "../../format/failures.ts";

export type Opening = "opening" | "opened" | "wrong" | "failed";

/** The stage that opens the file: once it succeeded, the password was right. */
const OPENING_STAGE = "preprocess";

/** The state of the run, as the document reports it. */
export function openingOf(detail: DocumentDetail | undefined, runId: string): Opening {
  const run = detail?.runs.find((one) => one.run_id === runId);
  if (!run) return "opening";
  if (run.status === "succeeded") return "opened";
  if (run.status === "failed") return wantsPassword(run.error_code) ? "wrong" : "failed";
  const isOpen = run.stages.some((stage) => stage.name === OPENING_STAGE && stage.status === "succeeded");
  return isOpen ? "opened" : "opening";
}
