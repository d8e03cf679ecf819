/** Jobs that were given up, grouped by what killed them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { findDocument, listDeadJobs, requeueDeadJobs, retryJob } from "../../api/endpoints.ts";
import { ApiError, messageOf } from "../../api/problem.ts";
import type { JobView } from "../../api/types.ts";
import { Badge, Button, Confirm, Empty, ProblemNote, SkeletonRows, Time, type Tone } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { counted } from "../../format/numbers.ts";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { forEachOf } from "../documents/bulk.ts";
import { groupByCause, requeuePlan, type CauseGroup } from "./causes.ts";

const PAGES_AT_MOST = 20;
const SHOWN = 5;

async function listAllDead(): Promise<{ jobs: JobView[]; isMore: boolean }> {
  const jobs: JobView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page++) {
    const listed = await listDeadJobs(cursor);
    jobs.push(...listed.items);
    if (!listed.next_cursor) return { jobs, isMore: false };
    cursor = listed.next_cursor;
  }
  return { jobs, isMore: true };
}

async function requeue(group: CauseGroup, listed: readonly JobView[]): Promise<number> {
  const plan = requeuePlan(group, listed);
  if (plan.kind === "filter") return (await requeueDeadJobs(plan.request)).requeued;
  const { done, failed } = await forEachOf(plan.jobIds, retryJob);
  const [first] = failed;
  if (first && done === 0) throw first.error;
  return done;
}

export function DeadLetters() {
  const { role } = useMe();
  const client = useQueryClient();
  const dead = useQuery({ queryKey: ["dead", "all"], queryFn: listAllDead });
  const [isAsking, setAsking] = useState(false);
  const again = useMutation({
    mutationFn: (run: () => Promise<number>) => run(),
    onSuccess: (requeued) => tell({ tone: "good", text: `${counted(requeued, "job")} queued again.` }),
    onError: (error) => tell({ tone: "bad", text: messageOf(error), trace: error instanceof ApiError ? error.problem.trace_id : undefined }),
    onSettled: () => {
      for (const queryKey of [["dead"], ["queues"], ["jobs"], ["summary"]]) void client.invalidateQueries({ queryKey });
    },
  });
  if (dead.error) return <ProblemNote error={dead.error} onRetry={() => void dead.refetch()} />;
  if (!dead.data) return <div className="card"><SkeletonRows /></div>;
  const { jobs, isMore } = dead.data;
  const groups = groupByCause(jobs);
  const canRequeue = may(role, "requeue");
  if (groups.length === 0) {
    return <div className="card"><Empty icon="check" title="Nothing was given up"><p>When a job fails for good, it waits here with what to do about it.</p></Empty></div>;
  }
  return (
    <>
      <div className="screen-head">
        <p className="quiet">{isMore ? `More than ${counted(jobs.length, "job")}` : counted(jobs.length, "job")} in {counted(groups.length, "group")}, by what stopped them</p>
        {canRequeue && <Button icon="refresh" disabled={again.isPending} onClick={() => setAsking(true)}>Requeue all</Button>}
      </div>
      <ul className="causes">
        {groups.map((group) => (
          <li key={group.key}>
            <Cause group={group} isBusy={again.isPending} onRequeue={canRequeue ? () => again.mutate(() => requeue(group, jobs)) : undefined} onRetry={canRequeue ? (job) => again.mutate(() => retryJob(job.job_id).then(() => 1)) : undefined} />
          </li>
        ))}
      </ul>
      {isAsking && (
        <Confirm title="Requeue everything that was given up?" action="Requeue all" onClose={() => setAsking(false)} onConfirm={() => again.mutate(async () => (await requeueDeadJobs({ all: true })).requeued)}>
          <p>Jobs whose cause is still there will fail again. To repair one cause at a time, use the button beside it.</p>
        </Confirm>
      )}
    </>
  );
}

const CLASSES: Record<string, readonly [Tone, string, string]> = {
  permanent: ["bad", "Permanent", "The file itself is the problem: trying again alone will not help"],
  poison: ["bad", "Quarantined", "Reading it crashed or hit a limit, so it was put aside"],
  retry: ["warn", "Passing", "Something else was the problem; the tries ran out"],
  cancelled: ["off", "Cancelled", "Somebody stopped it"],
};

interface CauseProps {
  group: CauseGroup;
  isBusy: boolean;
  onRequeue?: () => void;
  onRetry?: (job: JobView) => void;
}

function Cause({ group, isBusy, onRequeue, onRetry }: CauseProps) {
  const [tone, name, meaning] = CLASSES[group.errorClass ?? ""] ?? (["off", group.errorClass ?? "Unknown", ""] as const);
  const [isAll, setAll] = useState(false);
  const jobs = isAll ? group.jobs : group.jobs.slice(0, SHOWN);
  return (
    <article className="card cause">
      <header>
        <div>
          <h2>{sentence(group.cause)}</h2>
          <p className="cause-facts"><Badge tone={tone} title={meaning}>{name}</Badge> in <strong>{group.stage}</strong>, {counted(group.jobs.length, "document")}</p>
        </div>
        {onRequeue && <Button icon="refresh" disabled={isBusy} onClick={onRequeue}>{group.jobs.length === 1 ? "Requeue" : `Requeue all ${group.jobs.length}`}</Button>}
      </header>
      {group.guidance && <p className="cause-guidance"><Icon name="info" /> <span><strong>What to do:</strong> {group.guidance}</span></p>}
      <ul className="cause-jobs">
        {jobs.map((job) => (
          <li key={job.job_id}>
            <DocumentName id={job.doc_id} title={job.doc_title} />
            <span className="quiet">{counted(job.attempts + 1, "try", "tries")}, <Time at={job.updated_at} /></span>
            {onRetry && group.jobs.length > 1 && <Button kind="bare" disabled={isBusy} onClick={() => onRetry(job)}>Requeue</Button>}
          </li>
        ))}
      </ul>
      {group.jobs.length > SHOWN && <Button kind="bare" onClick={() => setAll(!isAll)}>{isAll ? "Show fewer" : `Show all ${group.jobs.length}`}</Button>}
    </article>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A job tells the title of its document; a run does not, so it is asked for. */
export function DocumentName({ id, title }: { id: string; title?: string | null }) {
  const { data } = useQuery({ queryKey: ["document", id], queryFn: () => findDocument(id), staleTime: 60_000, enabled: title === undefined });
  return <Link href={`/documents/${id}?tab=history`} className="truncate">{title ?? data?.title ?? id}</Link>;
}
