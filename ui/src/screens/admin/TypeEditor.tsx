/** Edits a document type: title and description in fields, the rest as JSON. Saving adds a version. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type RefObject, type SyntheticEvent } from "react";
import { useLocation } from "wouter";
import { saveDocumentType } from "../../api/endpoints.ts";
import { Button, Field, ProblemNote } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { showNotice } from "../../live/notices.ts";
import { definitionOf, problemsOf, rangeOfLine, type Draft, type Problem } from "./document-types.ts";

export function TypeEditor({ saved, isNew = false }: { saved: Draft; isNew?: boolean }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(saved);
  const [invalid, setInvalid] = useState<Problem | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const save = useMutation({
    mutationFn: ({ name, definition }: { name: string; definition: object }) => saveDocumentType(name, definition),
    onSuccess: async (type) => {
      showNotice({ tone: "good", text: `${type.title}: version ${type.version} applies to documents that are processed from now on.` });
      navigate(`/admin/types?type=${encodeURIComponent(type.name)}`);
      await client.invalidateQueries({ queryKey: ["document-types"] });
    },
    onError: (error) => showFirst(problemsOf(error, draft.text)),
  });
  const change = (how: Partial<Draft>) => setDraft((now) => ({ ...now, ...how }));
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const made = definitionOf(draft);
    save.reset();
    setInvalid("problem" in made ? made.problem : null);
    if ("problem" in made) showFirst([made.problem]);
    if ("definition" in made) save.mutate({ name: draft.name.trim(), definition: made.definition });
  };
  const goToLine = (line: number) => {
    area.current?.focus();
    area.current?.setSelectionRange(...rangeOfLine(draft.text, line));
    const height = (area.current?.scrollHeight ?? 0) / Math.max(1, draft.text.split("\n").length);
    if (area.current) area.current.scrollTop = Math.max(0, (line - 4) * height);
  };
  const showFirst = (found: readonly Problem[]) => {
    const line = found.find((problem) => problem.line !== null)?.line;
    if (line != null) goToLine(line);
  };
  const problems = invalid ? [invalid] : problemsOf(save.error, draft.text);
  return (
    <form className="card" aria-label={isNew ? "New document type" : `Edit ${saved.title}`} onSubmit={submit}>
      <div className="card-head"><h2>{isNew ? "New document type" : `Edit ${saved.title}`}</h2></div>
      <div className="card-body type-editor">
        {isNew && <Field label="Name" note="Lower-case letters, digits and underscores. The name of a built-in type replaces that type."><input className="input" name="type-name" required pattern="[a-z0-9_]+" autoComplete="off" placeholder="delivery_note" value={draft.name} onChange={(event) => change({ name: event.target.value })} /></Field>}
        <Field label="Title"><input className="input" name="type-title" required maxLength={200} value={draft.title} onChange={(event) => change({ title: event.target.value })} /></Field>
        <Field label="Description"><input className="input" name="type-description" maxLength={2000} value={draft.description} onChange={(event) => change({ description: event.target.value })} /></Field>
        <Field label="Definition, as JSON" note="The guide “Document types” explains fields, phrases, constraints and the schema.">
          <JsonText ref={area} text={draft.text} marked={new Set(problems.map(({ line }) => line))} onChange={(text) => change({ text })} />
        </Field>
        <Problems problems={problems} onLine={goToLine} />
        {save.error && problems.length === 0 && <ProblemNote error={save.error} />}
        <div className="dialog-foot">
          <Button onClick={() => navigate(isNew ? "/admin/types" : `/admin/types?type=${encodeURIComponent(saved.name)}`)}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={save.isPending}>{isNew ? "Create type" : "Save as next version"}</Button>
        </div>
      </div>
    </form>
  );
}

/** A text with the numbers of its lines. The lines of problems are marked. */
function JsonText({ ref, text, marked, onChange }: { ref: RefObject<HTMLTextAreaElement | null>; text: string; marked: ReadonlySet<number | null>; onChange: (text: string) => void }) {
  const gutter = useRef<HTMLSpanElement>(null);
  const lines = text.split("\n").length;
  return (
    <span className="json-text">
      <span ref={gutter} className="json-gutter" aria-hidden="true">
        {Array.from({ length: lines }, (_, at) => <span key={at} data-marked={marked.has(at + 1)}>{at + 1}</span>)}
      </span>
      <textarea
        ref={ref}
        className="input type-json"
        spellCheck={false}
        rows={24}
        wrap="off"
        aria-invalid={marked.size > 0}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </span>
  );
}

function Problems({ problems, onLine }: { problems: readonly Problem[]; onLine: (line: number) => void }) {
  if (problems.length === 0) return null;
  return (
    <div className="note bad" role="alert">
      <Icon name="alert" />
      <ul className="type-problems">
        {problems.map(({ line, message }, at) => (
          <li key={at}>{line !== null && <><button type="button" className="text-button" onClick={() => onLine(line)}>Line {line}</button>: </>}{message}</li>
        ))}
      </ul>
    </div>
  );
}
