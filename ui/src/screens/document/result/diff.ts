/** The differences of two results as rows. Pure. */
import type { FieldChange, ResultDiff } from "../../../api/types.ts";
import type { Tone } from "../../../design/basics.tsx";
import { FIELD_STATUSES, nameInWords, pathInWords, valueInWords } from "../../../format/fields.ts";
import type { KnownFields } from "./fields.ts";

export interface DiffSide {
  value: string;
  /** “Accepted”; empty for what has no status. */
  status: string;
}

export interface DiffRow {
  path: string;
  label: string;
  before: DiffSide | null;
  after: DiffSide | null;
  change: readonly [Tone, string];
}

const CHANGES: Record<FieldChange["change"], readonly [Tone, string]> = {
  added: ["good", "Added"],
  removed: ["bad", "Removed"],
  changed: ["warn", "Changed"],
};

/** Another document type comes first, as it explains most other differences. */
export function diffRows(diff: ResultDiff, known: KnownFields): DiffRow[] {
  const rows = diff.changes.map((change): DiffRow => ({
    path: change.path,
    label: pathInWords(change.path),
    before: sideOf(change.before, change.path, known),
    after: sideOf(change.after, change.path, known),
    change: CHANGES[change.change],
  }));
  const [before, after] = [diff.before.document_type, diff.after.document_type];
  if (before === after) return rows;
  const side = (type: string): DiffSide => ({ value: type === "" ? "none" : nameInWords(type), status: "" });
  return [{ path: "document_type", label: "Document type", before: side(before), after: side(after), change: CHANGES.changed }, ...rows];
}

function sideOf(compared: FieldChange["before"], path: string, known: KnownFields): DiffSide | null {
  if (!compared) return null;
  const kind = known.get(path.replace(/^(trades|lines)\.\d+\./, "$1[]."));
  return { value: valueInWords(compared.value, kind), status: FIELD_STATUSES[compared.status][1] };
}

/** The two versions to compare at first: the one that waits for promotion, or else the one before, with the current one. */
export function firstComparison(versions: readonly { result_version: number; state: string }[]): { before: number; after: number } | null {
  const current = versions.find(({ state }) => state === "current")?.result_version;
  const waiting = versions.find(({ state }) => state === "waiting")?.result_version;
  if (current !== undefined && waiting !== undefined) return { before: current, after: waiting };
  const [after, before] = versions.map(({ result_version: version }) => version);
  return before === undefined || after === undefined ? null : { before, after };
}
