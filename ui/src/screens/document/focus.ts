/** The hovered and the selected words and fields, shared by the picture and the content of one document. */
import { Store } from "../../live/store.ts";
import type { Area, WordRange } from "./highlight.ts";

/** The fields of the result under the pointer, and their place on a page. */
export interface FieldMark {
  paths: readonly string[];
  area: Area | null;
  /** Where the pointer is. A mark from the list is scrolled into view on the page. */
  from: "list" | "page";
}

export interface Focus {
  /** The word under the pointer, on either side. */
  hovered: Store<number | null>;
  /** The words that were clicked. */
  chosen: Store<WordRange | null>;
  /** The highlighted field: the one under the pointer, or else the selected one. */
  field: Store<FieldMark | null>;
  /** The field that was clicked or has the keyboard focus. */
  selected: { current: FieldMark | null };
}

export function newFocus(): Focus {
  return { hovered: new Store<number | null>(null), chosen: new Store<WordRange | null>(null), field: new Store<FieldMark | null>(null), selected: { current: null } };
}

/** The word of an element in the picture or the text. */
export function wordAt(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest("[data-word]") : null;
  const word = Number(element?.getAttribute("data-word") ?? NaN);
  return Number.isInteger(word) ? word : null;
}

/** Highlights the field under the pointer; null when the pointer leaves it, which highlights the selected field again. */
export function hoverField(focus: Focus, mark: FieldMark | null): void {
  focus.field.set(mark ?? focus.selected.current);
}

/** Highlights a field until another one is selected; null when it loses the focus. */
export function selectField(focus: Focus, mark: FieldMark | null): void {
  focus.selected.current = mark;
  focus.field.set(mark);
}
