/** Thumbnails of all pages; only visible ones are fetched. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { usePicture } from "./PageViewer.tsx";

interface ThumbnailsProps {
  id: string;
  pages: number;
  current: number;
  onPage: (page: number) => void;
}

const THUMBNAIL_PIXELS = 320;
const ROW_HEIGHT = 136;

export function Thumbnails({ id, pages, current, onPage }: ThumbnailsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: pages, getScrollElement: () => scroller.current, estimateSize: () => ROW_HEIGHT, overscan: 2 });
  useEffect(() => rows.scrollToIndex(current - 1), [rows, current]);
  return (
    <div ref={scroller} className="thumbnails">
      <ol style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <li key={row.key} style={{ transform: `translateY(${row.start}px)` }}>
            <button type="button" aria-current={row.index + 1 === current ? "page" : undefined} onClick={() => onPage(row.index + 1)}>
              <Thumbnail id={id} page={row.index + 1} />
              <span>{row.index + 1}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Thumbnail({ id, page }: { id: string; page: number }) {
  const { url } = usePicture(id, page, THUMBNAIL_PIXELS);
  return url ? <img src={url} alt="" draggable={false} /> : <span className="skeleton thumbnail-wait" />;
}
