/** The rows of the list, or cards on a phone. Only those near the visible part are drawn, so that 100,000 scroll like ten. */
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { DocumentView } from "../../api/types.ts";
import { Skeleton, StatusBadge, Time } from "../../design/basics.tsx";
import { useKeys } from "../../design/keyboard.ts";
import { bytes } from "../../format/numbers.ts";
import { wantsPassword } from "../../format/failures.ts";
import { progressOf } from "../../live/live.ts";
import { rowProgress } from "../../live/progress.ts";
import { useStorePart } from "../../live/store.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { PasswordDialog } from "../document/PasswordDialog.tsx";
import { SortHeader } from "./Sorting.tsx";
import { Thumbnail } from "./Thumbnail.tsx";
import type { Sort } from "./url-state.ts";
import { useNarrow } from "./use-narrow.ts";
import type { Rows } from "./use-rows.ts";

interface RowListProps {
  rows: Rows;
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<string>;
  onSelect: (id: string, isRange: boolean) => void;
  onSelectAll: () => void;
  onClear: () => void;
  /** Shown after the last row. */
  children?: ReactNode;
}

/** As in the style sheet. */
const ROW_HEIGHT = 56;
const CARD_HEIGHT = 104;
const FETCH_AHEAD = 30;
const MOST_TAGS = 3;

export function RowList({ rows, sort, onSort, selected, onSelect, onSelectAll, onClear, children }: RowListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { shown, hasMore, isFetchingMore, fetchMore } = rows;
  const isNarrow = useNarrow();
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isNarrow ? CARD_HEIGHT : ROW_HEIGHT),
    overscan: isNarrow ? 5 : 10,
    getItemKey: (index) => shown[index]?.doc_id ?? index,
  });
  useEffect(() => virtual.measure(), [virtual, isNarrow]);
  const items = virtual.getVirtualItems();
  const end = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && !isFetchingMore && end >= shown.length - FETCH_AHEAD) fetchMore();
  }, [hasMore, isFetchingMore, end, shown.length, fetchMore]);
  const cursor = useCursor(shown, virtual, onSelect, onClear);
  const [unlocking, setUnlocking] = useState<DocumentView | null>(null);
  const stopUnlocking = useCallback(() => setUnlocking(null), []);
  const isAll = shown.length > 0 && shown.every((row) => selected.has(row.doc_id));
  return (
    <>
      <div className="rows">
        <div ref={scroller} className="rows-scroller" tabIndex={0} role="region" aria-label="Rows">
          {(rows.isPending || shown.length > 0) && (
            <div role="table" aria-label="Documents" aria-rowcount={hasMore ? -1 : shown.length + 1}>
              <div role="rowgroup" className="rows-head">
                <div className="row row-head" role="row" aria-rowindex={1}>
                  <span role="columnheader" className="col-check">
                    <label className="check-target">
                      <input type="checkbox" className="check" aria-label="Select all that are listed" checked={isAll} onChange={onSelectAll} />
                      <span className="check-label">Select all</span>
                    </label>
                  </span>
                  <span role="columnheader" className="col-thumb"><span className="visually-hidden">First page</span></span>
                  <SortHeader sort={sort} up="title" down="title_desc" onSort={onSort}>Name</SortHeader>
                  <span role="columnheader">Status</span>
                  <span role="columnheader" className="col-type">Type</span>
                  <span role="columnheader" className="number col-size">Size</span>
                  <SortHeader className="col-added" sort={sort} up="oldest" down="newest" onSort={onSort}>Added</SortHeader>
                </div>
              </div>
              {rows.isPending ? <PendingRows /> : (
                <div className="rows-space" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
                  {items.map((item) => {
                    const row = shown[item.index];
                    return row && (
                      <Row key={item.key} row={row} index={item.index} start={item.start} isSelected={selected.has(row.doc_id)} isCursor={cursor === item.index} onSelect={onSelect} onUnlock={setUnlocking} />
                    );
                  })}
                </div>
              )}
            </div>
          )}
          {children}
        </div>
      </div>
      {unlocking && <PasswordDialog id={unlocking.doc_id} title={unlocking.title} onClose={stopUnlocking} />}
    </>
  );
}

/** `j` and `k` move a cursor over the rows. */
function useCursor(shown: readonly DocumentView[], virtual: Virtualizer<HTMLDivElement, Element>, onSelect: RowListProps["onSelect"], onClear: () => void): number {
  const [cursor, setCursor] = useState(-1);
  const [, navigate] = useLocation();
  const move = (step: number) => {
    const next = Math.max(0, Math.min(shown.length - 1, cursor + step));
    setCursor(next);
    virtual.scrollToIndex(next);
  };
  const here = shown[cursor];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => here && onSelect(here.doc_id, false),
    X: () => here && onSelect(here.doc_id, true),
    Escape: onClear,
    ...(here ? { Enter: () => navigate(`/documents/${here.doc_id}`) } : {}),
  });
  return cursor;
}

interface RowProps {
  row: DocumentView;
  index: number;
  start: number;
  isSelected: boolean;
  isCursor: boolean;
  onSelect: (id: string, isRange: boolean) => void;
  onUnlock: (row: DocumentView) => void;
}

function Row({ row, index, start, isSelected, isCursor, onSelect, onUnlock }: RowProps) {
  return (
    <div className="row" role="row" aria-rowindex={index + 2} data-selected={isSelected} data-cursor={isCursor} style={{ transform: `translateY(${start}px)` }}>
      <span role="cell" className="col-check">
        <label className="check-target">
          <input type="checkbox" className="check" aria-label={`Select ${row.title}`} checked={isSelected} onChange={() => undefined} onClick={(event) => onSelect(row.doc_id, event.shiftKey)} />
        </label>
      </span>
      <span role="cell" className="col-thumb"><Thumbnail row={row} /></span>
      <span role="cell" className="row-name">
        <span className="row-title">
          <Link href={`/documents/${row.doc_id}`} title={row.filename}>{row.title}</Link>
          {row.tags.slice(0, MOST_TAGS).map((tag) => <span key={tag} className="badge plain">{tag}</span>)}
          {row.tags.length > MOST_TAGS && <span className="quiet" title={row.tags.slice(MOST_TAGS).join(", ")}>+{row.tags.length - MOST_TAGS}</span>}
        </span>
        <RowState row={row} onUnlock={onUnlock} />
      </span>
      <span role="cell" className="col-status"><StatusBadge status={row.status} /></span>
      <span role="cell" className="col-type">{row.file_kind}</span>
      <span role="cell" className="number col-size">{row.size_bytes > 0 ? bytes(row.size_bytes) : ""}</span>
      <span role="cell" className="col-added"><Time at={row.created_at} /></span>
    </div>
  );
}

/** A line under the name: how far a run is, or why it failed; on a card otherwise what a row has columns for. */
function RowState({ row, onUnlock }: { row: DocumentView; onUnlock: (row: DocumentView) => void }) {
  const { role } = useMe();
  const live = useStorePart(progressOf, (all) => all.get(row.doc_id));
  if (row.error) {
    return (
      <span className="row-failure">
        <span className="row-error truncate" title={row.error}>{row.error}</span>
        {wantsPassword(row.error_code) && may(role, "rerun") && <button type="button" className="row-action" onClick={() => onUnlock(row)}>Enter password</button>}
      </span>
    );
  }
  const progress = rowProgress(row, live);
  if (!progress) return <span className="row-facts truncate">{[row.file_kind, row.size_bytes > 0 ? bytes(row.size_bytes) : "", ...row.tags].filter(Boolean).join(" · ")}</span>;
  return (
    <span className="row-progress">
      <span className="truncate">{progress.text}</span>
      {progress.share !== null && <span className="bar"><span style={{ width: `${100 * progress.share}%` }} /></span>}
    </span>
  );
}

function PendingRows() {
  return (
    <div role="row" aria-busy="true">
      <div role="cell">
        {Array.from({ length: 12 }, (_, at) => (
          <div key={at} className="row pending">
            <span />
            <Skeleton width="2rem" height="2.5rem" />
            <Skeleton width={`${65 - ((at * 13) % 35)}%`} />
          </div>
        ))}
      </div>
    </div>
  );
}
