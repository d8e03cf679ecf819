/** How often accepted fields are wrong, and the error rate that the tenant accepts. */
import "./quality.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { listDocumentTypes, measureQuality, readTenant } from "../../api/endpoints.ts";
import type { Acceptance, QualityMeasures, TypeQuality } from "../../api/types.ts";
import { Empty, ProblemOrMissing, Segmented, SkeletonRows } from "../../design/basics.tsx";
import { nameInWords, pathInWords } from "../../format/fields.ts";
import { count, finePercent } from "../../format/numbers.ts";
import { day } from "../../format/time.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { AcceptanceForm, TypeRateForm } from "./AcceptanceForm.tsx";
import { errorInWords, rateInWords, SPANS, startOf, thresholdInWords, tooFew } from "./quality.ts";

const SPAN_CHOICES = SPANS.map((value) => ({ value, label: `${value} days` }));
const INTERVALS = [{ value: "week", label: "By week" }, { value: "day", label: "By day" }] as const;

export function Quality() {
  const [params, setParams] = useSearchParams();
  const [openedAt] = useState(() => new Date());
  const days = SPANS.find((span) => span === params.get("days")) ?? "90";
  const interval = params.get("interval") === "day" ? "day" : "week";
  const set = (name: string, value: string) => setParams((now) => new URLSearchParams([...[...now].filter(([key]) => key !== name), [name, value]]), { replace: true });
  const mayChange = may(useMe().role, "acceptance");
  const quality = useQuery({ queryKey: ["quality", days, interval], queryFn: () => measureQuality({ from: startOf(days, openedAt), interval }) });
  const tenant = useQuery({ queryKey: ["tenant"], queryFn: readTenant, enabled: mayChange });
  const types = useQuery({ queryKey: ["document-types"], queryFn: listDocumentTypes });
  const titleOf = (name: string) => types.data?.items.find((type) => type.name === name)?.title ?? nameInWords(name);
  return (
    <>
      <div className="screen-head quality-head">
        <p className="quiet">Reviews measure how often accepted fields are wrong. Docket accepts a field without review only where the data support the error rate that you accept.</p>
        <Segmented label="Time" value={days} choices={SPAN_CHOICES} onChange={(value) => set("days", value)} />
        <Segmented label="Over time" value={interval} choices={INTERVALS} onChange={(value) => set("interval", value)} />
      </div>
      {mayChange && tenant.data && <AcceptanceForm key={JSON.stringify(tenant.data.acceptance)} saved={tenant.data.acceptance} />}
      {tenant.error && <ProblemOrMissing error={tenant.error} what="show the accepted error rate" route="GET /v1/tenant" onRetry={() => void tenant.refetch()} />}
      {quality.error && <ProblemOrMissing error={quality.error} what="measure the quality of extraction" route="GET /v1/quality" onRetry={() => void quality.refetch()} />}
      {quality.isPending && <SkeletonRows rows={8} />}
      {quality.data?.types.length === 0 && <div className="card"><Empty icon="documents" title="Nothing to measure yet"><p>No fields were extracted in this time.</p></Empty></div>}
      {quality.data?.types.map((type) => <TypeCard key={type.document_type} type={type} title={titleOf(type.document_type)} acceptance={mayChange ? tenant.data?.acceptance : undefined} />)}
    </>
  );
}

/** With `acceptance`, the accepted error rate of the type can be changed. */
function TypeCard({ type, title, acceptance }: { type: TypeQuality; title: string; acceptance: Acceptance | undefined }) {
  const few = tooFew(type.error);
  return (
    <section className="card" aria-label={title}>
      <div className="card-head"><h2>{title}</h2><span className="quiet">Accepted error rate {finePercent(type.accepted_error_rate)}</span></div>
      <div className="card-body quality-body">
        <dl className="facts">
          <dt>Accepted without review</dt>
          <dd>{type.acceptance_rate == null ? "No value was extracted yet." : `${finePercent(type.acceptance_rate)} (${count(type.accepted)} of ${count(type.extracted)} values)`}</dd>
          <dt>Error of accepted fields</dt>
          <dd>{errorInWords(type.error)}</dd>
          <dt>In documents chosen at random</dt>
          <dd>{errorInWords(type.sampled_error)}</dd>
        </dl>
        {few !== null && <p className="quiet">{few}</p>}
        <p>{thresholdInWords(type)}</p>
        {type.kinds_not_accepted.length > 0 && <ul className="quiet">{type.kinds_not_accepted.map(({ kind, reason }) => <li key={kind}>{nameInWords(kind)}: {reason}</li>)}</ul>}
        {acceptance && <TypeRateForm key={JSON.stringify(acceptance)} type={type.document_type} title={title} saved={acceptance} />}
      </div>
      <Measures label="Fields" heading="Field" rows={type.fields.map((field) => ({ ...field, key: field.field, name: pathInWords(field.field) }))} />
      <Measures label="Over time" heading="From" rows={type.periods.map((period) => ({ ...period, key: period.starts_at, name: day(period.starts_at.slice(0, 10)) }))} />
    </section>
  );
}

type MeasureRow = QualityMeasures & { key: string; name: string };

function Measures({ label, heading, rows }: { label: string; heading: string; rows: readonly MeasureRow[] }) {
  if (rows.length === 0) return null;
  return (
    <details className="quality-details">
      <summary>{label}</summary>
      <div className="table-wrap">
        <table className="table cards">
          <thead><tr><th>{heading}</th><th className="number">Values</th><th className="number">Accepted</th><th>Error of accepted fields (95% interval)</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <td className="cell-name">{row.name}</td>
                <td className="number" data-label="Values">{count(row.extracted)}</td>
                <td className="number" data-label="Accepted">{row.acceptance_rate == null ? "–" : finePercent(row.acceptance_rate)}</td>
                <td data-label="Error">{rateInWords(row.error)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
