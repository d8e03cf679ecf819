/** The server itself: what it depends on, and what a tenant may use of it. */
import { useQuery } from "@tanstack/react-query";
import { countDocuments, listQueues, readHealth, readTenant } from "../../api/endpoints.ts";
import { isMissingRoute } from "../../api/problem.ts";
import type { Tenant } from "../../api/types.ts";
import { Badge, MissingNote, ProblemNote, SkeletonRows } from "../../design/basics.tsx";
import { bytes, count } from "../../format/numbers.ts";
import { byStage } from "../../format/stages.ts";
import { duration } from "../../format/time.ts";

export function Health() {
  const health = useQuery({ queryKey: ["health"], queryFn: readHealth, refetchInterval: 5_000 });
  const queues = useQuery({ queryKey: ["queues"], queryFn: listQueues });
  const stages = [...(queues.data?.queues ?? [])].sort((a, b) => byStage(a.stage, b.stage));
  return (
    <div className="admin-columns">
      <section className="card" aria-label="Dependencies">
        <div className="card-head"><h2>What Docket depends on</h2>{health.data && <Badge tone={health.data.status === "ok" ? "good" : "bad"}>{health.data.status === "ok" ? "All well" : "Not ready"}</Badge>}</div>
        {health.isPending && <SkeletonRows rows={3} />}
        {health.error && <div className="card-body"><ProblemNote error={health.error} /></div>}
        <ul className="dependencies">
          {health.data?.dependencies.map((dependency) => (
            <li key={dependency.name}>
              <span>{dependency.name}</span>
              <Badge tone={dependency.status === "ok" ? "good" : "bad"}>{dependency.status === "ok" ? "Well" : "Away"}</Badge>
              {dependency.problem && <p className="run-problem">{dependency.problem}</p>}
            </li>
          ))}
          {health.data && <li><span>version</span><code>{health.data.version}</code></li>}
        </ul>
      </section>
      <section className="card" aria-label="Stages">
        <div className="card-head"><h2>Stages</h2></div>
        {queues.error && <div className="card-body"><ProblemNote error={queues.error} /></div>}
        {queues.isPending && <SkeletonRows rows={4} />}
        {queues.data && stages.length === 0 && <p className="card-body quiet">Nothing was worked on yet.</p>}
        {stages.length > 0 && (
          <div className="table-wrap">
            <table className="table">
              <thead><tr><th>Stage</th><th className="number">Waiting</th><th className="number">At work</th><th className="number">Given up</th><th className="number">Oldest</th><th className="number">Last minute</th></tr></thead>
              <tbody>
                {stages.map((queue) => (
                  <tr key={queue.stage}>
                    <td>{queue.stage}</td>
                    <td className="number">{queue.paused > 0 && <><Badge tone="warn">{count(queue.paused)} paused</Badge> </>}{count(queue.waiting)}</td>
                    <td className="number">{count(queue.in_flight)}</td>
                    <td className="number">{count(queue.dead)}</td>
                    <td className="number">{queue.oldest_age_seconds == null ? "–" : duration(queue.oldest_age_seconds * 1000)}</td>
                    <td className="number">{count(queue.finished_last_minute)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
    </div>
  );
}

export function Usage() {
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: readTenant });
  const summary = useQuery({ queryKey: ["summary"], queryFn: countDocuments });
  return (
    <>
      {isMissingRoute(tenant.error) && <MissingNote what="tell limits and usage" route="GET /v1/tenant" />}
      {tenant.error && !isMissingRoute(tenant.error) && <ProblemNote error={tenant.error} />}
      <div className="admin-columns">
        {tenant.data && <UsageCard tenant={tenant.data} />}
        <section className="card" aria-label="Documents">
          <div className="card-head"><h2>Documents by state</h2></div>
          {summary.isPending && <SkeletonRows rows={5} />}
          {summary.data && (
            <dl className="facts card-body">
              {Object.entries(summary.data).map(([name, amount]) => <FactRow key={name} name={name} value={count(amount)} />)}
            </dl>
          )}
        </section>
      </div>
    </>
  );
}

function FactRow({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name.replaceAll("_", " ")}</dt>
      <dd>{value}</dd>
    </>
  );
}

function UsageCard({ tenant }: { tenant: Tenant }) {
  const { limits, usage, rules: { pipeline = [], masks = [] } } = tenant;
  return (
    <section className="card" aria-label="Limits and usage">
      <div className="card-head"><h2>{tenant.name}</h2></div>
      <div className="card-body usage">
        <Meter name="Runs that wait" used={usage.waiting_runs} limit={limits.queue_quota} format={count} />
        {limits.storage_quota_bytes != null && (
          <Meter name="Stored originals" used={usage.bytes} limit={limits.storage_quota_bytes} format={bytes} />
        )}
        <dl className="facts">
          <FactRow name="documents" value={count(usage.documents)} />
          {limits.storage_quota_bytes == null && <FactRow name="stored originals" value={bytes(usage.bytes)} />}
          <FactRow name="users" value={count(usage.users)} />
          <FactRow name="largest upload" value={bytes(limits.max_upload_bytes)} />
          <FactRow name="uploads at once" value={count(limits.concurrent_uploads)} />
          <FactRow name="requests a second" value={count(limits.requests_per_second)} />
          <FactRow name="pipeline" value={pipeline.length > 0 ? pipeline.join(" → ") : "the usual one"} />
          <FactRow name="masked regions" value={masks.length === 0 ? "none" : count(masks.length)} />
        </dl>
      </div>
    </section>
  );
}

function Meter({ name, used, limit, format }: { name: string; used: number; limit: number; format: (value: number) => string }) {
  const share = limit > 0 ? Math.min(1, used / limit) : 0;
  return (
    <div>
      <p className="screen-head"><span>{name}</span><span className="quiet">{format(used)} of {format(limit)}</span></p>
      <div className="bar"><span style={{ width: `${share * 100}%` }} /></div>
    </div>
  );
}
