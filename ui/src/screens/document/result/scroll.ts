/** From where to where something extends along one axis. */
type Extent = readonly [number, number];

const MARGIN = 24;

/** By how much a view must scroll to show an item with some room around it; 0 if it does already. */
export function scrollNeeded([from, to]: Extent, [viewFrom, viewTo]: Extent): number {
  // Of an item that is larger than the view, the beginning is shown.
  if (from < viewFrom || to - from > viewTo - viewFrom - 2 * MARGIN) return from - viewFrom - MARGIN;
  return to > viewTo ? to - viewTo + MARGIN : 0;
}

/** Scrolls the nearest such element around another one only: with `scrollIntoView` a phone would scroll the rest of the page away. */
export function revealIn(around: string, element: Element | null): void {
  const box = element?.closest(around);
  if (!element || !box) return;
  const [item, view] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  box.scrollTop += scrollNeeded([item.top, item.bottom], [view.top, view.bottom]);
  box.scrollLeft += scrollNeeded([item.left, item.right], [view.left, view.right]);
}
