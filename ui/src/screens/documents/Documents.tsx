/** The documents that the address asks for: filtered, sorted, and searched by name and by content. */
import "./documents.css";
import "../ask/ask.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { countFacets } from "../../api/endpoints.ts";
import type { DocumentFacets } from "../../api/types.ts";
import { Button, Empty, ProblemNote } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { count, counted } from "../../format/numbers.ts";
import { UploadButtons } from "../../frame/UploadButtons.tsx";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { BulkBar } from "./BulkBar.tsx";
import { selectionAfter } from "./bulk.ts";
import { Facets } from "./Facets.tsx";
import { PassageHits, usePassages } from "./PassageHits.tsx";
import { RowList } from "./RowList.tsx";
import { SortSelect } from "./Sorting.tsx";
import { filterCount, isFiltered, queryOf, readListState, totalOf, writeListState, type ListState, type Sort } from "./url-state.ts";
import { useDebounced } from "./use-debounced.ts";
import { useRows } from "./use-rows.ts";

export default function Documents() {
  const me = useMe();
  const [params, setParams] = useSearchParams();
  const state = useListState(params);
  const change = useCallback((how: Partial<ListState>) => setParams((now) => writeListState(now, how), { replace: "search" in how }), [setParams]);
  // `now` only decides on which day a span begins, so the list need not change with it.
  const query = useMemo(() => queryOf(state, new Date()), [state]);
  const sort = state.sort ?? "newest";
  const rows = useRows(state, query, sort);
  // Counts are renewed together with the other counts: their key begins with "summary".
  const { data: facets } = useQuery({ queryKey: ["summary", "facets", query], queryFn: ({ signal }) => countFacets(query, signal), placeholderData: keepPreviousData });
  const isSearched = query.search !== undefined && may(me.role, "ask");
  const passages = usePassages(query, isSearched);
  const [areFiltersOpen, setFiltersOpen] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [lastClicked, setLastClicked] = useState<string | null>(null);
  const ids = rows.shown.map((row) => row.doc_id);
  const select = (id: string, isRange: boolean) => {
    setSelected(selectionAfter(selected, ids, id, isRange ? lastClicked : null));
    setLastClicked(id);
  };
  const clear = () => setSelected(new Set());
  const onSort = (next: Sort) => change({ sort: next === "newest" ? null : next });
  const isEmpty = !rows.error && !rows.isPending && rows.shown.length === 0 && !rows.hasMore;
  const hasPassages = isSearched && (passages.data?.hits.length ?? 0) > 0;
  return (
    <div className="documents screen-full">
      <Facets isOpen={areFiltersOpen} state={state} facets={facets} onChange={change} />
      <div className="documents-main">
        <div className="documents-head">
          <h1>Documents</h1>
          <SearchField search={state.search} onChange={change} />
          {may(me.role, "upload") && <div className="button-row"><UploadButtons /></div>}
        </div>
        <div className="documents-bar">
          {selected.size > 0
            ? <BulkBar rows={rows.shown.filter((row) => selected.has(row.doc_id))} onDone={clear} />
            : (
              <>
                <CountLine status={state.status} facets={facets} shown={rows.shown.length} hasMore={rows.hasMore} passages={hasPassages ? (passages.data?.hits.length ?? 0) : null} />
                <Button className="filters-button" aria-expanded={areFiltersOpen} aria-controls="filters" onClick={() => setFiltersOpen(!areFiltersOpen)}>
                  Filters{filterCount(state) > 0 && ` (${filterCount(state)})`}
                </Button>
                <SortSelect sort={sort} onSort={onSort} />
              </>
            )}
        </div>
        {rows.error && <div className="documents-note"><ProblemNote error={rows.error} onRetry={rows.retry} /></div>}
        {isEmpty && !isSearched
          ? <NoRows state={state} canUpload={may(me.role, "upload")} onClear={() => setParams({})} />
          : (
            <RowList rows={rows} sort={sort} onSort={onSort} selected={selected} onSelect={select} onSelectAll={() => setSelected(allOrNone(selected, ids))} onClear={clear}>
              {isEmpty && <p className="no-names"><strong>No matching documents</strong> <span className="quiet">{noMatch(state)}</span></p>}
              {isSearched && !rows.isPending && !rows.hasMore && <PassageHits query={query} passages={passages} />}
            </RowList>
          )}
      </div>
    </div>
  );
}

function SearchField({ search, onChange }: { search: string; onChange: (change: Partial<ListState>) => void }) {
  const report = useCallback((typed: string) => onChange({ search: typed }), [onChange]);
  const [typed, setTyped] = useDebounced(search, report);
  return (
    <label className="search-field">
      <span className="visually-hidden">Search names and content</span>
      <Icon name="search" />
      <input className="input" type="search" data-search placeholder="Search names and content" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </label>
  );
}

/** The same object for the same address, so that memoised values stay. */
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

interface CountLineProps {
  status: ListState["status"];
  facets?: DocumentFacets;
  shown: number;
  hasMore: boolean;
  passages: number | null;
}

function CountLine({ status, facets, shown, hasMore, passages }: CountLineProps) {
  const toPassages = () => document.getElementById("passage-hits")?.scrollIntoView({ behavior: "smooth" });
  return (
    <p className="documents-count quiet" role="status">
      {countLabel()}
      {passages !== null && !hasMore && <button type="button" className="row-action" onClick={toPassages}>{counted(passages, "passage")}</button>}
    </p>
  );

  function countLabel(): string {
    if (!hasMore) return counted(shown, "document");
    const total = facets && totalOf(facets, status);
    if (!total || total.amount < shown) return `The first ${count(shown)}; scroll for more`;
    return total.atLeast ? `At least ${counted(total.amount, "document")}` : counted(total.amount, "document");
  }
}

function noMatch(state: ListState): string {
  if (state.search === "") return "No document matches all filters.";
  return `No title or file name contains “${state.search.trim()}”${filterCount(state) > 0 ? " and matches all filters" : ""}.`;
}

function NoRows({ state, canUpload, onClear }: { state: ListState; canUpload: boolean; onClear: () => void }) {
  if (!isFiltered(state)) {
    return (
      <Empty icon="upload" title="No documents yet">
        <p>{canUpload ? <>Drop files here or choose <strong>Upload</strong>.</> : "Documents appear here when somebody uploads them."}</p>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title="No matching documents">
      <p>{noMatch(state)}</p>
      <button type="button" className="button" onClick={onClear}>Show all documents</button>
    </Empty>
  );
}
