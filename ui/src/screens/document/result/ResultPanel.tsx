/** The fields of a document: what they are, how certain, and where they are on its pages. */
import "./result.css";
import { useEffect, useState } from "react";
import { isNotFound } from "../../../api/problem.ts";
import type { DocumentDetail, ResultView } from "../../../api/types.ts";
import { Badge, Button, Empty, ProblemNote, SkeletonRows } from "../../../design/basics.tsx";
import { useKeys } from "../../../design/keyboard.ts";
import { nameInWords } from "../../../format/fields.ts";
import { counted } from "../../../format/numbers.ts";
import { selectField, type Focus } from "../focus.ts";
import { checkTitle, whyReview } from "./checks.ts";
import { Checks, Warnings } from "./Checks.tsx";
import { NoResultYet, NoTypeRecognised } from "./EmptyResult.tsx";
import { focusField, focusNextReview } from "./FieldMarks.tsx";
import { FieldRow, type FieldView } from "./FieldRow.tsx";
import { definitionOf, knownFields, sectionsOf } from "./fields.ts";
import { GroupTable } from "./GroupTable.tsx";
import { ResultVersions } from "./ResultVersions.tsx";
import type { ShownResult } from "./use-result.ts";

interface ResultPanelProps {
  detail: DocumentDetail;
  shown: ShownResult;
  /** The field of the address. */
  wanted: string | null;
  focus: Focus;
  /** The page that is shown. */
  page: number;
  onPage: (page: number) => void;
  /** Shows another version; null for the current one. */
  onVersion: (version: number | null) => void;
}

export function ResultPanel({ detail, shown, wanted, focus, page, onPage, onVersion }: ResultPanelProps) {
  const { result, type, error } = shown;
  const isLoaded = result !== undefined;
  const [open, setOpen] = useState<string | null>(null);
  useKeys({ n: () => focusNextReview(1), N: () => focusNextReview(-1) });
  useEffect(() => {
    if (isLoaded && wanted !== null) focusField(wanted);
  }, [isLoaded, wanted]);
  useEffect(() => () => selectField(focus, null), [focus]);
  if (error && isNotFound(error) && shown.version !== null) {
    return <Empty icon="search" title={`No version ${shown.version}`}><Button onClick={() => onVersion(null)}>Show the current version</Button></Empty>;
  }
  if (error && isNotFound(error)) return <NoResultYet detail={detail} />;
  if (error && !result) return <ProblemNote error={error} />;
  if (!result) return <SkeletonRows rows={8} />;
  const checks = result.checks ?? [];
  const view: FieldView = {
    focus, page, onPage, open, onOpen: setOpen,
    whyReview: ({ field, path }) => whyReview(field, checks, definitionOf(path, type?.definition), type !== undefined),
    checksOf: (field) => checks.filter(({ name }) => field.checks.includes(name)).map(({ name, passed }) => ({ title: checkTitle(name), passed: passed ?? null })),
  };
  return (
    <div className="result">
      <Head result={result} title={type?.title} onVersion={onVersion} />
      {result.document_type !== "" && <Warnings warnings={result.warnings ?? []} />}
      {result.document_type ? <Sections result={result} known={knownFields(type?.definition)} view={view} /> : <NoTypeRecognised detail={detail} />}
      <Checks result={result} definition={type?.definition} focus={focus} />
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
  if (result.sampled_for_review) counts.push("chosen at random for review, to measure the error rate");
  return (
    <header className="result-head">
      <h2>{name}</h2>
      {result.needs_review ? <Badge tone="warn">Needs review</Badge> : <Badge tone="good">Accepted</Badge>}
      {summary.needs_review > 0 && <Button className="result-next" icon="down" title="Next field that needs review (n)" onClick={() => focusNextReview(1)}>Next to review</Button>}
      {counts.length > 0 && <p className="quiet">{counts.join(" · ")}</p>}
      {result.state !== "current" && (
        <p className="result-older">This is version {result.result_version}, which is not the current one. <Button kind="bare" onClick={() => onVersion(null)}>Show the current version</Button></p>
      )}
    </header>
  );
}
