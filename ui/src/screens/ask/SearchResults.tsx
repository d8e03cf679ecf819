import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { search } from "../../api/endpoints.ts";
import type { SearchFilters, SearchMode } from "../../api/types.ts";
import { Empty, ProblemOrMissing, Segmented, SkeletonRows } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { counted } from "../../format/numbers.ts";
import { Passage } from "./Passage.tsx";

const MODES = [
  { value: "hybrid", label: "Both" },
  { value: "lexical", label: "Words" },
  { value: "vector", label: "Meaning" },
] as const;

export function SearchResults({ query, filters }: { query: string; filters: SearchFilters }) {
  const [mode, setMode] = useState<SearchMode>("hybrid");
  const results = useQuery({ queryKey: ["search", query, mode, filters], queryFn: () => search(query, mode, filters) });
  return (
    <section className="card" aria-label="Results">
      <div className="card-head">
        <h2>{results.data ? counted(results.data.hits.length, "passage") : "Passages"}</h2>
        <Segmented label="Search by" value={mode} choices={MODES} onChange={setMode} />
      </div>
      {results.isPending && <SkeletonRows rows={8} />}
      {results.error && <div className="card-body"><ProblemOrMissing error={results.error} what="search" route="POST /v1/search" onRetry={() => void results.refetch()} /></div>}
      {results.data && <Warnings warnings={results.data.warnings} />}
      {results.data?.hits.length === 0 && <Empty icon="search" title="No passages found"><p>Try other words, or search by meaning. The search covers documents that are ready.</p></Empty>}
      <ol className="passages">{results.data?.hits.map((hit) => <li key={hit.chunk_id}><Passage hit={hit} /></li>)}</ol>
    </section>
  );
}

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  return warnings.map((warning) => (
    <div key={warning} className="note warn warning"><Icon name="alert" /><div>{warning}</div></div>
  ));
}
