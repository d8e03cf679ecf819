/** The passages that the search finds in the content of documents, after the documents that it finds by name. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { search } from "../../api/endpoints.ts";
import type { FacetsQuery } from "../../api/types.ts";
import { ProblemNote, SkeletonRows } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { Passage } from "../ask/Passage.tsx";
import { passageFilters } from "./url-state.ts";

const SHOWN = 8;

export function usePassages(query: FacetsQuery, isAllowed: boolean) {
  const filters = passageFilters(query);
  const text = query.search ?? "";
  return useQuery({
    queryKey: ["search", text, "hybrid", filters, SHOWN],
    queryFn: ({ signal }) => search(text, "hybrid", filters ?? {}, SHOWN, signal),
    enabled: isAllowed && text !== "" && filters !== null,
    staleTime: 60_000,
  });
}

interface PassageHitsProps {
  query: FacetsQuery;
  passages: ReturnType<typeof usePassages>;
}

export function PassageHits({ query, passages }: PassageHitsProps) {
  if (passageFilters(query) === null) {
    return (
      <section className="passage-hits" aria-labelledby="passage-hits">
        <h2 id="passage-hits">Passages</h2>
        <p className="quiet">The search in the content covers documents that are ready and has no filter by source.</p>
      </section>
    );
  }
  const hits = passages.data?.hits ?? [];
  const all = new URLSearchParams({ mode: "search", q: query.search ?? "", ...(query.type && { type: query.type }), ...(query.tag && { tag: query.tag }) });
  return (
    <section className="passage-hits" aria-labelledby="passage-hits" aria-busy={passages.isPending}>
      <h2 id="passage-hits">{passages.data ? counted(hits.length, "passage") : "Passages"}</h2>
      {passages.isPending && <SkeletonRows rows={3} />}
      {passages.error && <ProblemNote error={passages.error} onRetry={() => void passages.refetch()} />}
      {passages.data && hits.length === 0 && <p className="quiet">No passage matches “{query.search}”.</p>}
      {hits.length > 0 && <ol className="passages">{hits.map((hit) => <li key={hit.chunk_id}><Passage hit={hit} /></li>)}</ol>}
      {hits.length === SHOWN && <p><Link href={`/ask?${all.toString()}`}>More passages</Link></p>}
    </section>
  );
}
