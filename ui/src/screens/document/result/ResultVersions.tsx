/** The versions of a document's result, the differences between two of them, and promotion. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { listResults, promoteResult } from "../../../api/endpoints.ts";
import { messageOf } from "../../../api/problem.ts";
import type { ResultEntry } from "../../../api/types.ts";
import { Badge, Button, Confirm, ProblemNote, Time, type Tone } from "../../../design/basics.tsx";
import { Icon } from "../../../design/Icon.tsx";
import { nameInWords } from "../../../format/fields.ts";
import { counted } from "../../../format/numbers.ts";
import { showNotice } from "../../../live/notices.ts";
import { may } from "../../../session/permissions.ts";
import { useMe } from "../../../session/session.ts";
import { CompareResults } from "./CompareResults.tsx";

const STATES: Record<ResultEntry["state"], readonly [Tone, string]> = {
  current: ["good", "Current"],
  waiting: ["warn", "Waits for promotion"],
  superseded: ["off", "Previous"],
};

interface ResultVersionsProps {
  id: string;
  /** The version that the fields are of. */
  shown: number;
  onVersion: (version: number | null) => void;
}

export function ResultVersions({ id, shown, onVersion }: ResultVersionsProps) {
  const client = useQueryClient();
  const mayPromote = may(useMe().role, "promote");
  const results = useQuery({ queryKey: ["document", id, "results"], queryFn: () => listResults(id) });
  const [promoting, setPromoting] = useState<number | null>(null);
  const promote = useMutation({
    mutationFn: (version: number) => promoteResult(id, version),
    onSuccess: (result, version) => {
      onVersion(null);
      showNotice({ tone: "good", text: `Version ${version} was promoted: version ${result.result_version} is its copy and is now current.` });
    },
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["trades"] });
      return client.invalidateQueries({ queryKey: ["document", id] });
    },
  });
  if (results.error) return <ProblemNote error={results.error} onRetry={() => void results.refetch()} />;
  const versions = results.data?.items ?? [];
  const waiting = versions.find(({ state }) => state === "waiting");
  if (versions.length === 0) return null;
  return (
    <section className="result-section" aria-label="Versions of the result">
      <h2>Versions</h2>
      {waiting && <div className="note warn" role="status"><Icon name="info" /><div>A person reviewed the current version, so version {waiting.result_version} of a later run waits. {mayPromote ? "Compare them, and promote it if it is better." : "An administrator can promote it."}</div></div>}
      <ul className="result-versions">
        {versions.map((version) => (
          <Version key={version.result_version} version={version} isShown={version.result_version === shown} mayPromote={mayPromote} isBusy={promote.isPending} onShow={onVersion} onPromote={setPromoting} />
        ))}
      </ul>
      {results.data?.next_cursor && <p className="quiet">The latest {versions.length} versions are listed.</p>}
      <CompareResults id={id} versions={versions} />
      {promoting !== null && (
        <Confirm title={`Promote version ${promoting}?`} action="Promote" onClose={() => setPromoting(null)} onConfirm={() => promote.mutate(promoting)}>
          <p>A copy of it becomes the current result. Results of later runs wait for promotion from then on. All versions stay readable.</p>
        </Confirm>
      )}
    </section>
  );
}

interface VersionProps {
  version: ResultEntry;
  isShown: boolean;
  mayPromote: boolean;
  isBusy: boolean;
  onShow: (version: number | null) => void;
  onPromote: (version: number) => void;
}

function Version({ version, isShown, mayPromote, isBusy, onShow, onPromote }: VersionProps) {
  const { result_version: number, state, summary } = version;
  const [tone, label] = STATES[state];
  return (
    <li>
      <div className="result-version">
        <strong>Version {number}</strong> <Badge tone={tone}>{label}</Badge>{version.is_reviewed && <> <Badge>Reviewed</Badge></>}
        <p className="quiet">
          {version.document_type ? `${nameInWords(version.document_type)} · ${summary.accepted + summary.confirmed + summary.corrected} of ${counted(summary.fields, "field")} accepted or reviewed` : "No document type"} · <Time at={version.created_at} />
          {version.promoted_from != null && ` · promoted from version ${version.promoted_from}`}
        </p>
      </div>
      {isShown ? <span className="quiet">Shown above</span> : <Button kind="bare" onClick={() => onShow(state === "current" ? null : number)}>Show<span className="visually-hidden"> version {number}</span></Button>}
      {mayPromote && state !== "current" && <Button disabled={isBusy} onClick={() => onPromote(number)}>Promote<span className="visually-hidden"> version {number}</span></Button>}
    </li>
  );
}
