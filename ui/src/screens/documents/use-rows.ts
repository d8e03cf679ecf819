/** The rows of the list: fetched page after page, kept in step with the server, filtered by what the address says. */
import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { listBatchResults, listDocuments, PAGE_SIZE } from "../../api/endpoints.ts";
import type { BatchResult, DocumentView, Listed } from "../../api/types.ts";
import { withFreshTop } from "../../live/happenings.ts";
import { isShown, queryOf, type ListState } from "./url-state.ts";

export interface Rows {
  /** Everything fetched so far. */
  loaded: readonly DocumentView[];
  /** What of it the filters leave. */
  shown: readonly DocumentView[];
  isPending: boolean;
  isFetchingMore: boolean;
  hasMore: boolean;
  fetchMore: () => void;
  error: Error | null;
  retry: () => void;
}

const NO_ROWS: readonly DocumentView[] = [];

export function useRows(state: ListState): Rows {
  const client = useQueryClient();
  const { search, status, span, batch } = state;
  // `now` only decides on which day a span begins; the day is what the key has to change with.
  const query = useMemo(() => queryOf({ search, status, span, batch: null, type: null, source: null, tag: null }, new Date()), [search, status, span]);
  const key = useMemo(() => ["documents", batch ?? query], [batch, query]);
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }): Promise<Listed<DocumentView>> =>
      batch === null ? listDocuments({ ...query, limit: PAGE_SIZE, cursor: pageParam }, signal) : listBatchRows(batch, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: Infinity,
    refetchOnMount: false,
  });
  const isLoaded = list.data !== undefined;
  const fresh = useQuery({
    queryKey: ["fresh", ...key],
    queryFn: () => (batch === null ? listDocuments({ ...query, limit: PAGE_SIZE }) : listBatchRows(batch)),
    enabled: isLoaded,
  });
  useEffect(() => {
    const top = fresh.data;
    if (!top) return;
    client.setQueryData<InfiniteData<Listed<DocumentView>, string | undefined>>(key, (old) => old && { ...old, pages: withFreshTop(old.pages, top) });
  }, [client, key, fresh.data]);

  const loaded = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? NO_ROWS, [list.data]);
  const shown = useMemo(() => loaded.filter((row) => isShown(row, state)), [loaded, state]);
  return {
    loaded,
    shown,
    isPending: list.isPending,
    isFetchingMore: list.isFetchingNextPage,
    hasMore: list.hasNextPage,
    fetchMore: () => void list.fetchNextPage(),
    error: list.error,
    retry: () => void list.refetch(),
  };
}

async function listBatchRows(batch: string, cursor?: string): Promise<Listed<DocumentView>> {
  const page = await listBatchResults(batch, cursor);
  return { ...page, items: page.items.map(asRow) };
}

/** A batch tells less of its documents: what is not told is left blank in the list. */
function asRow(result: BatchResult): DocumentView {
  return {
    doc_id: result.doc_id,
    title: result.title,
    filename: result.filename,
    status: result.status,
    error: result.error ?? null,
    created_at: result.added_at,
    updated_at: result.finished_at ?? result.added_at,
    source_type: typeByName(result.filename),
    source: "",
    source_uri: "",
    content_type: "",
    size_bytes: 0,
    tags: [],
    version: 0,
  };
}

function typeByName(filename: string): string {
  const dot = filename.lastIndexOf(".");
  return dot < 0 ? "" : filename.slice(dot + 1).toLowerCase();
}
