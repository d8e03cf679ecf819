/** The page view of a document that has no pictures of its pages: HTML of the server, in a frame without any rights. */
import "./viewer.css";
import "./page-view.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { linkToPageView } from "../../api/endpoints.ts";
import { IconButton } from "../../design/basics.tsx";
import { percent } from "../../format/numbers.ts";

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2];

/** Where the view is, or `null` when the document has none. A link lasts ten minutes, so each visit gets its own. */
export function usePageView(id: string, isWanted: boolean): string | null {
  const { data } = useQuery({
    queryKey: ["document", id, "view"],
    queryFn: () => linkToPageView(id),
    enabled: isWanted,
    retry: false,
    gcTime: 0,
    staleTime: 300_000,
    // Another link would load the view again, and lose the place.
    refetchOnWindowFocus: false,
  });
  return data?.url ?? null;
}

export function PageViewFrame({ url, page }: { url: string; page: number }) {
  const [zoom, setZoom] = useState(1);
  const step = (by: number) => setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(zoom) + by))] ?? 1);
  const size = `${100 / zoom}%`;
  return (
    <section className="viewer" aria-label="Page view">
      <div className="viewer-bar" role="toolbar" aria-label="Page view">
        <span className="viewer-gap" />
        <IconButton icon="minus" label="Smaller" disabled={zoom === ZOOMS[0]} onClick={() => step(-1)} />
        <span className="viewer-zoom">{percent(zoom)}</span>
        <IconButton icon="plus" label="Larger" disabled={zoom === ZOOMS.at(-1)} onClick={() => step(1)} />
      </div>
      <div className="page-view">
        <iframe
          title="Page view"
          // No scripts, no forms, no origin: what strangers sent in is shown and can do nothing.
          sandbox=""
          referrerPolicy="no-referrer"
          src={`${url}#page-${page}`}
          style={{ width: size, height: size, transform: `scale(${zoom})` }}
        />
      </div>
    </section>
  );
}
