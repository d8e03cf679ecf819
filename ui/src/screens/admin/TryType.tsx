/** Tries a definition on a document: shows the fields that it extracts, before anybody stores it. */
import "../document/result/result.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { Link } from "wouter";
import { listDocuments } from "../../api/endpoints.ts";
import type { DocumentTypeDefinition, DryRun } from "../../api/types.ts";
import { Button, Empty, Field, ProblemNote } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { pathInWords } from "../../format/fields.ts";
import { newFocus } from "../document/focus.ts";
import { Warnings } from "../document/result/Checks.tsx";
import { ExtractionView } from "../document/result/ExtractionView.tsx";
import { useDebounced } from "../documents/use-debounced.ts";

/** What was tried. */
export interface Trial {
  documentId: string;
  definition: DocumentTypeDefinition;
}

interface TryTypeProps {
  /** Tries the definition as it is in the editor now. */
  onTry: (documentId: string) => void;
  isPending: boolean;
  tried: (Trial & { result: DryRun }) | null;
  /** The editor has another text by now. */
  isOutdated: boolean;
  /** An error that is not about the definition. */
  error: Error | null;
}

const MOST_DOCUMENTS = 50;

export function TryType({ onTry, isPending, tried, isOutdated, error }: TryTypeProps) {
  const [wanted, setWanted] = useState("");
  const [typed, setTyped] = useDebounced(wanted, setWanted);
  const [chosen, setChosen] = useState("");
  const documents = useQuery({
    queryKey: ["documents", "to-try", wanted],
    queryFn: () => listDocuments({ status: "active", limit: MOST_DOCUMENTS, search: wanted.trim() || undefined }),
    placeholderData: keepPreviousData,
  });
  const items = documents.data?.items ?? [];
  const document = items.find(({ doc_id: id }) => id === chosen) ?? items[0];
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (document) onTry(document.doc_id);
  };
  return (
    <section className="card" aria-label="Try on a document">
      <div className="card-head"><h2>Try on a document</h2></div>
      <div className="card-body type-editor">
        <form className="try-choice" onSubmit={submit}>
          <Field label="Find a document"><input className="input" type="search" value={typed} onChange={(event) => setTyped(event.target.value)} /></Field>
          <Field label="Document">
            <select className="input" value={document?.doc_id ?? ""} onChange={(event) => setChosen(event.target.value)}>
              {items.length === 0 && <option value="">{documents.isPending ? "Loading" : "No document found"}</option>}
              {items.map(({ doc_id: id, title }) => <option key={id} value={id}>{title}</option>)}
            </select>
          </Field>
          <Button type="submit" icon="search" disabled={!document || isPending}>{isPending ? "Trying" : "Try"}</Button>
        </form>
        <p className="quiet">Shows the fields that this definition extracts from the pages of a document. Nothing is stored.</p>
        {(documents.error ?? error) && <ProblemNote error={documents.error ?? error} />}
        {tried && <Tried tried={tried} isOutdated={isOutdated} />}
      </div>
    </section>
  );
}

function Tried({ tried: { documentId, definition, result }, isOutdated }: { tried: NonNullable<TryTypeProps["tried"]>; isOutdated: boolean }) {
  const [focus] = useState(newFocus);
  const found = [result.fields ?? {}, ...(result.trades ?? []), ...(result.lines ?? [])].flatMap((fields) => Object.values(fields)).filter(({ value }) => value != null);
  return (
    <div className="result" role="region" aria-label="What the definition extracts">
      {isOutdated && <div className="note" role="status"><Icon name="info" /><p>You changed the definition since. Try it again.</p></div>}
      {result.problems.length > 0 && (
        <div className="note bad" role="alert">
          <Icon name="alert" />
          <ul>{result.problems.map(({ path, message }, at) => <li key={at}>{path === "" ? "" : `${pathInWords(path)}: `}{message}</li>)}</ul>
        </div>
      )}
      <Warnings warnings={result.warnings ?? []} />
      {found.length === 0 && <Empty icon="search" title="No values found"><p>Check the labels of the fields against the words on the page.</p></Empty>}
      <ExtractionView extraction={result} definition={definition} focus={focus} page={1} onPage={() => undefined} />
      <p><Link href={`/documents/${documentId}?tab=text`} target="_blank">Open the document</Link> <span className="quiet">in a new tab</span></p>
    </div>
  );
}
