/** A field with its value, its status and where it comes from. Hovering or focusing it highlights its box on the page. */
import type { FieldAlternative, ResultField } from "../../../api/types.ts";
import { Badge } from "../../../design/basics.tsx";
import { FIELD_SOURCES, FIELD_STATUSES, nameInWords, valueInWords } from "../../../format/fields.ts";
import { counted, finePercent } from "../../../format/numbers.ts";
import { useStorePart } from "../../../live/store.ts";
import type { Focus } from "../focus.ts";
import type { Area } from "../highlight.ts";
import { areaOf, type PlacedField } from "./fields.ts";

/** What a field needs of the screen around it. */
export interface FieldView {
  focus: Focus;
  onPage: (page: number) => void;
}

export function FieldRow({ placed, view }: { placed: PlacedField; view: FieldView }) {
  const { field, path } = placed;
  const isMarked = useIsMarked(view.focus, path);
  return (
    <li className="result-field" data-marked={isMarked} {...marking(view.focus, path, areaOf(field))}>
      <span className="result-label">{placed.label}</span>
      <div className="result-value">
        <FieldValue placed={placed} view={view} />
        <Origin field={field} />
        <Alternatives placed={placed} view={view} />
      </div>
      <FieldState field={field} />
    </li>
  );
}

export function useIsMarked(focus: Focus, path: string): boolean {
  return useStorePart(focus.field, (mark) => mark?.paths.includes(path) ?? false);
}

/** The handlers that mark a field while the pointer or the keyboard focus is on it. */
export function marking(focus: Focus, path: string, area: Area | null) {
  const mark = () => focus.field.set({ paths: [path], area, from: "list" });
  const clear = () => focus.field.set(null);
  return { onPointerEnter: mark, onPointerLeave: clear, onFocus: mark, onBlur: clear };
}

/** The value; a button when it has a place on a page. `onOpen` shows more of the field. */
export function FieldValue({ placed, view, onOpen }: { placed: PlacedField; view: FieldView; onOpen?: () => void }) {
  const { field, path, kind } = placed;
  const area = areaOf(field);
  if (field.value == null && !onOpen) return <span className="quiet">Not found</span>;
  const text = field.value == null ? "–" : valueInWords(field.value, kind);
  if (!area && !onOpen) return <span className="result-text">{text}</span>;
  const open = () => {
    if (area) {
      view.onPage(area.page);
      view.focus.field.set({ paths: [path], area, from: "list" });
    }
    onOpen?.();
  };
  return <button type="button" className="field-value" data-path={path} title={area ? `Show on page ${area.page}` : undefined} onClick={open}>{text}</button>;
}

export function FieldState({ field }: { field: ResultField }) {
  const [tone, label] = FIELD_STATUSES[field.status];
  return (
    <span className="result-state">
      <Badge tone={tone}>{label}</Badge>
      {field.value != null && <span className="quiet number" title="Probability that the value is correct"><span className="visually-hidden">Confidence </span>{finePercent(field.confidence)}</span>}
    </span>
  );
}

function Origin({ field }: { field: ResultField }) {
  const parts = [
    field.page != null && `Page ${field.page}`,
    field.source && FIELD_SOURCES[field.source],
    field.raw && field.raw !== field.value && `written as “${field.raw}”`,
    field.checks.length > 0 && `used in ${counted(field.checks.length, "check")}: ${field.checks.map(nameInWords).join(", ")}`,
  ].filter((part) => typeof part === "string");
  return parts.length > 0 && <p className="quiet result-origin">{parts.join(" · ")}</p>;
}

function Alternatives({ placed, view }: { placed: PlacedField; view: FieldView }) {
  const { alternatives } = placed.field;
  if (alternatives.length === 0) return null;
  return (
    <details className="alternatives">
      <summary>{counted(alternatives.length, "other candidate")}</summary>
      <ul>{alternatives.map((alternative, at) => <Alternative key={at} alternative={alternative} placed={placed} view={view} />)}</ul>
    </details>
  );
}

function Alternative({ alternative, placed, view }: { alternative: FieldAlternative; placed: PlacedField; view: FieldView }) {
  const area = areaOf(alternative);
  const { onPointerEnter, onFocus } = marking(view.focus, placed.path, area);
  const text = valueInWords(alternative.value, placed.kind);
  return (
    <li onPointerEnter={onPointerEnter} onPointerLeave={marking(view.focus, placed.path, areaOf(placed.field)).onPointerEnter}>
      {area ? <button type="button" className="field-value" title={`Show on page ${area.page}`} onFocus={(event) => { event.stopPropagation(); onFocus(); }} onClick={() => { view.onPage(area.page); onFocus(); }}>{text}</button> : <span>{text}</span>}
      {" "}<span className="quiet">{finePercent(alternative.confidence)}{alternative.page != null && ` · Page ${alternative.page}`} · {FIELD_SOURCES[alternative.source]}</span>
    </li>
  );
}
