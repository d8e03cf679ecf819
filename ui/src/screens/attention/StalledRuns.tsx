import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { cancelRun, listRuns, PAGE_SIZE } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { RunView } from "../../api/types.ts";
import { Button, Empty, ProblemNote, SkeletonRows, StatusBadge, Time, useNow } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { DocumentName } from "./DeadLetters.tsx";

/** A run that nobody touched for as long as the server's own guard waits. */
const STALE_MS = 15 * 60_000;

/** A stage that is paused waits for something by name, however long; the server takes it up when that works again. */
export function isStale(run: RunView, now: Date): boolean {
  if (run.stages.some((stage) => stage.waiting_for != null)) return false;
  return (run.status === "running" || run.status === "queued") && now.getTime() - new Date(run.updated_at).getTime() > STALE_MS;
}

export function StaleRuns() {
  const { role } = useMe();
  const client = useQueryClient();
  const now = useNow();
  const running = useQuery({ queryKey: ["runs", "running"], queryFn: () => listRuns({ status: "running", limit: PAGE_SIZE }) });
  const queued = useQuery({ queryKey: ["runs", "queued"], queryFn: () => listRuns({ status: "queued", limit: PAGE_SIZE }) });
  const cancel = useMutation({
    mutationFn: cancelRun,
    onSuccess: () => tell({ tone: "good", text: "The run is cancelled." }),
    onError: (error) => tell({ tone: "bad", text: messageOf(error) }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["runs"] }),
  });
  const error = running.error ?? queued.error;
  if (error) return <ProblemNote error={error} />;
  if (!running.data || !queued.data) return <div className="card"><SkeletonRows /></div>;
  const runs = [...running.data.items, ...queued.data.items];
  const stale = runs.filter((run) => isStale(run, now));
  return (
    <section className="card" aria-label="Runs under way">
      <div className="card-head"><h2>{stale.length > 0 ? `${counted(stale.length, "run")} without a sign of life` : "No run is stale"}</h2><span className="quiet">{counted(runs.length, "run")} under way</span></div>
      {runs.length === 0
        ? <Empty icon="check" title="Nothing is under way"><p>A run that shows no sign of life for 15 minutes is marked here. The server takes such runs up by itself; this is for those it cannot.</p></Empty>
        : (
          <table className="table stacked">
            <thead><tr><th>Document</th><th>State</th><th>Last sign</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {runs.map((run) => (
                <tr key={run.run_id} data-stale={isStale(run, now)}>
                  <td className="cell-name"><DocumentName id={run.doc_id} /></td>
                  <td><StatusBadge status={run.status} /></td>
                  <td className="cell-when"><Time at={run.updated_at} /></td>
                  <td>{may(role, "rerun") && <Button kind="bare" disabled={cancel.isPending} onClick={() => cancel.mutate(run.run_id)}>Cancel</Button>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
    </section>
  );
}
