/** Documents that failed and need attention, one row each, grouped by what stopped them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { discardJobs, findDocument, listDeadJobs, requeueDeadJobs, retryJob } from "../../api/endpoints.ts";
import { ApiError, messageOf } from "../../api/problem.ts";
import type { JobView } from "../../api/types.ts";
import { Badge, Button, Confirm, Empty, ProblemNote, sentence, SkeletonRows, Time, type Tone } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { wantsPassword } from "../../format/failures.ts";
import { counted } from "../../format/numbers.ts";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { PasswordDialog } from "../document/PasswordDialog.tsx";
import { forEachOf } from "../documents/bulk.ts";
import { discardPortions, groupByCause, requeuePlan, type CauseGroup } from "./causes.ts";

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

async function requeue(group: CauseGroup, listed: readonly JobView[]): Promise<string> {
  const plan = requeuePlan(group, listed);
  if (plan.kind === "filter") return requeuedInWords((await requeueDeadJobs(plan.request)).requeued);
  const { done, failed } = await forEachOf(plan.jobIds, retryJob);
  const [first] = failed;
  if (first && done === 0) throw first.error;
  return requeuedInWords(done);
}

function requeuedInWords(jobs: number): string {
  return `${counted(jobs, "job")} queued again.`;
}

async function discard(jobs: readonly JobView[]): Promise<string> {
  let discarded = 0;
  for (const ids of discardPortions(jobs)) discarded += (await discardJobs(ids)).discarded;
  return `${counted(discarded, "failure")} discarded.`;
}

/** What somebody is asked about before it happens. */
type Asking = { what: "requeue-all" } | { what: "discard"; jobs: readonly JobView[] } | { what: "password"; job: JobView };

export function DeadLetters() {
  const { role } = useMe();
  const client = useQueryClient();
  const dead = useQuery({ queryKey: ["dead", "all"], queryFn: listAllDead });
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = useCallback(() => setAsking(null), []);
  const act = useMutation({
    mutationFn: (run: () => Promise<string>) => run(),
    onSuccess: (text) => tell({ tone: "good", text }),
    onError: (error) => tell({ tone: "bad", text: messageOf(error), trace: error instanceof ApiError ? error.problem.trace_id : undefined }),
    onSettled: () => {
      for (const queryKey of [["dead"], ["queues"], ["jobs"], ["summary"]]) void client.invalidateQueries({ queryKey });
    },
  });
  if (dead.error && !dead.data) return <ProblemNote error={dead.error} onRetry={() => void dead.refetch()} />;
  if (!dead.data) return <div className="card"><SkeletonRows /></div>;
  const { jobs, isMore } = dead.data;
  const groups = groupByCause(jobs);
  const canAct = may(role, "requeue");
  return (
    <>
      {groups.length === 0 && <div className="card"><Empty icon="check" title="Nothing needs attention"><p>A document that cannot be read waits here, with what to do about it. It leaves by itself when a later run of it begins, or when it is deleted or withdrawn.</p></Empty></div>}
      {groups.length > 0 && (
        <div className="screen-head">
          <p className="quiet">{isMore ? `More than ${counted(jobs.length, "document")}` : counted(jobs.length, "document")}, by what stopped them</p>
          {canAct && (
            <div className="button-row">
              <Button disabled={act.isPending} onClick={() => setAsking({ what: "discard", jobs })}>Discard all</Button>
              <Button icon="refresh" disabled={act.isPending} onClick={() => setAsking({ what: "requeue-all" })}>Requeue all</Button>
            </div>
          )}
        </div>
      )}
      <ul className="causes">
        {groups.map((group) => (
          <li key={group.key}>
            <Cause
              group={group}
              isBusy={act.isPending}
              actions={canAct ? {
                onRequeue: () => act.mutate(() => requeue(group, jobs)),
                onRetry: (job) => act.mutate(() => retryJob(job.job_id).then(() => requeuedInWords(1))),
                onDiscard: (some) => setAsking({ what: "discard", jobs: some }),
                onPassword: (job) => setAsking({ what: "password", job }),
              } : null}
            />
          </li>
        ))}
      </ul>
      {asking?.what === "requeue-all" && (
        <Confirm title="Requeue everything that failed?" action="Requeue all" onClose={close} onConfirm={() => act.mutate(async () => requeuedInWords((await requeueDeadJobs({ all: true })).requeued))}>
          <p>Documents whose cause is still there will fail again. To repair one cause at a time, use the button beside it.</p>
        </Confirm>
      )}
      {asking?.what === "discard" && (
        <Confirm title={asking.jobs.length === 1 ? "Discard this failure?" : `Discard ${counted(asking.jobs.length, "failure")}?`} action="Discard" onClose={close} onConfirm={() => act.mutate(() => discard(asking.jobs))}>
          <p>{asking.jobs.length === 1 ? <>“{asking.jobs[0]?.doc_title ?? "The document"}” leaves this list and stays failed, with its reason.</> : "The documents leave this list and stay failed, with their reasons."} You can still run {asking.jobs.length === 1 ? "it" : "them"} again from Documents.</p>
        </Confirm>
      )}
      {asking?.what === "password" && <PasswordDialog id={asking.job.doc_id} title={asking.job.doc_title ?? "The document"} onClose={close} />}
    </>
  );
}

const CLASSES: Record<string, readonly [Tone, string, string]> = {
  permanent: ["bad", "Permanent", "The file itself is the problem: trying again alone will not help"],
  poison: ["bad", "Quarantined", "Reading it crashed or hit a limit, so it was put aside"],
  retry: ["warn", "Passing", "Something else was the problem; the tries ran out"],
  cancelled: ["off", "Cancelled", "Somebody stopped it"],
};

interface CauseActions {
  onRequeue: () => void;
  onRetry: (job: JobView) => void;
  onDiscard: (jobs: readonly JobView[]) => void;
  onPassword: (job: JobView) => void;
}

interface CauseProps {
  group: CauseGroup;
  isBusy: boolean;
  /** None for who may only look. */
  actions: CauseActions | null;
}

export function Cause({ group, isBusy, actions }: CauseProps) {
  const [tone, name, meaning] = CLASSES[group.errorClass ?? ""] ?? (["off", group.errorClass ?? "Unknown", ""] as const);
  const [isAll, setAll] = useState(false);
  const jobs = isAll ? group.jobs : group.jobs.slice(0, SHOWN);
  const isLocked = wantsPassword(group.errorCode);
  // The server's words name the command line too; here a button does it.
  const guidance = isLocked ? "Enter the password of the file, and it is read." : group.guidance;
  const isOne = group.jobs.length === 1;
  return (
    <article className="card cause">
      <header>
        <div>
          <h2>{sentence(group.cause)}</h2>
          <p className="cause-facts"><Badge tone={tone} title={meaning}>{name}</Badge> in <strong>{group.stage}</strong>, {counted(group.jobs.length, "document")}</p>
        </div>
        {actions && !isOne && (
          <div className="button-row">
            <Button disabled={isBusy} onClick={() => actions.onDiscard(group.jobs)}>Discard all {group.jobs.length}</Button>
            {!isLocked && <Button icon="refresh" disabled={isBusy} onClick={actions.onRequeue}>Requeue all {group.jobs.length}</Button>}
          </div>
        )}
      </header>
      {guidance && <p className="cause-guidance"><Icon name="info" /> <span><strong>What to do:</strong> {guidance}</span></p>}
      <ul className="cause-jobs">
        {jobs.map((job) => (
          <li key={job.job_id}>
            <DocumentName id={job.doc_id} title={job.doc_title} />
            <span className="quiet">{counted(job.attempts + 1, "try", "tries")}, <Time at={job.updated_at} /></span>
            {actions && (
              <span className="cause-actions">
                {isLocked
                  ? <Button icon="key" kind="primary" disabled={isBusy} onClick={() => actions.onPassword(job)}>Enter password</Button>
                  : <Button icon="refresh" disabled={isBusy} onClick={() => actions.onRetry(job)}>Requeue</Button>}
                <Button kind="bare" disabled={isBusy} onClick={() => actions.onDiscard([job])}>Discard</Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {group.jobs.length > SHOWN && <Button kind="bare" onClick={() => setAll(!isAll)}>{isAll ? "Show fewer" : `Show all ${group.jobs.length}`}</Button>}
    </article>
  );
}

/** A job tells the title of its document; a run does not, so it is asked for. */
export function DocumentName({ id, title }: { id: string; title?: string | null }) {
  const { data } = useQuery({ queryKey: ["document", id], queryFn: () => findDocument(id), staleTime: 60_000, enabled: title === undefined });
  return <Link href={`/documents/${id}?tab=history`} className="truncate">{title ?? data?.title ?? id}</Link>;
}
