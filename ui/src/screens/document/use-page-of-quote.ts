/**
 * A passage may go over several pages, and the words that were quoted from it be on a later one than it begins on. Whoever
 * comes to such an address is taken to the page that has them; afterwards they turn the pages themselves.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { readPage } from "../../api/endpoints.ts";
import type { PageView } from "../../api/types.ts";
import { passageOf, readAreas } from "./highlight.ts";

interface Sought {
  id: string;
  at: string | null;
  quote: string | null;
  page: PageView | undefined;
  /** The page that is shown has the quote. */
  isThere: boolean;
  onFound: (page: number) => void;
}

export function usePageOfQuote({ id, at, quote, page, isThere, onFound }: Sought): void {
  const client = useQueryClient();
  /** The passage that was looked for, and what is shown now: whoever left or turned the page is not called back. */
  const looked = useRef<string | null>(null);
  const now = useRef({ page, onFound });
  useEffect(() => {
    now.current = { page, onFound };
  });
  useEffect(() => () => {
    looked.current = null;
  }, []);
  useEffect(() => {
    const passage = JSON.stringify([id, at, quote]);
    if (!page || quote === null || looked.current === passage) return;
    looked.current = passage;
    if (isThere) return;
    const others = [...new Set(readAreas(at).map((area) => area.page))].filter((number) => number !== page.number);
    const look = async () => {
      for (const number of others) {
        const other = await client.query({ queryKey: ["document", id, "page", number], queryFn: () => readPage(id, number) });
        if (looked.current !== passage || now.current.page?.number !== page.number) return;
        if (passageOf(other, null, quote).hasQuote) {
          now.current.onFound(number);
          return;
        }
      }
    };
    // The page that is shown stays, with the passage highlighted on it, when another cannot be fetched.
    look().catch(() => undefined);
  }, [client, id, at, quote, page, isThere]);
}
