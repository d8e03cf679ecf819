import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Router } from "wouter";
import type { DocumentDetail } from "../../api/types.ts";
import { History } from "./History.tsx";

const at = "2026-03-02T10:00:00Z";

/** What the server says of a mail: its pages, an attachment that became a document, one that is only kept. */
const MAIL = {
  versions: [],
  runs: [{
    run_id: "r", status: "succeeded", run_type: "manual_upload", pipeline: ["ingest", "preprocess"], created_at: at, started_at: at, finished_at: at,
    updated_at: at, stats: { attachments: 2 }, artifacts_readable: true,
    stages: [{
      name: "preprocess", status: "succeeded", started_at: at, ended_at: at, retries: 0, duration_ms: 5,
      artifacts: [
        { name: "pages", size_bytes: 2048, sha256: "0123456789abcdef" },
        { name: "attachment-1", doc_id: "d-1", file_name: "keys.txt", media_type: "text/plain" },
        { name: "attachment-2", size_bytes: 10, sha256: "fedcba9876543210", file_name: "photo.raw", media_type: "image/raw" },
      ],
    }],
  }],
} as unknown as DocumentDetail;

it("the history of a mail links what was attached to it, though that has no bytes here", () => {
  const page = renderToStaticMarkup(<Router ssrPath="/documents/m"><History detail={MAIL} /></Router>);
  expect(page).toContain('href="/documents/d-1"');
  expect(page).toContain("keys.txt");
  expect(page).toContain("sha256 0123456789ab…");
  expect(page).not.toContain("undefined");
});
