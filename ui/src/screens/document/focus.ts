/** The hovered and the selected words, shared by the picture and the text of one document. */
import { Store } from "../../live/store.ts";
import type { WordRange } from "./highlight.ts";

export interface Focus {
  /** The word under the pointer, on either side. */
  hovered: Store<number | null>;
  /** The words that were clicked. */
  chosen: Store<WordRange | null>;
}

export function newFocus(): Focus {
  return { hovered: new Store<number | null>(null), chosen: new Store<WordRange | null>(null) };
}

/** The word of an element in the picture or the text. */
export function wordAt(target: EventTarget | null): number | null {
  const element = target instanceof Element ? target.closest("[data-word]") : null;
  const word = Number(element?.getAttribute("data-word") ?? NaN);
  return Number.isInteger(word) ? word : null;
}
