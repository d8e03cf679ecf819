/** The differences between two versions of a result, field by field. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { compareResults, findDocumentType } from "../../../api/endpoints.ts";
import type { ResultEntry } from "../../../api/types.ts";
import { Badge, Field, ProblemNote, SkeletonRows } from "../../../design/basics.tsx";
import { counted } from "../../../format/numbers.ts";
import { diffRows, firstComparison, type DiffSide } from "./diff.ts";
import { knownFields } from "./fields.ts";

export function CompareResults({ id, versions }: { id: string; versions: readonly ResultEntry[] }) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<{ before?: number; after?: number }>({});
  const first = firstComparison(versions);
  if (!first) return null;
  const { before, after } = { ...first, ...chosen };
  return (
    <details className="compare" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Compare versions</summary>
      <div className="button-row">
        <VersionChoice label="Before" versions={versions} value={before} onChange={(version) => setChosen({ ...chosen, before: version })} />
        <VersionChoice label="After" versions={versions} value={after} onChange={(version) => setChosen({ ...chosen, after: version })} />
      </div>
      {isOpen && (before === after ? <p className="quiet">Choose two different versions.</p> : <Differences id={id} before={before} after={after} />)}
    </details>
  );
}

function VersionChoice({ label, versions, value, onChange }: { label: string; versions: readonly ResultEntry[]; value: number; onChange: (version: number) => void }) {
  return (
    <Field label={label}>
      <select className="input" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {versions.map(({ result_version: version, state }) => <option key={version} value={version}>Version {version}{state === "current" ? " (current)" : ""}</option>)}
      </select>
    </Field>
  );
}

function Differences({ id, before, after }: { id: string; before: number; after: number }) {
  const diff = useQuery({ queryKey: ["document", id, "results", before, after], queryFn: () => compareResults(id, before, after) });
  const { document_type: name = "", type_version: version = 0 } = diff.data?.after ?? {};
  const type = useQuery({ queryKey: ["document-type", name, version], queryFn: () => findDocumentType(name, version), enabled: name !== "", staleTime: Infinity });
  if (diff.error) return <ProblemNote error={diff.error} onRetry={() => void diff.refetch()} />;
  if (!diff.data) return <SkeletonRows rows={3} />;
  const rows = diffRows(diff.data, knownFields(type.data?.definition));
  const unchanged = `${counted(diff.data.unchanged, "value is", "values are")} the same in both.`;
  if (rows.length === 0) return <p className="quiet">No value differs. {unchanged}</p>;
  return (
    <>
      <div className="table-wrap">
        <table className="table diff">
          <thead><tr><th>Field</th><th>Version {before}</th><th>Version {after}</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.path}>
                <th scope="row">{row.label}<Badge tone={row.change[0]}>{row.change[1]}</Badge></th>
                <td><Side side={row.before} /></td>
                <td><Side side={row.after} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="quiet">{unchanged} Trades and lines are compared by their position.</p>
    </>
  );
}

function Side({ side }: { side: DiffSide | null }) {
  if (!side) return <span className="quiet">–</span>;
  return <>{side.value}{side.status && <p className="quiet">{side.status}</p>}</>;
}
