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
  field: Store<FieldMark | null>;
}

export function newFocus(): Focus {
  return { hovered: new Store<number | null>(null), chosen: new Store<WordRange | null>(null), field: new Store<FieldMark | null>(null) };
}

/** The word of an element in the picture or the text. */
export function wordAt(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest("[data-word]") : null;
  const word = Number(element?.getAttribute("data-word") ?? NaN);
  return Number.isInteger(word) ? word : null;
}
