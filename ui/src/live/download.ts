/** Starts downloads in the browser. */
import type { LinkView } from "../api/types.ts";

export function startDownload(link: Pick<LinkView, "url" | "filename">): void {
  const anchor = document.createElement("a");
  anchor.href = link.url;
  anchor.download = link.filename;
  anchor.click();
}

export function saveText(text: string, filename: string): void {
  saveBlob(new Blob([text], { type: "text/plain;charset=utf-8" }), filename);
}

/** Saves content that the page already has. */
export function saveBlob(blob: Blob, filename: string): void {
  const url = URL.createObjectURL(blob);
  startDownload({ url, filename });
  // The browser reads the content shortly after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
