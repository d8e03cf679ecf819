/** The first page of a document as a small image, or an icon of its file type. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { drawPage } from "../../api/endpoints.ts";
import type { DocumentView } from "../../api/types.ts";
import { inTurn } from "./thumbnail-queue.ts";

/** The smallest width that the server renders. */
const PIXELS = 320;

/** Rows are drawn only near the part of the list that is visible, so the image of a row that is drawn is worth fetching. */
export function Thumbnail({ row }: { row: DocumentView }) {
  const { data } = useQuery({
    // Another version has other pages.
    queryKey: ["thumbnail", row.doc_id, row.doc_version_id],
    queryFn: ({ signal }) => inTurn(() => drawPage(row.doc_id, 1, PIXELS, signal), signal),
    enabled: row.has_page_images,
    staleTime: Infinity,
    retry: false,
  });
  const url = useObjectUrl(data);
  return (
    <span className="thumb" data-type={row.file_kind} aria-hidden="true">
      {url && row.has_page_images ? <img src={url} alt="" draggable={false} /> : <span className="thumb-type">{row.file_kind}</span>}
    </span>
  );
}

function useObjectUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    // The address exists outside React: an effect makes and revokes it.
    // eslint-disable-next-line react-hooks/set-state-in-effect
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}
