/** Whether the window is as narrow as a phone: rows are cards then. The same width is in the style sheets. */
import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 40rem)";

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
