/** How often accepted fields are wrong, and the error rate that the tenant accepts. */
import "./quality.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { listDocumentTypes, measureQuality, readTenant } from "../../api/endpoints.ts";
import type { Acceptance, MeasuredError, QualityMeasures, TypeQuality } from "../../api/types.ts";
import { Empty, ProblemOrMissing, Segmented, SkeletonRows } from "../../design/basics.tsx";
import { nameInWords, pathInWords } from "../../format/fields.ts";
import { count, counted, finePercent } from "../../format/numbers.ts";
import { day } from "../../format/time.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { AcceptanceForm, TypeRateForm } from "./AcceptanceForm.tsx";
import { errorNote, rateInWords, SPANS, startOf, thresholdInWords, tooFew } from "./quality.ts";
import { topOf } from "./time-chart.ts";
import { TimeChart } from "./TimeChart.tsx";

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
      {quality.data?.types.map((type) => <TypeCard key={type.document_type} type={type} title={titleOf(type.document_type)} interval={interval} acceptance={mayChange ? tenant.data?.acceptance : undefined} />)}
    </>
  );
}

/** With `acceptance`, the accepted error rate of the type can be changed. */
function TypeCard({ type, title, interval, acceptance }: { type: TypeQuality; title: string; interval: "day" | "week"; acceptance: Acceptance | undefined }) {
  const few = tooFew(type.error);
  const errors = type.periods.flatMap(({ starts_at: at, error }) => (error.rate == null ? [] : [{ at, value: error.rate, low: error.low, high: error.high }]));
  const acceptances = type.periods.flatMap(({ starts_at: at, acceptance_rate: value }) => (value == null ? [] : [{ at, value }]));
  return (
    <section className="card" aria-label={title}>
      <div className="card-head"><h2>{title}</h2><span className="quiet">Accepted error rate {finePercent(type.accepted_error_rate)}</span></div>
      <div className="card-body quality-body">
        <div className="tiles">
          <Tile name="Accepted without review" value={type.acceptance_rate == null ? null : finePercent(type.acceptance_rate)} note={type.acceptance_rate == null ? "No value was extracted yet" : `${count(type.accepted)} of ${counted(type.extracted, "value")}`} />
          <ErrorTile name="Error of accepted fields" error={type.error} />
          <ErrorTile name="Error in documents chosen at random" error={type.sampled_error} />
        </div>
        <p>{thresholdInWords(type)}{few !== null && <span className="quiet"> {few}</span>}</p>
        {type.kinds_not_accepted.length > 0 && <NotAccepted kinds={type.kinds_not_accepted} />}
        <div className="charts">
          <TimeChart title="Accepted without review" points={acceptances} period={interval} most={1} empty="No value was extracted in this time." />
          <TimeChart title="Error of accepted fields" points={errors} period={interval} most={topOf([type.accepted_error_rate, ...errors.map(({ value, high }) => high ?? value)])} line={{ at: type.accepted_error_rate, name: `accepted: ${finePercent(type.accepted_error_rate)}` }} empty="No accepted field was reviewed in this time." />
        </div>
        {acceptance && <TypeRateForm key={JSON.stringify(acceptance)} type={type.document_type} title={title} saved={acceptance} />}
      </div>
      <Measures label="By field" heading="Field" rows={type.fields.map((field) => ({ ...field, key: field.field, name: pathInWords(field.field) }))} />
      <Measures label={interval === "week" ? "By week" : "By day"} heading="From" rows={type.periods.map((period) => ({ ...period, key: period.starts_at, name: day(period.starts_at.slice(0, 10)) })).reverse()} />
    </section>
  );
}

function Tile({ name, value, note }: { name: string; value: string | null; note: string }) {
  return (
    <div className="tile">
      <span className="quiet">{name}</span>
      <strong>{value ?? "–"}</strong>
      <span className="quiet">{note}</span>
    </div>
  );
}

function ErrorTile({ name, error }: { name: string; error: MeasuredError }) {
  return <Tile name={name} value={error.rate == null ? null : finePercent(error.rate)} note={errorNote(error)} />;
}

function NotAccepted({ kinds }: { kinds: TypeQuality["kinds_not_accepted"] }) {
  return (
    <div className="quiet">
      <p>These kinds of fields need review always, for now:</p>
      <ul className="bullets">{kinds.map(({ kind, reason }) => <li key={kind}>{nameInWords(kind)}: {reason}</li>)}</ul>
    </div>
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
