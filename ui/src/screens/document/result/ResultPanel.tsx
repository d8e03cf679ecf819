/** The fields of a document: what they are, how certain, and where they are on its pages. */
import "./result.css";
import { useEffect } from "react";
import { isNotFound } from "../../../api/problem.ts";
import type { DocumentDetail, ResultView } from "../../../api/types.ts";
import { Badge, Button, Empty, ProblemNote, SkeletonRows } from "../../../design/basics.tsx";
import { nameInWords } from "../../../format/fields.ts";
import { counted } from "../../../format/numbers.ts";
import type { Focus } from "../focus.ts";
import { Checks, Warnings } from "./Checks.tsx";
import { NoResultYet, NoTypeRecognised } from "./EmptyResult.tsx";
import { focusField } from "./FieldMarks.tsx";
import { FieldRow, type FieldView } from "./FieldRow.tsx";
import { knownFields, sectionsOf } from "./fields.ts";
import { GroupTable } from "./GroupTable.tsx";
import { ResultVersions } from "./ResultVersions.tsx";
import type { ShownResult } from "./use-result.ts";

interface ResultPanelProps {
  detail: DocumentDetail;
  shown: ShownResult;
  /** The field of the address. */
  wanted: string | null;
  focus: Focus;
  onPage: (page: number) => void;
  /** Shows another version; null for the current one. */
  onVersion: (version: number | null) => void;
}

export function ResultPanel({ detail, shown, wanted, focus, onPage, onVersion }: ResultPanelProps) {
  const { result, type, error } = shown;
  const isLoaded = result !== undefined;
  useEffect(() => {
    if (isLoaded && wanted !== null) focusField(wanted);
  }, [isLoaded, wanted]);
  useEffect(() => () => focus.field.set(null), [focus]);
  if (error && isNotFound(error) && shown.version !== null) {
    return <Empty icon="search" title={`No version ${shown.version}`}><Button onClick={() => onVersion(null)}>Show the current version</Button></Empty>;
  }
  if (error && isNotFound(error)) return <NoResultYet detail={detail} />;
  if (error && !result) return <ProblemNote error={error} />;
  if (!result) return <SkeletonRows rows={8} />;
  const view: FieldView = { focus, onPage };
  const known = knownFields(type?.definition);
  return (
    <div className="result">
      <Head result={result} title={type?.title} onVersion={onVersion} />
      <Warnings warnings={result.warnings ?? []} />
      {result.document_type ? <Sections result={result} known={known} view={view} /> : <NoTypeRecognised detail={detail} />}
      <Checks checks={result.checks ?? []} />
      <ResultVersions id={detail.doc_id} shown={result.result_version} onVersion={onVersion} />
    </div>
  );
}

function Sections({ result, known, view }: { result: ResultView; known: ReturnType<typeof knownFields>; view: FieldView }) {
  return (
    <>
      {sectionsOf(result.fields ?? {}, known).map(({ title, fields }) => (
        <section key={title} className="result-section" aria-label={title || "Fields"}>
          {title && <h2>{title}</h2>}
          <ul className="result-fields">{fields.map((placed) => <FieldRow key={placed.path} placed={placed} view={view} />)}</ul>
        </section>
      ))}
      <GroupTable group="trades" items={result.trades ?? []} known={known} view={view} />
      <GroupTable group="lines" items={result.lines ?? []} known={known} view={view} />
    </>
  );
}

function Head({ result, title, onVersion }: { result: ResultView; title: string | undefined; onVersion: (version: number | null) => void }) {
  const { summary } = result;
  const name = result.document_type ? (title ?? nameInWords(result.document_type)) : "No document type";
  const counts = [
    summary.needs_review > 0 && `${counted(summary.needs_review, "field needs", "fields need")} review`,
    summary.failed_checks > 0 && `${counted(summary.failed_checks, "check")} failed`,
    summary.missing > 0 && `${counted(summary.missing, "field")} missing`,
  ].filter((part) => typeof part === "string");
  return (
    <header className="result-head">
      <h2>{name}</h2>
      {result.needs_review ? <Badge tone="warn">Needs review</Badge> : <Badge tone="good">Accepted</Badge>}
      <span className="quiet">{counts.join(" · ")}{result.sampled_for_review && `${counts.length > 0 ? " · " : ""}chosen at random for review, to measure the error rate`}</span>
      {result.state !== "current" && (
        <p className="result-older">This is version {result.result_version}, which is not the current one. <Button kind="bare" onClick={() => onVersion(null)}>Show the current version</Button></p>
      )}
    </header>
  );
}
