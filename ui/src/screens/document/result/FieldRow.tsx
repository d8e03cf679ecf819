/** A field with its value and status. Hovering or focusing it highlights its box on the page; a click shows where it comes from. */
import { useEffect, useRef, type RefObject } from "react";
import type { ResultField } from "../../../api/types.ts";
import { Badge } from "../../../design/basics.tsx";
import { Icon, type IconName } from "../../../design/Icon.tsx";
import { FIELD_STATUSES, valueInWords } from "../../../format/fields.ts";
import { probability } from "../../../format/numbers.ts";
import { useStorePart } from "../../../live/store.ts";
import { hoverField, selectField, type FieldMark, type Focus } from "../focus.ts";
import type { Area } from "../highlight.ts";
import { isCommon } from "./checks.ts";
import { FieldDetails } from "./FieldDetails.tsx";
import { areaOf, type PlacedField } from "./fields.ts";
import { revealIn } from "./scroll.ts";

/** What a field needs of the screen around it. */
export interface FieldView {
  focus: Focus;
  /** The page that is shown. */
  page: number;
  onPage: (page: number) => void;
  /** The path of the field whose details are shown. */
  open: string | null;
  onOpen: (path: string | null) => void;
  /** Why a field needs review; null when it does not. */
  whyReview: (placed: PlacedField) => string | null;
  /** The checks that a field was used in, each with its outcome. */
  checksOf: (field: ResultField) => { title: string; passed: boolean | null }[];
}

export function FieldRow({ placed, view }: { placed: PlacedField; view: FieldView }) {
  const { field, path } = placed;
  const marked = useMarked<HTMLLIElement>(view.focus, path);
  const reason = view.whyReview(placed);
  return (
    <li className="result-field" {...marked} {...useMarking(view, path, areaOf(field))}>
      <span className="result-label">{placed.label}</span>
      <div className="result-value">
        <FieldValue placed={placed} view={view} />
        {reason !== null && !isCommon(reason) && <p className="result-why">{reason}</p>}
      </div>
      <FieldState field={field} reason={reason} />
      {view.open === path && <FieldDetails placed={placed} view={view} />}
    </li>
  );
}

/** The attributes of the element of a field. It is scrolled into view while its box on the page is under the pointer. */
export function useMarked<E extends HTMLElement>(focus: Focus, path: string): { ref: RefObject<E | null>; "data-marked": boolean } {
  const ref = useRef<E>(null);
  const isMarked = useStorePart(focus.field, (mark) => mark?.paths.includes(path) ?? false);
  useEffect(() => {
    const mark = focus.field.get();
    if (isMarked && mark?.from === "page" && mark.paths[0] === path) revealIn(".reading-body", ref.current);
  }, [isMarked, focus, path]);
  return { ref, "data-marked": isMarked };
}

/** How long the pointer rests on a field of another page until that page is shown. */
const REST_MS = 300;

/** The handlers that highlight a field while the pointer is on it, and select it while it has the keyboard focus. */
export function useMarking({ focus, page, onPage }: FieldView, path: string, area: Area | null) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const mark: FieldMark = { paths: [path], area, from: "list" };
  const isElsewhere = area !== null && area.page !== page;
  return {
    onPointerEnter: () => {
      hoverField(focus, mark);
      if (isElsewhere) timer.current = setTimeout(() => onPage(area.page), REST_MS);
    },
    onPointerLeave: () => {
      clearTimeout(timer.current);
      hoverField(focus, null);
    },
    onFocus: () => {
      selectField(focus, mark);
      if (isElsewhere) onPage(area.page);
    },
    onBlur: () => selectField(focus, null),
  };
}

/** The value, as a button that shows its place on the page and its details. A field without either is plain text. */
export function FieldValue({ placed, view }: { placed: PlacedField; view: FieldView }) {
  const { field, path, kind } = placed;
  const area = areaOf(field);
  const isOpen = view.open === path;
  const text = field.value == null ? "Not found" : valueInWords(field.value, kind);
  if (field.value == null && field.status !== "needs_review" && field.alternatives.length === 0) return <span className="quiet">{text}</span>;
  const toggle = () => {
    if (area) {
      if (area.page !== view.page) view.onPage(area.page);
      selectField(view.focus, { paths: [path], area, from: "list" });
    }
    view.onOpen(isOpen ? null : path);
  };
  return (
    <button
      type="button"
      className={field.value == null ? "field-value quiet" : "field-value"}
      data-path={path}
      data-review={field.status === "needs_review"}
      aria-expanded={isOpen}
      title={area ? `On page ${area.page}. Click for details.` : "Click for details."}
      onClick={toggle}
    >
      {text}
    </button>
  );
}

function FieldState({ field, reason }: { field: ResultField; reason: string | null }) {
  const [tone, label] = FIELD_STATUSES[field.status];
  return (
    <span className="result-state">
      <Badge tone={tone} title={reason ?? undefined}>{label}</Badge>
      <span className="result-confidence quiet" title="Confidence: the probability that the value is correct">
        {field.value != null && <><span className="visually-hidden">Confidence </span>{probability(field.confidence)}</>}
      </span>
    </span>
  );
}

const MARKS: Record<ResultField["status"], IconName | null> = { accepted: "check", needs_review: "alert", missing: null, confirmed: "check", corrected: "edit" };

/** The status of a cell of a table, where a word would be too long. */
export function StatusMark({ field }: { field: ResultField }) {
  const [tone, label] = FIELD_STATUSES[field.status];
  const icon = MARKS[field.status];
  const words = field.value == null ? label : `${label}. Confidence ${probability(field.confidence)}`;
  return <span className={`status-mark ${tone}`} title={words}>{icon && <Icon name={icon} />}<span className="visually-hidden">{words}</span></span>;
}
