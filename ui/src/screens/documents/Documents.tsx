/** All documents, or those that the address asks for. */
import "./documents.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { countDocuments } from "../../api/endpoints.ts";
import { Empty, ProblemNote } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { count, counted } from "../../format/numbers.ts";
import { UploadButtons } from "../../frame/UploadButtons.tsx";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { BulkBar } from "./BulkBar.tsx";
import { selectionAfter } from "./bulk.ts";
import { Facets } from "./Facets.tsx";
import { RowList } from "./RowList.tsx";
import { isFiltered, readListState, writeListState, type ListState } from "./url-state.ts";
import { useRows } from "./use-rows.ts";

export default function Documents() {
  const me = useMe();
  const [params, setParams] = useSearchParams();
  const state = useListState(params);
  const change = (how: Partial<ListState>) => setParams((now) => writeListState(now, how), { replace: "search" in how });
  const rows = useRows(state);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [lastClicked, setLastClicked] = useState<string | null>(null);
  const select = (id: string, isRange: boolean) => {
    setSelected(selectionAfter(selected, rows.shown.map((row) => row.doc_id), id, isRange ? lastClicked : null));
    setLastClicked(id);
  };
  return (
    <div className="documents screen-full">
      <Facets state={state} rows={rows.loaded} onChange={change} />
      <div className="documents-main">
        <div className="documents-head">
          <h1>Documents</h1>
          <label className="search-field">
            <span className="visually-hidden">Find by title or file name</span>
            <Icon name="search" />
            <input className="input" type="search" data-search placeholder="Find by title or file name" value={state.search} onChange={(event) => change({ search: event.target.value })} />
          </label>
          {may(me.role, "upload") && <div className="button-row"><UploadButtons /></div>}
        </div>
        {selected.size > 0
          ? <BulkBar ids={[...selected]} onDone={() => setSelected(new Set())} />
          : <CountLine state={state} shown={rows.shown.length} loaded={rows.loaded.length} hasMore={rows.hasMore} />}
        {rows.error && <div className="documents-note"><ProblemNote error={rows.error} onRetry={rows.retry} /></div>}
        {!rows.error && !rows.isPending && rows.shown.length === 0 && !rows.hasMore
          ? <NoRows state={state} onClear={() => setParams({})} />
          : <RowList rows={rows} selected={selected} onSelect={select} onSelectAll={() => setSelected(allOrNone(selected, rows.shown.map((row) => row.doc_id)))} onClear={() => setSelected(new Set())} />}
      </div>
    </div>
  );
}

/** The same object for the same address, so that what depends on it is not worked out again. */
function useListState(params: URLSearchParams): ListState {
  const text = params.toString();
  const [kept, setKept] = useState(() => ({ text, state: readListState(params) }));
  if (kept.text === text) return kept.state;
  const state = readListState(params);
  setKept({ text, state });
  return state;
}

function allOrNone(selected: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  return ids.every((id) => selected.has(id)) ? new Set() : new Set(ids);
}

function CountLine({ state, shown, loaded, hasMore }: { state: ListState; shown: number; loaded: number; hasMore: boolean }) {
  const { data: summary } = useQuery({ queryKey: ["summary"], queryFn: countDocuments });
  return <p className="documents-count quiet" role="status">{countInWords()}</p>;

  function countInWords(): string {
    const isLocal = state.type !== null || state.source !== null || state.tag !== null;
    if (isLocal && hasMore) return `${counted(shown, "document")} so far, of ${count(loaded)} looked through`;
    if (!hasMore) return counted(shown, "document");
    const total = state.search || state.span || state.batch ? null : summary?.[state.status ?? "total"];
    return total == null ? `The newest ${count(loaded)}; more come as you scroll` : counted(total, "document");
  }
}

function NoRows({ state, onClear }: { state: ListState; onClear: () => void }) {
  if (!isFiltered(state)) {
    return (
      <Empty icon="upload" title="No documents yet">
        <p>Drop files or folders anywhere on this page, or press <kbd>u</kbd>. You see at once what is new and what was here before.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title="Nothing matches">
      <p>No document has all of what you chose.</p>
      <button type="button" className="button" onClick={onClear}>Show all documents</button>
    </Empty>
  );
}
