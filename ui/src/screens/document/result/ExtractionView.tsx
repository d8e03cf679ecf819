/** Extracted fields in sections, trades and lines as tables, and the checks. */
import { useState } from "react";
import type { DocumentTypeDefinition, ResultView } from "../../../api/types.ts";
import type { Focus } from "../focus.ts";
import { checkTitle, whyReview } from "./checks.ts";
import { Checks } from "./Checks.tsx";
import { FieldRow, type FieldView } from "./FieldRow.tsx";
import { definitionOf, knownFields, sectionsOf } from "./fields.ts";
import { GroupTable } from "./GroupTable.tsx";

interface ExtractionViewProps {
  extraction: Pick<ResultView, "fields" | "trades" | "lines" | "checks">;
  /** The fields are shown without it too, in the order of their names. */
  definition: DocumentTypeDefinition | undefined;
  focus: Focus;
  /** The page that is shown beside the fields. */
  page: number;
  onPage: (page: number) => void;
}

export function ExtractionView({ extraction, definition, focus, page, onPage }: ExtractionViewProps) {
  const [open, setOpen] = useState<string | null>(null);
  const known = knownFields(definition);
  const checks = extraction.checks ?? [];
  const view: FieldView = {
    focus, page, onPage, open, onOpen: setOpen,
    whyReview: ({ field, path }) => whyReview(field, checks, definitionOf(path, definition), definition !== undefined),
    checksOf: (field) => checks.filter(({ name }) => field.checks.includes(name)).map(({ name, passed }) => ({ title: checkTitle(name), passed: passed ?? null })),
  };
  return (
    <>
      {sectionsOf(extraction.fields ?? {}, known).map(({ title, fields }) => (
        <section key={title} className="result-section" aria-label={title || "Fields"}>
          {title && <h2>{title}</h2>}
          <ul className="result-fields">{fields.map((placed) => <FieldRow key={placed.path} placed={placed} view={view} />)}</ul>
        </section>
      ))}
      <GroupTable group="trades" items={extraction.trades ?? []} known={known} view={view} />
      <GroupTable group="lines" items={extraction.lines ?? []} known={known} view={view} />
      <Checks result={extraction} definition={definition} focus={focus} />
    </>
  );
}
