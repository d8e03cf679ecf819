import { describe, expect, it } from "vitest";
import type { DocumentView, Listed } from "../api/types.ts";
import { documentEventOf, pagesAfter, rowAfter, withFreshTop } from "./document-events.ts";

const row = (doc_id: string, status = "uploaded"): DocumentView =>
  ({ doc_id, status, title: doc_id, error: null }) as DocumentView;
const page = (...items: DocumentView[]): Listed<DocumentView> => ({ items, limit: 2 });
const event = (name: string, data: object) => documentEventOf({ id: "1", event: name, data: JSON.stringify(data) });

describe("documentEventOf", () => {
  it("reads what the server sends", () => {
    expect(event("document.failed", { doc_id: "a", run_id: "r", stage: "ocr", error: "no", code: "wrong_password" })).toEqual({
      kind: "failed", docId: "a", runId: "r", stage: "ocr", error: "no", code: "wrong_password",
    });
    expect(event("document.progress", { doc_id: "a", run_id: "r", stage: "ocr", done: 2, total: 9 })).toEqual({
      kind: "progress", docId: "a", progress: { runId: "r", stage: "ocr", done: 2, total: 9 },
    });
  });

  it("takes what it does not know for something else", () => {
    expect(event("batch.completed", { batch_id: "b" })).toEqual({ kind: "other" });
    expect(documentEventOf({ id: null, event: "document.queued", data: "not json" })).toEqual({ kind: "other" });
  });
});

describe("rows", () => {
  it("follow their document", () => {
    expect(rowAfter(row("a"), event("document.started", { doc_id: "a" })).status).toBe("processing");
    expect(rowAfter(row("a", "processing"), event("document.completed", { doc_id: "a" })).status).toBe("active");
    const failed = rowAfter(row("a", "processing"), event("document.failed", { doc_id: "a", error: "torn", code: "password_required" }));
    expect([failed.status, failed.error, failed.error_code]).toEqual(["failed", "torn", "password_required"]);
  });

  it("take the new title", () => {
    expect(rowAfter(row("a", "active"), event("document.renamed", { doc_id: "a", title: "Lease" })).title).toBe("Lease");
  });

  it("stay served while a later run works or fails", () => {
    for (const name of ["document.queued", "document.started", "document.failed"]) {
      expect(rowAfter(row("a", "active"), event(name, { doc_id: "a" })).status).toBe("active");
    }
  });

  it("change in the page that has them, and nothing else does", () => {
    const pages = [page(row("a"), row("b")), page(row("c"))];
    const after = pagesAfter(pages, event("document.completed", { doc_id: "c" }));
    expect(after[0]).toBe(pages[0]);
    expect(after[1]?.items[0]?.status).toBe("active");
    expect(pagesAfter(pages, event("document.completed", { doc_id: "z" }))).toBe(pages);
  });

  it("that are new go on top, and known ones are renewed where they are", () => {
    const after = withFreshTop([page(row("b"), row("a")), page(row("0"))], page(row("c"), row("b", "active")), "newest");
    expect(after.flatMap(({ items }) => items.map(({ doc_id, status }) => `${doc_id} ${status}`))).toEqual([
      "c uploaded", "b active", "a uploaded", "0 uploaded",
    ]);
  });

  it("stay in place in another order, unless one page holds them all", () => {
    const after = withFreshTop([page(row("b"), row("c")), page(row("d"))], page(row("a"), row("b", "active")), "title");
    expect(after.flatMap(({ items }) => items.map(({ doc_id, status }) => `${doc_id} ${status}`))).toEqual(["b active", "c uploaded", "d uploaded"]);
    const fresh = page(row("a"), row("b"));
    expect(withFreshTop([page(row("b"), row("c"))], fresh, "title")).toEqual([fresh]);
  });

  it("lose their progress when the run ends", () => {
    const running = { ...row("a", "processing"), progress: { run_id: "r", is_running: true } };
    expect(rowAfter(running, event("document.completed", { doc_id: "a" })).progress).toBeNull();
    expect(rowAfter(running, event("document.failed", { doc_id: "a" })).progress).toBeNull();
  });
});
