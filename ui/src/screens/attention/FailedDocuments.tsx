/** Failed documents that need attention, one row each, grouped by cause. */
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
import { showNotice } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { PasswordDialog } from "../document/PasswordDialog.tsx";
import { forEachOf } from "../documents/bulk.ts";
import { discardBatches, groupByCause, requeuePlan, type CauseGroup } from "./causes.ts";

const MAX_PAGES = 20;
const SHOWN_PER_CAUSE = 5;

async function listAllFailed(): Promise<{ jobs: JobView[]; isMore: boolean }> {
  const jobs: JobView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const listed = await listDeadJobs(cursor);
    jobs.push(...listed.items);
    if (!listed.next_cursor) return { jobs, isMore: false };
    cursor = listed.next_cursor;
  }
  return { jobs, isMore: true };
}

async function requeue(group: CauseGroup, listed: readonly JobView[]): Promise<string> {
  const plan = requeuePlan(group, listed);
  if (plan.kind === "filter") return retryingLabel((await requeueDeadJobs(plan.request)).requeued);
  const { done, failed } = await forEachOf(plan.jobIds, retryJob);
  const [first] = failed;
  if (first && done === 0) throw first.error;
  return retryingLabel(done);
}

function retryingLabel(jobs: number): string {
  return `Retrying ${counted(jobs, "document")}.`;
}

async function discard(jobs: readonly JobView[]): Promise<string> {
  let discarded = 0;
  for (const ids of discardBatches(jobs)) discarded += (await discardJobs(ids)).discarded;
  return `Discarded ${counted(discarded, "failure")}.`;
}

/** The dialog that is open. */
type OpenDialog = { what: "retry-all" } | { what: "discard"; jobs: readonly JobView[] } | { what: "password"; job: JobView };

export function FailedDocuments() {
  const { role } = useMe();
  const client = useQueryClient();
  const dead = useQuery({ queryKey: ["dead", "all"], queryFn: listAllFailed });
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = useCallback(() => setDialog(null), []);
  const act = useMutation({
    mutationFn: (run: () => Promise<string>) => run(),
    onSuccess: (text) => showNotice({ tone: "good", text }),
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error), trace: error instanceof ApiError ? error.problem.trace_id : undefined }),
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
      {groups.length === 0 && <div className="card"><Empty icon="check" title="Nothing needs attention"><p>Documents that fail are listed here with what to do. They leave the list when you rerun, delete or withdraw them.</p></Empty></div>}
      {groups.length > 0 && (
        <div className="screen-head">
          <p className="quiet">{isMore ? `More than ${counted(jobs.length, "document")}` : counted(jobs.length, "document")}, grouped by cause</p>
          {canAct && (
            <div className="button-row">
              <Button disabled={act.isPending} onClick={() => setDialog({ what: "discard", jobs })}>Discard all</Button>
              <Button icon="refresh" disabled={act.isPending} onClick={() => setDialog({ what: "retry-all" })}>Retry all</Button>
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
                onRetryAll: () => act.mutate(() => requeue(group, jobs)),
                onRetry: (job) => act.mutate(() => retryJob(job.job_id).then(() => retryingLabel(1))),
                onDiscard: (some) => setDialog({ what: "discard", jobs: some }),
                onPassword: (job) => setDialog({ what: "password", job }),
              } : null}
            />
          </li>
        ))}
      </ul>
      {dialog?.what === "retry-all" && (
        <Confirm title="Retry all failed documents?" action="Retry all" onClose={close} onConfirm={() => act.mutate(async () => retryingLabel((await requeueDeadJobs({ all: true })).requeued))}>
          <p>Documents fail again if the cause still exists. To retry one cause at a time, use its own button.</p>
        </Confirm>
      )}
      {dialog?.what === "discard" && (
        <Confirm title={dialog.jobs.length === 1 ? "Discard this failure?" : `Discard ${counted(dialog.jobs.length, "failure")}?`} action="Discard" onClose={close} onConfirm={() => act.mutate(() => discard(dialog.jobs))}>
          <p>{dialog.jobs.length === 1 ? <>“{dialog.jobs[0]?.doc_title ?? "The document"}” leaves this list. It stays failed, and you can still rerun it from Documents.</> : "The documents leave this list. They stay failed, and you can still rerun them from Documents."}</p>
        </Confirm>
      )}
      {dialog?.what === "password" && <PasswordDialog id={dialog.job.doc_id} title={dialog.job.doc_title ?? "The document"} onClose={close} />}
    </>
  );
}

const CLASSES: Record<string, readonly [Tone, string, string]> = {
  permanent: ["bad", "Permanent", "The file itself is the problem; a retry alone won’t help"],
  poison: ["bad", "Quarantined", "Reading the file crashed or exceeded a limit"],
  retry: ["warn", "Transient", "A temporary problem lasted longer than all retries"],
  cancelled: ["off", "Cancelled", "Someone cancelled the run"],
};

interface CauseActions {
  onRetryAll: () => void;
  onRetry: (job: JobView) => void;
  onDiscard: (jobs: readonly JobView[]) => void;
  onPassword: (job: JobView) => void;
}

interface CauseProps {
  group: CauseGroup;
  isBusy: boolean;
  /** Null for a role that may only look. */
  actions: CauseActions | null;
}

export function Cause({ group, isBusy, actions }: CauseProps) {
  const [tone, name, meaning] = CLASSES[group.errorClass ?? ""] ?? (["off", group.errorClass ?? "Unknown", ""] as const);
  const [isAll, setAll] = useState(false);
  const jobs = isAll ? group.jobs : group.jobs.slice(0, SHOWN_PER_CAUSE);
  const isLocked = wantsPassword(group.errorCode);
  // The server's guidance names the command line; here a button does it.
  const guidance = isLocked ? "Enter the password of the file." : group.guidance;
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
            {!isLocked && <Button icon="refresh" disabled={isBusy} onClick={actions.onRetryAll}>Retry all {group.jobs.length}</Button>}
          </div>
        )}
      </header>
      {guidance && <p className="cause-guidance"><Icon name="info" /> <span><strong>What to do:</strong> {guidance}</span></p>}
      <ul className="cause-jobs">
        {jobs.map((job) => (
          <li key={job.job_id}>
            <DocumentName id={job.doc_id} title={job.doc_title} />
            <span className="quiet">{counted(job.attempts + 1, "attempt")}, <Time at={job.updated_at} /></span>
            {actions && (
              <span className="cause-actions">
                {isLocked
                  ? <Button icon="key" kind="primary" disabled={isBusy} onClick={() => actions.onPassword(job)}>Enter password</Button>
                  : <Button icon="refresh" disabled={isBusy} onClick={() => actions.onRetry(job)}>Retry</Button>}
                <Button kind="bare" disabled={isBusy} onClick={() => actions.onDiscard([job])}>Discard</Button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {group.jobs.length > SHOWN_PER_CAUSE && <Button kind="bare" onClick={() => setAll(!isAll)}>{isAll ? "Show fewer" : `Show all ${group.jobs.length}`}</Button>}
    </article>
  );
}

/** A job has the title of its document; a run does not, so it is fetched. */
export function DocumentName({ id, title }: { id: string; title?: string | null }) {
  const { data } = useQuery({ queryKey: ["document", id], queryFn: () => findDocument(id), staleTime: 60_000, enabled: title === undefined });
  return <Link href={`/documents/${id}?tab=history`} className="truncate">{title ?? data?.title ?? id}</Link>;
}
