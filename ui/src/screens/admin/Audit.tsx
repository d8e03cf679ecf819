import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { listAudit, verifyAudit } from "../../api/endpoints.ts";
import type { AuditEntry, AuditQuery } from "../../api/types.ts";
import { Button, Empty, Field, ProblemNote, ProblemOrMissing, SkeletonRows, Time, TraceId } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { counted } from "../../format/numbers.ts";

const ROWS = 50;
const ACTIONS = [
  "TENANT_CREATED", "TENANT_LIMITS_CHANGED", "TENANT_RULES_CHANGED", "DOCUMENT_TYPE_CHANGED", "DOCUMENT_TYPE_WITHDRAWN", "USER_CREATED", "USER_UPDATED", "USER_DEACTIVATED", "USER_LOGIN", "USER_LOGIN_FAILED", "USER_LOGOUT", "API_KEY_CREATED", "API_KEY_REVOKED",
  "DOCUMENT_UPLOAD_QUEUED", "DOCUMENT_RERUN_QUEUED", "DOCUMENT_DEACTIVATED", "DOCUMENT_DELETED", "DOCUMENT_TAGGED", "DOCUMENT_RENAMED", "DOCUMENT_RESTORED", "LAYOUT_LEARNT", "LAYOUT_MEMORY_DELETED", "OWNER_ADDED", "BATCH_CREATED", "JOB_CREATED", "JOB_STARTED", "JOB_COMPLETED",
  "JOB_RETRY_SCHEDULED", "JOB_RELEASED", "JOB_FAILED", "JOB_RETRIED_BY_ADMIN", "JOB_DISCARDED", "RUN_CANCELLED", "RUN_CLOSED", "RESULT_CREATED", "RESULT_PROMOTED",
];
const FILTERS = ["action", "actor", "entity_type", "entity_id", "doc_id", "from", "to"] as const;

/** The filters of the address as the server expects them: days become times, and empty filters are left out. */
export function auditQuery(params: URLSearchParams): AuditQuery {
  const query: Record<string, string> = {};
  for (const name of FILTERS) {
    const value = params.get(name)?.trim();
    if (!value) continue;
    if (name === "from") query[name] = new Date(`${value}T00:00:00`).toISOString();
    else if (name === "to") query[name] = dayAfter(value).toISOString();
    else query[name] = value;
  }
  return query;
}

/** “To” includes the day itself. */
function dayAfter(day: string): Date {
  const moment = new Date(`${day}T00:00:00`);
  moment.setDate(moment.getDate() + 1);
  return moment;
}

export function Audit() {
  const [params, setParams] = useSearchParams();
  const query = auditQuery(params);
  const log = useInfiniteQuery({
    queryKey: ["audit", query],
    queryFn: ({ pageParam, signal }) => listAudit({ ...query, limit: ROWS, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = log.data?.pages.flatMap((page) => page.items) ?? [];
  const set = (name: string, value: string) => setParams((now) => {
    const next = new URLSearchParams(now);
    if (value) next.set(name, value);
    else next.delete(name);
    return next;
  }, { replace: true });
  return (
    <>
      <Verification />
      <section className="card" aria-label="Audit log">
        <div className="audit-filters">
          <Field label="Action">
            <select className="input" value={params.get("action") ?? ""} onChange={(event) => set("action", event.target.value)}>
              <option value="">All actions</option>
              {[...new Set([...ACTIONS, ...rows.map((row) => row.action)])].map((action) => <option key={action} value={action}>{actionLabel(action)}</option>)}
            </select>
          </Field>
          <Field label="Actor"><input className="input" data-search list="audit-actors" placeholder="email, key name or system" value={params.get("actor") ?? ""} onChange={(event) => set("actor", event.target.value)} /></Field>
          <datalist id="audit-actors">{actorNames(rows).map((name) => <option key={name} value={name} />)}</datalist>
          <Field label="About">
            <select className="input" value={params.get("entity_type") ?? ""} onChange={(event) => set("entity_type", event.target.value)}>
              <option value="">All</option>
              {["document", "run", "job", "batch", "user", "api_key", "tenant"].map((kind) => <option key={kind}>{kind}</option>)}
            </select>
          </Field>
          <Field label="From"><input className="input" type="date" value={params.get("from") ?? ""} onChange={(event) => set("from", event.target.value)} /></Field>
          <Field label="To"><input className="input" type="date" value={params.get("to") ?? ""} onChange={(event) => set("to", event.target.value)} /></Field>
        </div>
        {log.isPending && <SkeletonRows rows={8} />}
        {log.error && <div className="card-body"><ProblemNote error={log.error} onRetry={() => void log.refetch()} /></div>}
        {log.data && rows.length === 0 && <Empty icon="search" title="No matching entries" />}
        {rows.length > 0 && <Entries rows={rows} />}
        {log.hasNextPage && <div className="card-body"><Button disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>Load earlier entries</Button></div>}
      </section>
    </>
  );
}

/** The displayed names of the actors in the rows, as suggestions. */
export function actorNames(rows: readonly AuditEntry[]): string[] {
  return [...new Set(rows.map((row) => row.actor_name ?? row.actor))].sort();
}

function actionLabel(action: string): string {
  const words = action.toLowerCase().replaceAll("_", " ").replace("api key", "API key");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Entries({ rows }: { rows: readonly AuditEntry[] }) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <div className="table-wrap">
      <table className="table cards audit-table">
        <thead><tr><th>When</th><th>Action</th><th>Actor</th><th>About</th><th>Position</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <Fragment key={row.audit_id}>
              <tr>
                <td className="cell-when" data-label="When"><Time at={row.ts} /></td>
                <td className="cell-name"><button type="button" className="audit-open" aria-expanded={open === row.audit_id} onClick={() => setOpen(open === row.audit_id ? null : row.audit_id)}>{actionLabel(row.action)}</button></td>
                <td className="cell-id" data-label="Actor" title={row.actor}>{row.actor_name ?? row.actor}</td>
                <td data-label="About"><EntityLink row={row} /></td>
                <td className="quiet cell-when" data-label="Position">{row.lane}·{row.position}</td>
              </tr>
              {open === row.audit_id && (
                <tr className="audit-more">
                  <td colSpan={5}>
                    <pre className="json">{JSON.stringify(row.detail, null, 2)}</pre>
                    <p className="trace">hash <code>{row.hash}</code></p>
                    {row.trace_id && <TraceId id={row.trace_id} />}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EntityLink({ row }: { row: AuditEntry }) {
  const id = <code title={row.entity_id}>{row.entity_id.slice(0, 8)}…</code>;
  return <>{row.entity_type} {row.entity_type === "document" ? <Link href={`/documents/${row.entity_id}`}>{id}</Link> : <span className="quiet">{id}</span>}</>;
}

/** Every entry contains the hash of the entry before it in its chain, so a changed or removed entry is detected. */
function Verification() {
  const verify = useMutation({ mutationFn: verifyAudit });
  const { data } = verify;
  return (
    <div className="verification">
      <div className="screen-head">
        <p className="quiet">Each entry contains the hash of the one before it, and signed checkpoints reveal a rewritten chain. Verification checks all of them.</p>
        <Button icon="admin" disabled={verify.isPending} onClick={() => verify.mutate()}>{verify.isPending ? "Verifying…" : "Verify chain"}</Button>
      </div>
      {verify.error && <ProblemOrMissing error={verify.error} what="verify the audit log here; run “docket audit verify” on the server" route="GET /v1/audit/verify" />}
      {data?.is_whole && <div className="note" role="status"><Icon name="check" /><div>{counted(data.rows, "entry", "entries")}: none changed, moved or removed. {data.last_checkpoint_at ? <>Compared with {counted(data.checkpoints, "signed checkpoint")}, the latest from <Time at={data.last_checkpoint_at} />.</> : "There is no signed checkpoint yet."}</div></div>}
      {data && !data.is_whole && (
        <div className="note bad" role="alert">
          <Icon name="alert" />
          <div>
            <strong>The chain is broken in {counted(data.faults.length, "place")}.</strong>
            <ul>{data.faults.map((fault) => <li key={fault}>{fault}</li>)}</ul>
          </div>
        </div>
      )}
    </div>
  );
}
