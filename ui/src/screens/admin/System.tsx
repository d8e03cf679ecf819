/** The server's health and queues, and the tenant's limits and usage. */
import { useQuery } from "@tanstack/react-query";
import { countDocuments, listQueues, readHealth, readTenant } from "../../api/endpoints.ts";
import { isMissingRoute } from "../../api/problem.ts";
import type { Tenant } from "../../api/types.ts";
import { Badge, MissingNote, ProblemNote, sentence, SkeletonRows, statusInWords } from "../../design/basics.tsx";
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
        <div className="card-head"><h2>Dependencies</h2>{health.data && <Badge tone={health.data.status === "ok" ? "good" : "bad"}>{health.data.status === "ok" ? "Healthy" : "Not ready"}</Badge>}</div>
        {health.isPending && <SkeletonRows rows={3} />}
        {health.error && <div className="card-body"><ProblemNote error={health.error} /></div>}
        <ul className="dependencies">
          {health.data?.dependencies.map((dependency) => (
            <li key={dependency.name}>
              <span>{dependency.name}</span>
              <Badge tone={dependency.status === "ok" ? "good" : "bad"}>{dependency.status === "ok" ? "Healthy" : "Unavailable"}</Badge>
              {dependency.problem && <p className="run-problem">{dependency.problem}</p>}
            </li>
          ))}
          {health.data && <li><span>Docket version</span><code>{health.data.version}</code></li>}
        </ul>
      </section>
      <section className="card" aria-label="Queues">
        <div className="card-head"><h2>Queues</h2></div>
        {queues.error && <div className="card-body"><ProblemNote error={queues.error} /></div>}
        {queues.isPending && <SkeletonRows rows={4} />}
        {queues.data && stages.length === 0 && <p className="card-body quiet">No jobs yet.</p>}
        {stages.length > 0 && (
          <div className="table-wrap">
            <table className="table cards">
              <thead><tr><th>Stage</th><th className="number">Queued</th><th className="number">Processing</th><th className="number">Needs attention</th><th className="number">Oldest</th><th className="number">Last minute</th></tr></thead>
              <tbody>
                {stages.map((queue) => (
                  <tr key={queue.stage}>
                    <td className="cell-name">{queue.stage}</td>
                    <td className="number" data-label="Queued">{queue.paused > 0 && <><Badge tone="warn">{count(queue.paused)} paused</Badge> </>}{count(queue.waiting)}</td>
                    <td className="number" data-label="Processing">{count(queue.in_flight)}</td>
                    <td className="number" data-label="Needs attention">{count(queue.dead)}</td>
                    <td className="number" data-label="Oldest">{queue.oldest_age_seconds == null ? "–" : duration(queue.oldest_age_seconds * 1000)}</td>
                    <td className="number" data-label="Last minute">{count(queue.finished_last_minute)}</td>
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
      {isMissingRoute(tenant.error) && <MissingNote what="show limits and usage" route="GET /v1/tenant" />}
      {tenant.error && !isMissingRoute(tenant.error) && <ProblemNote error={tenant.error} />}
      <div className="admin-columns">
        {tenant.data && <UsageCard tenant={tenant.data} />}
        <section className="card" aria-label="Documents">
          <div className="card-head"><h2>Documents by status</h2></div>
          {summary.isPending && <SkeletonRows rows={5} />}
          {summary.data && (
            <dl className="facts card-body">
              {Object.entries(summary.data).map(([name, amount]) => <FactRow key={name} name={sentence(statusInWords(name).replaceAll("_", " "))} value={count(amount)} />)}
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
      <dt>{name}</dt>
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
        <Meter name="Queued runs" used={usage.waiting_runs} limit={limits.queue_quota} format={count} />
        {limits.storage_quota_bytes != null && (
          <Meter name="Stored originals" used={usage.bytes} limit={limits.storage_quota_bytes} format={bytes} />
        )}
        <dl className="facts">
          <FactRow name="Documents" value={count(usage.documents)} />
          {limits.storage_quota_bytes == null && <FactRow name="Stored originals" value={bytes(usage.bytes)} />}
          <FactRow name="Users" value={count(usage.users)} />
          <FactRow name="Largest upload" value={bytes(limits.max_upload_bytes)} />
          <FactRow name="Concurrent uploads" value={count(limits.concurrent_uploads)} />
          <FactRow name="Requests per second" value={count(limits.requests_per_second)} />
          <FactRow name="Pipeline" value={pipeline.length > 0 ? pipeline.join(" → ") : "Default pipeline"} />
          <FactRow name="Masked regions" value={masks.length === 0 ? "none" : count(masks.length)} />
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
