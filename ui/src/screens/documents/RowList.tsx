/** The rows, only as many of them drawn as fit: 100,000 scroll like ten. */
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { DocumentView } from "../../api/types.ts";
import { Skeleton, StatusBadge, Time } from "../../design/basics.tsx";
import { useKeys } from "../../design/keyboard.ts";
import { bytes } from "../../format/numbers.ts";
import { wantsPassword } from "../../format/failures.ts";
import { progressOf } from "../../live/live.ts";
import { useStorePart } from "../../live/store.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { PasswordDialog } from "../document/PasswordDialog.tsx";
import type { Rows } from "./use-rows.ts";

interface RowListProps {
  rows: Rows;
  selected: ReadonlySet<string>;
  onSelect: (id: string, isRange: boolean) => void;
  onSelectAll: () => void;
  onClear: () => void;
}

const ROW_HEIGHT = 46;
const FETCH_AHEAD = 30;
/** As many tags as a row shows of one document. */
const MOST_TAGS = 3;

export function RowList({ rows, selected, onSelect, onSelectAll, onClear }: RowListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { shown, hasMore, isFetchingMore, fetchMore } = rows;
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (index) => shown[index]?.doc_id ?? index,
  });
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
      <div className="rows" role="table" aria-label="Documents" aria-rowcount={hasMore ? -1 : shown.length + 1}>
        <div role="rowgroup">
          <div className="row row-head" role="row" aria-rowindex={1}>
            <span role="columnheader">
              <input type="checkbox" className="check" aria-label="Select all that are listed" checked={isAll} onChange={onSelectAll} />
            </span>
            <span role="columnheader">Name</span>
            <span role="columnheader">Status</span>
            <span role="columnheader" className="col-type">Type</span>
            <span role="columnheader" className="number col-size">Size</span>
            <span role="columnheader" className="col-added">Added</span>
          </div>
        </div>
        <div ref={scroller} className="rows-scroller" role="rowgroup" tabIndex={0} aria-label="Rows">
          {rows.isPending ? <PendingRows /> : (
            <div className="rows-space" role="presentation" style={{ height: virtual.getTotalSize() }}>
              {items.map((item) => {
                const row = shown[item.index];
                return row && (
                  <Row key={item.key} row={row} index={item.index} start={item.start} isSelected={selected.has(row.doc_id)} isCursor={cursor === item.index} onSelect={onSelect} onUnlock={setUnlocking} />
                );
              })}
            </div>
          )}
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
      <span role="cell">
        <input type="checkbox" className="check" aria-label={`Select ${row.title}`} checked={isSelected} onChange={() => undefined} onClick={(event) => onSelect(row.doc_id, event.shiftKey)} />
      </span>
      <span role="cell" className="row-name">
        <span className="row-title">
          <Link href={`/documents/${row.doc_id}`} className="truncate" title={row.filename}>{row.title}</Link>
          {row.tags.slice(0, MOST_TAGS).map((tag) => <span key={tag} className="badge plain">{tag}</span>)}
          {row.tags.length > MOST_TAGS && <span className="quiet" title={row.tags.slice(MOST_TAGS).join(", ")}>+{row.tags.length - MOST_TAGS}</span>}
        </span>
        <RowState row={row} onUnlock={onUnlock} />
      </span>
      <span role="cell"><StatusBadge status={row.status} /></span>
      <span role="cell" className="col-type">{row.file_kind}</span>
      <span role="cell" className="number col-size">{row.size_bytes > 0 ? bytes(row.size_bytes) : ""}</span>
      <span role="cell" className="col-added"><Time at={row.created_at} /></span>
    </div>
  );
}

/** Under the name only what needs a line: how far a run is, or why it failed. */
function RowState({ row, onUnlock }: { row: DocumentView; onUnlock: (row: DocumentView) => void }) {
  const { role } = useMe();
  const progress = useStorePart(progressOf, (all) => all.get(row.doc_id));
  if (row.error) {
    return (
      <span className="row-failure">
        <span className="row-error truncate" title={row.error}>{row.error}</span>
        {wantsPassword(row.error_code) && may(role, "rerun") && <button type="button" className="row-action" onClick={() => onUnlock(row)}>Enter password</button>}
      </span>
    );
  }
  if (!progress?.stage) return null;
  return (
    <span className="row-progress">
      <span>{progress.stage}{progress.total > 0 && ` ${progress.done} of ${progress.total}`}</span>
      {progress.total > 0 && <span className="bar"><span style={{ width: `${(100 * progress.done) / progress.total}%` }} /></span>}
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
            <Skeleton width={`${65 - ((at * 13) % 35)}%`} />
            <Skeleton width="4rem" />
          </div>
        ))}
      </div>
    </div>
  );
}
