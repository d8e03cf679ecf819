/** The rows of the list that the address asks for, fetched page by page and renewed with the server's events. */
import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { listDocuments, PAGE_SIZE } from "../../api/endpoints.ts";
import type { DocumentView, FacetsQuery, Listed } from "../../api/types.ts";
import { withFreshTop } from "../../live/document-events.ts";
import { isShown, type ListState, type Sort } from "./url-state.ts";

export interface Rows {
  shown: readonly DocumentView[];
  isPending: boolean;
  isFetchingMore: boolean;
  hasMore: boolean;
  fetchMore: () => void;
  error: Error | null;
  retry: () => void;
}

const NO_ROWS: readonly DocumentView[] = [];

export function useRows(state: ListState, filters: FacetsQuery, sort: Sort): Rows {
  const client = useQueryClient();
  const query = useMemo(() => ({ ...filters, sort }), [filters, sort]);
  const key = useMemo(() => ["documents", query], [query]);
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }): Promise<Listed<DocumentView>> => listDocuments({ ...query, limit: PAGE_SIZE, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    staleTime: Infinity,
    refetchOnMount: false,
  });
  const isLoaded = list.data !== undefined;
  const fresh = useQuery({
    queryKey: ["fresh", ...key],
    queryFn: () => listDocuments({ ...query, limit: PAGE_SIZE }),
    enabled: isLoaded,
  });
  useEffect(() => {
    const top = fresh.data;
    if (!top) return;
    client.setQueryData<InfiniteData<Listed<DocumentView>, string | undefined>>(key, (old) => old && { ...old, pages: withFreshTop(old.pages, top, sort) });
  }, [client, key, sort, fresh.data]);

  const loaded = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? NO_ROWS, [list.data]);
  const shown = useMemo(() => loaded.filter((row) => isShown(row, state)), [loaded, state]);
  return {
    shown,
    isPending: list.isPending,
    isFetchingMore: list.isFetchingNextPage,
    hasMore: list.hasNextPage,
    fetchMore: () => void list.fetchNextPage(),
    error: list.error,
    retry: () => void list.refetch(),
  };
}
