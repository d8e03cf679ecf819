/** The boxes of the result's fields on the picture of a page. */
import { useEffect, useRef } from "react";
import { useStore } from "../../../live/store.ts";
import { BoxRect } from "../BoxRect.tsx";
import { hoverField, type Focus } from "../focus.ts";
import type { BoxMark } from "./fields.ts";
import { revealIn } from "./scroll.ts";

export function FieldMarks({ marks }: { marks: readonly BoxMark[] }) {
  return marks.map((mark, at) => <BoxRect key={at} box={mark.box} className={mark.needsReview ? "overlay-field overlay-review" : "overlay-field"} pad={1} mark={at} />);
}

/** The field under the pointer, in the list or on the page. */
export function ActiveField({ focus, page }: { focus: Focus; page: number }) {
  const mark = useStore(focus.field);
  const element = useRef<SVGRectElement>(null);
  const area = mark?.area?.page === page ? mark.area : null;
  const isFromList = mark?.from === "list";
  useEffect(() => {
    if (area && isFromList) revealIn(".viewer-stage", element.current);
  }, [area, isFromList]);
  return area && <BoxRect ref={element} box={area.box} className="overlay-field-active" pad={2} />;
}

/** The mark of an element of the drawing. */
export function markAt(target: EventTarget | null, marks: readonly BoxMark[]): BoxMark | null {
  const at = target instanceof Element ? target.getAttribute("data-mark") : null;
  return at === null ? null : (marks[Number(at)] ?? null);
}

/** Marks the fields whose box is under the pointer. */
export function pointAt(focus: Focus, mark: BoxMark | null, page: number): void {
  const now = focus.field.get();
  if (mark === null) {
    if (now?.from === "page") hoverField(focus, null);
  } else if (now?.from !== "page" || now.paths !== mark.paths) {
    hoverField(focus, { paths: mark.paths, area: { page, box: mark.box }, from: "page" });
  }
}

/** Moves the keyboard focus to a field in the list, which scrolls it into view. */
export function focusField(path: string | undefined): void {
  if (path !== undefined) document.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
}

/** Moves the keyboard focus to the next field that needs review, from the one that has it; after the last one to the first. */
export function focusNextReview(step: 1 | -1): void {
  const fields = [...document.querySelectorAll<HTMLElement>('.result [data-review="true"]')];
  const at = fields.findIndex((field) => field === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : fields.length - 1) : (at + step + fields.length) % fields.length;
  fields[next]?.focus();
}
