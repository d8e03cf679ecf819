/** All documents, or those that the address asks for. */
import "./documents.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { countFacets } from "../../api/endpoints.ts";
import type { DocumentFacets } from "../../api/types.ts";
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
import { isFiltered, queryOf, readListState, totalOf, writeListState, type ListState } from "./url-state.ts";
import { useRows } from "./use-rows.ts";

export default function Documents() {
  const me = useMe();
  const [params, setParams] = useSearchParams();
  const state = useListState(params);
  const change = (how: Partial<ListState>) => setParams((now) => writeListState(now, how), { replace: "search" in how });
  // `now` only decides on which day a span begins; the day is what the list has to change with.
  const query = useMemo(() => queryOf(state, new Date()), [state]);
  const rows = useRows(state, query);
  // Counts are renewed whenever anything is counted anew.
  const { data: facets } = useQuery({ queryKey: ["summary", "facets", query], queryFn: ({ signal }) => countFacets(query, signal), placeholderData: keepPreviousData });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [lastClicked, setLastClicked] = useState<string | null>(null);
  const select = (id: string, isRange: boolean) => {
    setSelected(selectionAfter(selected, rows.shown.map((row) => row.doc_id), id, isRange ? lastClicked : null));
    setLastClicked(id);
  };
  return (
    <div className="documents screen-full">
      <Facets state={state} facets={facets} onChange={change} />
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
          : <CountLine status={state.status} facets={facets} shown={rows.shown.length} hasMore={rows.hasMore} />}
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

function CountLine({ status, facets, shown, hasMore }: { status: ListState["status"]; facets?: DocumentFacets; shown: number; hasMore: boolean }) {
  return <p className="documents-count quiet" role="status">{countInWords()}</p>;

  function countInWords(): string {
    if (!hasMore) return counted(shown, "document");
    const total = facets && totalOf(facets, status);
    if (!total || total.amount < shown) return `The newest ${count(shown)}; more come as you scroll`;
    return total.atLeast ? `At least ${counted(total.amount, "document")}` : counted(total.amount, "document");
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
