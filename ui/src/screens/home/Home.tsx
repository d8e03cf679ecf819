/** Today's documents, the queues, and what needs attention. */
import "./home.css";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { countDocuments, listDeadJobs, listDocuments, listQueues } from "../../api/endpoints.ts";
import type { DocumentSummary, DocumentView, QueueView } from "../../api/types.ts";
import { Badge, Empty, ProblemNote, Skeleton, SkeletonRows, StatusBadge, statusInWords, Time, useNow } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { count, counted } from "../../format/numbers.ts";
import { byStage } from "../../format/stages.ts";
import { duration, startOfDay } from "../../format/time.ts";
import { UploadButtons } from "../../frame/UploadButtons.tsx";
import { progressOf } from "../../live/live.ts";
import { rowProgress, stageLabel } from "../../live/progress.ts";
import { useStore, useStorePart } from "../../live/store.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { groupByCause } from "../attention/causes.ts";
import { OwnWork } from "./OwnWork.tsx";
import { linePoints, queueSamples, withSamples } from "./samples.ts";
import { Welcome } from "./Welcome.tsx";

const SAMPLE_MS = 3_000;
const RECENT = 8;

export default function Home() {
  const me = useMe();
  const summary = useQuery({ queryKey: ["summary"], queryFn: countDocuments });
  const isEmpty = summary.data?.total === 0;
  return (
    <div className="screen">
      <div className="screen-head">
        <div>
          <h1>{greeting(useNow())}</h1>
          <p className="quiet">{may(me.role, "see-all") ? "All documents" : "Your documents"}</p>
        </div>
        {may(me.role, "upload") && <div className="button-row"><UploadButtons /></div>}
      </div>
      {summary.error && <ProblemNote error={summary.error} onRetry={() => void summary.refetch()} />}
      {isEmpty ? <Welcome /> : <Figures summary={summary.data} />}
      <div className="home-columns">
        <Today />
        <div className="home-side">
          {may(me.role, "attention") ? <><NeedsAttention /><Queues /></> : <OwnWork />}
        </div>
      </div>
    </div>
  );
}

function greeting(now: Date): string {
  const hour = now.getHours();
  if (hour < 5 || hour >= 18) return "Good evening";
  return hour < 12 ? "Good morning" : "Good afternoon";
}

const FIGURES: readonly (readonly [keyof DocumentSummary, string, string])[] = [
  ["total", "Documents", "all"],
  ["active", statusInWords("active"), "active"],
  ["processing", statusInWords("processing"), "processing"],
  ["uploaded", statusInWords("uploaded"), "uploaded"],
  ["failed", statusInWords("failed"), "failed"],
];

function Figures({ summary }: { summary: DocumentSummary | undefined }) {
  return (
    <ul className="figures">
      {FIGURES.map(([name, label, status]) => (
        <li key={name} data-tone={name === "failed" && summary && summary.failed > 0 ? "bad" : undefined}>
          <Link href={status === "all" ? "/documents" : `/documents?status=${status}`}>
            <span className="figure-label">{label}</span>
            <span className="figure">{summary ? count(summary[name]) : <Skeleton width="3rem" height="2rem" />}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Today() {
  const now = useNow(60_000);
  const from = startOfDay(now).toISOString();
  const today = useQuery({
    queryKey: ["fresh", "today", from],
    queryFn: () => listDocuments({ status: "all", from, limit: 100 }),
  });
  const latest = useQuery({
    queryKey: ["fresh", "latest"],
    queryFn: () => listDocuments({ status: "all", limit: RECENT }),
  });
  const rows = latest.data?.items;
  return (
    <section className="card" aria-labelledby="today">
      <div className="card-head">
        <h2 id="today">Latest</h2>
        <span className="quiet">{today.data && todayInWords(today.data.items, today.data.next_cursor != null)}</span>
      </div>
      {latest.error && <div className="card-body"><ProblemNote error={latest.error} /></div>}
      {latest.isPending && <SkeletonRows rows={RECENT} height="1.25rem" />}
      {rows?.length === 0 && <Empty icon="documents" title="No documents yet"><p>Uploaded documents appear here with their progress.</p></Empty>}
      <ul className="latest">{rows?.map((row) => <LatestRow key={row.doc_id} row={row} />)}</ul>
      {rows && rows.length > 0 && <div className="card-foot"><Link href="/documents">All documents</Link></div>}
    </section>
  );
}

function todayInWords(rows: readonly DocumentView[], isMore: boolean): string {
  const failed = rows.filter((row) => row.status === "failed").length;
  const added = isMore ? `more than ${rows.length} documents` : counted(rows.length, "document");
  return failed > 0 ? `Added today: ${added}, ${failed} failed` : `Added today: ${added}`;
}

function LatestRow({ row }: { row: DocumentView }) {
  const live = useStorePart(progressOf, (all) => all.get(row.doc_id));
  const progress = row.status === "active" || row.status === "failed" ? null : rowProgress(row, live);
  return (
    <li>
      <Link href={`/documents/${row.doc_id}`} className="truncate" title={row.filename}>{row.title}</Link>
      <span className="quiet truncate">{progress ? progress.text : <Time at={row.created_at} />}</span>
      <StatusBadge status={row.status} />
    </li>
  );
}

function NeedsAttention() {
  const dead = useQuery({ queryKey: ["dead", "first"], queryFn: () => listDeadJobs() });
  const groups = groupByCause(dead.data?.items ?? []);
  return (
    <section className="card" aria-labelledby="needs">
      <div className="card-head">
        <h2 id="needs">Needs attention</h2>
        {groups.length > 0 && <Link href="/attention">Needs attention</Link>}
      </div>
      {dead.isPending && <SkeletonRows rows={2} />}
      {dead.error && <div className="card-body"><ProblemNote error={dead.error} /></div>}
      {dead.data && groups.length === 0 && <p className="card-body all-clear"><Icon name="check" /> Nothing needs attention.</p>}
      <ul className="needs">
        {groups.slice(0, 3).map((group) => (
          <li key={group.key}>
            <strong>{counted(group.jobs.length, "document")}</strong> in {stageLabel(group.stage)}: {group.cause}
            {group.guidance && <p className="quiet">{group.guidance}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queues() {
  const queues = useQuery({ queryKey: ["queues"], queryFn: listQueues, refetchInterval: SAMPLE_MS });
  const { data, dataUpdatedAt } = queues;
  useEffect(() => {
    if (data) queueSamples.update((all) => withSamples(all, data.queues));
  }, [data, dataUpdatedAt]);
  const rows = [...(data?.queues ?? [])].sort((a, b) => byStage(a.stage, b.stage));
  const perMinute = rows.at(-1)?.finished_last_minute ?? 0;
  return (
    <section className="card" aria-labelledby="queues">
      <div className="card-head">
        <h2 id="queues">Stages</h2>
        <span className="quiet">{rows.length > 0 && `${counted(perMinute, "document")} finished in the last minute`}</span>
      </div>
      {queues.isPending && <SkeletonRows rows={4} />}
      {queues.error && <div className="card-body"><ProblemNote error={queues.error} /></div>}
      {data && rows.length === 0 && <p className="card-body quiet">No document was processed yet.</p>}
      {rows.length > 0 && (
        <div className="table-wrap">
          <table className="table queue-table">
            <thead>
              <tr><th>Stage</th><th className="number">Queued</th><th className="number">Running</th><th className="number">Oldest</th><th>Last minutes</th></tr>
            </thead>
            <tbody>{rows.map((queue) => <QueueRow key={queue.stage} queue={queue} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function QueueRow({ queue }: { queue: QueueView }) {
  return (
    <tr>
      <td>{stageLabel(queue.stage)}</td>
      <td className="number">{queue.paused > 0 && <><Badge tone="warn">{count(queue.paused)} paused</Badge> </>}{count(queue.waiting)}</td>
      <td className="number">{count(queue.in_flight)}</td>
      <td className="number">{queue.oldest_age_seconds == null ? <span className="quiet">–</span> : duration(queue.oldest_age_seconds * 1000)}</td>
      <td><Sparkline stage={queue.stage} /></td>
    </tr>
  );
}

const WIDTH = 88;
const HEIGHT = 22;

/** Queued and running jobs (line), and jobs finished in the minute before (area). */
function Sparkline({ stage }: { stage: string }) {
  const samples = useStore(queueSamples).get(stage) ?? [];
  const done = linePoints(samples.map((sample) => sample.perMinute), WIDTH, HEIGHT);
  const waiting = linePoints(samples.map((sample) => sample.waiting + sample.inFlight), WIDTH, HEIGHT);
  const last = samples.at(-1);
  const words = last ? `${last.waiting} queued, ${last.inFlight} running, ${last.perMinute} finished in the last minute` : "no figures yet";
  return (
    <svg className="sparkline" viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} role="img" aria-label={words}>
      <title>{words}</title>
      {samples.length > 1 && <polygon points={`${done} ${WIDTH},${HEIGHT} ${done.split(",")[0] ?? 0},${HEIGHT}`} />}
      {samples.length > 1 && <polyline points={waiting} />}
    </svg>
  );
}
