/**
 * A passage may span several pages, and its quote may be on a later one than its first. Opens the page with the quote
 * once for each address; after that the user turns the pages.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { readPage } from "../../api/endpoints.ts";
import type { PageView } from "../../api/types.ts";
import { passageOf, readAreas } from "./highlight.ts";

interface QuotePlace {
  id: string;
  at: string | null;
  quote: string | null;
  page: PageView | undefined;
  /** Whether the shown page has the quote. */
  isOnPage: boolean;
  onFound: (page: number) => void;
}

export function usePageOfQuote({ id, at, quote, page, isOnPage, onFound }: QuotePlace): void {
  const client = useQueryClient();
  /** The passage that was searched for: once, and not after the user left or turned the page. */
  const searched = useRef<string | null>(null);
  const now = useRef({ page, onFound });
  useEffect(() => {
    now.current = { page, onFound };
  });
  useEffect(() => () => {
    searched.current = null;
  }, []);
  useEffect(() => {
    const passage = JSON.stringify([id, at, quote]);
    if (!page || quote === null || searched.current === passage) return;
    searched.current = passage;
    if (isOnPage) return;
    const others = [...new Set(readAreas(at).map((area) => area.page))].filter((number) => number !== page.number);
    const search = async () => {
      for (const number of others) {
        const other = await client.query({ queryKey: ["document", id, "page", number], queryFn: () => readPage(id, number) });
        if (searched.current !== passage || now.current.page?.number !== page.number) return;
        if (passageOf(other, null, quote).hasQuote) {
          now.current.onFound(number);
          return;
        }
      }
    };
    // When another page cannot be fetched, the shown page stays, with the passage highlighted on it.
    search().catch(() => undefined);
  }, [client, id, at, quote, page, isOnPage]);
}
