/** Versions and runs, newest first, and a comparison of two runs. */
import "./history.css";
import { useState } from "react";
import { Link } from "wouter";
import { readArtifact } from "../../api/endpoints.ts";
import { isMissingRoute, messageOf } from "../../api/problem.ts";
import type { DocumentDetail, RunView, StageView } from "../../api/types.ts";
import { Badge, Empty, sentence, StatusBadge, Time } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { bytes, counted } from "../../format/numbers.ts";
import { duration } from "../../format/time.ts";
import { waitingFor } from "../../format/waiting.ts";
import { saveBlob } from "../../live/download.ts";
import { showNotice } from "../../live/notices.ts";
import { compareRuns, figureLabels, runLength, stageSpans } from "./runs.ts";

const NOT_READABLE = "Only administrators can download the artifacts of this run. Reviewers can too, unless a mask was added since.";
const RUN_LABELS: Record<string, string> = { manual_upload: "Manual upload", attachment: "Attachment", rerun: "Rerun" };

/** A run with a parent is a rerun, whatever its type. */
function runLabel(run: RunView): string {
  return run.parent_run_id ? "Rerun" : (RUN_LABELS[run.run_type] ?? run.run_type.replaceAll("_", " "));
}

export function History({ detail }: { detail: DocumentDetail }) {
  if (detail.runs.length === 0) return <Empty icon="clock" title="No runs yet" />;
  return (
    <div className="history">
      {detail.runs.length > 1 && <CompareRuns runs={detail.runs} />}
      <ol className="timeline">
        {detail.runs.map((run) => (
          <li key={run.run_id}>
            <RunCard run={run} version={detail.versions.find((version) => version.run_id === run.run_id)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function RunCard({ run, version }: { run: RunView; version?: DocumentDetail["versions"][number] }) {
  const length = runLength(run);
  return (
    <article className="run">
      <header>
        <StatusBadge status={run.status} />
        <strong>{runLabel(run)}</strong>
        {version && <Badge tone={version.is_active ? "good" : "off"}>{version.version_label}{version.is_active ? ", active" : ""}</Badge>}
        <span className="quiet"><Time at={run.created_at} />{length !== null && ` · ${duration(length)}`}</span>
      </header>
      {run.reason && <p className="quiet">“{run.reason}”</p>}
      {run.error && <p className="run-error"><Icon name="alert" /> {sentence(run.error)}</p>}
      <ul className="stages">
        {stageSpans(run).map(({ stage, from, width }) => <StageRow key={stage.name} run={run} stage={stage} from={from} width={width} />)}
      </ul>
      <p className="quiet run-figures">{figureLabels(run).join(" · ")}</p>
    </article>
  );
}

async function download(runId: string, stage: string, name: string): Promise<void> {
  try {
    saveBlob(await readArtifact(runId, stage, name), name);
  } catch (error) {
    showNotice({ tone: "bad", text: isMissingRoute(error) ? "This server can’t provide artifacts." : messageOf(error) });
  }
}

function StageRow({ run, stage, from, width }: { run: RunView; stage: StageView; from: number; width: number }) {
  return (
    <li>
      <details>
        <summary>
          <span className="stage-name">{stage.name}</span>
          <span className="stage-track"><span className={`stage-span ${stage.status}`} style={{ left: `${from * 100}%`, width: `${Math.max(0.6, width * 100)}%` }} /></span>
          <span className="number">{stage.progress && `${stage.progress.done} of ${stage.progress.total} `}{stage.duration_ms == null ? <StatusBadge status={stage.status} /> : duration(stage.duration_ms)}</span>
          <span className="stage-retries">{stage.waiting_for && <Badge tone="warn">{waitingFor(stage.waiting_for)}</Badge>}{stage.retries > 0 && <Badge tone="warn">{counted(stage.retries, "retry", "retries")}</Badge>}</span>
        </summary>
        <div className="stage-more">
          {stage.error && <p className="run-error"><Icon name="alert" /> {sentence(stage.error)}</p>}
          <p className="quiet">{stage.worker_id ? `Worker ${stage.worker_id}` : "Not started"}{stage.started_at && <>, <Time at={stage.started_at} /></>}</p>
          <Artifacts run={run} stage={stage} />
        </div>
      </details>
    </li>
  );
}

function Artifacts({ run, stage }: { run: RunView; stage: StageView }) {
  if (!run.artifacts_readable) return <p className="quiet">{NOT_READABLE}</p>;
  const { artifacts } = stage;
  if (artifacts.length === 0) return <p className="quiet">No artifacts.</p>;
  return (
    <ul>
      {artifacts.map((artifact) => (
        <li key={artifact.name}>
          {artifact.doc_id ? <Link href={`/documents/${artifact.doc_id}`}>{artifact.file_name ?? artifact.name}</Link> : (
            <button type="button" className="artifact" title="Download" onClick={() => void download(run.run_id, stage.name, artifact.name)}>{artifact.name}</button>
          )}
          {artifact.size_bytes != null && artifact.sha256 && <span className="quiet"> {bytes(artifact.size_bytes)}, sha256 {artifact.sha256.slice(0, 12)}…</span>}
        </li>
      ))}
    </ul>
  );
}

function CompareRuns({ runs }: { runs: readonly RunView[] }) {
  const [first, setFirst] = useState(1);
  const [second, setSecond] = useState(0);
  const [before, after] = [runs[first], runs[second]];
  if (!before || !after) return null;
  const { stages, figures } = compareRuns(before, after);
  return (
    <details className="compare">
      <summary>Compare runs</summary>
      <div className="button-row">
        <RunChoice label="Before" runs={runs} value={first} onChange={setFirst} />
        <RunChoice label="After" runs={runs} value={second} onChange={setSecond} />
      </div>
      <div className="table-wrap"><table className="table">
        <thead><tr><th>Stage</th><th className="number">Before</th><th className="number">After</th><th>Artifacts</th></tr></thead>
        <tbody>
          {stages.map((stage) => (
            <tr key={stage.stage}>
              <td>{stage.stage}</td>
              <td className="number"><StageTime stage={stage.before} /></td>
              <td className="number"><StageTime stage={stage.after} /></td>
              <td>{stage.isSame === null ? <span className="quiet">–</span> : stage.isSame ? <Badge tone="good">Identical</Badge> : <Badge tone="warn">Different</Badge>}</td>
            </tr>
          ))}
          {figures.map((figure) => (
            <tr key={figure.name}>
              <td>{figure.name}</td>
              <td className="number">{figure.before}</td>
              <td className="number">{figure.after}</td>
              <td>{figure.isSame ? <span className="quiet">same</span> : <Badge tone="warn">Different</Badge>}</td>
            </tr>
          ))}
        </tbody>
      </table></div>
    </details>
  );
}

function StageTime({ stage }: { stage: StageView | null }) {
  if (!stage) return <span className="quiet">not run</span>;
  return stage.duration_ms == null ? stage.status : duration(stage.duration_ms);
}

function RunChoice({ label, runs, value, onChange }: { label: string; runs: readonly RunView[]; value: number; onChange: (at: number) => void }) {
  return (
    <label className="field">
      <span>{label}</span>
      <select className="input" value={value} onChange={(event) => onChange(Number(event.target.value))}>
        {runs.map((run, at) => (
          <option key={run.run_id} value={at}>{runLabel(run)}, {new Date(run.created_at).toLocaleString()}</option>
        ))}
      </select>
    </label>
  );
}
