/** The order of the list: headers that sort by their column, and a choice of every order. */
import type { ReactNode } from "react";
import { Icon } from "../../design/Icon.tsx";
import { SORTS, type Sort } from "./url-state.ts";

const LABELS: Record<Sort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  title: "Title A–Z",
  title_desc: "Title Z–A",
  updated: "Recently changed",
};

interface SortHeaderProps {
  sort: Sort;
  /** The order with the smallest value on top, and its opposite. */
  up: Sort;
  down: Sort;
  onSort: (sort: Sort) => void;
  className?: string;
  children: ReactNode;
}

export function SortHeader({ sort, up, down, onSort, className = "", children }: SortHeaderProps) {
  const direction = sort === up ? "ascending" : sort === down ? "descending" : "none";
  // A column that is not sorted by begins with the order that is usual for it: the newest first, or A to Z.
  const first = down === "newest" ? down : up;
  const next = sort === up ? down : sort === down ? up : first;
  return (
    <span role="columnheader" aria-sort={direction} className={className}>
      <button type="button" className="sort-header" data-direction={direction} title={`Sort: ${LABELS[next]}`} onClick={() => onSort(next)}>
        {children}
        <Icon name="down" />
      </button>
    </span>
  );
}

export function SortSelect({ sort, onSort }: { sort: Sort; onSort: (sort: Sort) => void }) {
  return (
    <label className="sort-select">
      <span className="visually-hidden">Sort by</span>
      <select className="input" value={sort} onChange={(event) => onSort(event.target.value as Sort)}>
        {SORTS.map((name) => <option key={name} value={name}>{LABELS[name]}</option>)}
      </select>
    </label>
  );
}
