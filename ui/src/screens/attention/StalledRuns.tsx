import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { cancelRun, listRuns, PAGE_SIZE } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { RunView } from "../../api/types.ts";
import { Button, Empty, ProblemNote, SkeletonRows, StatusBadge, Time, useNow } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { showNotice } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { DocumentName } from "./FailedDocuments.tsx";

/** As long as the server itself waits before it takes a run up again. */
const STALLED_MS = 15 * 60_000;

/** A paused run is not stalled: it waits for a dependency, and the server resumes it. */
export function isStalled(run: RunView, now: Date): boolean {
  if (run.stages.some((stage) => stage.waiting_for != null)) return false;
  return (run.status === "running" || run.status === "queued") && now.getTime() - new Date(run.updated_at).getTime() > STALLED_MS;
}

export function StalledRuns() {
  const { role } = useMe();
  const client = useQueryClient();
  const now = useNow();
  const running = useQuery({ queryKey: ["runs", "running"], queryFn: () => listRuns({ status: "running", limit: PAGE_SIZE }) });
  const queued = useQuery({ queryKey: ["runs", "queued"], queryFn: () => listRuns({ status: "queued", limit: PAGE_SIZE }) });
  const cancel = useMutation({
    mutationFn: cancelRun,
    onSuccess: () => showNotice({ tone: "good", text: "Run cancelled." }),
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["runs"] }),
  });
  const error = running.error ?? queued.error;
  if (error) return <ProblemNote error={error} />;
  if (!running.data || !queued.data) return <div className="card"><SkeletonRows /></div>;
  const runs = [...running.data.items, ...queued.data.items];
  const stalled = runs.filter((run) => isStalled(run, now));
  return (
    <section className="card" aria-label="Runs in progress">
      <div className="card-head"><h2>{stalled.length > 0 ? counted(stalled.length, "stalled run") : "No stalled runs"}</h2><span className="quiet">{counted(runs.length, "run")} in progress</span></div>
      {runs.length === 0
        ? <Empty icon="check" title="No runs in progress"><p>A run without an update for 15 minutes is marked as stalled. Docket usually resumes it by itself; if not, cancel it here.</p></Empty>
        : (
          <div className="table-wrap"><table className="table cards">
            <thead><tr><th>Document</th><th>Status</th><th>Last update</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {runs.map((run) => (
                <tr key={run.run_id} data-stalled={isStalled(run, now)}>
                  <td className="cell-name"><DocumentName id={run.doc_id} /></td>
                  <td data-label="Status"><StatusBadge status={run.status} /></td>
                  <td className="cell-when" data-label="Last update"><Time at={run.updated_at} /></td>
                  <td>{may(role, "rerun") && <Button kind="bare" disabled={cancel.isPending} onClick={() => cancel.mutate(run.run_id)}>Cancel</Button>}</td>
                </tr>
              ))}
            </tbody>
          </table></div>
        )}
    </section>
  );
}
