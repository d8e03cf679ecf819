import { describe, expect, it } from "vitest";
import type { DocumentView } from "../api/types.ts";
import { rowProgress } from "./progress.ts";

const listed = (progress: Partial<NonNullable<DocumentView["progress"]>> | null, status = "processing") =>
  ({ status, progress: progress && { run_id: "r", is_running: true, ...progress } }) as DocumentView;

describe("the progress of a row", () => {
  it("names the stage and the pages as soon as the list is loaded", () => {
    expect(rowProgress(listed({ stage: "ocr", done: 3, total: 12 }), undefined)).toEqual({ text: "OCR 3/12", share: 0.25 });
    expect(rowProgress(listed({ stage: "layout" }), undefined)).toEqual({ text: "Layout", share: null });
  });

  it("follows the events of the same run", () => {
    const live = { runId: "r", stage: "ocr", done: 4, total: 12 };
    expect(rowProgress(listed({ stage: "ocr", done: 3, total: 12 }), live)?.text).toBe("OCR 4/12");
    expect(rowProgress(listed({ stage: "ocr", done: 3, total: 12 }), { ...live, runId: "earlier" })?.text).toBe("OCR 3/12");
  });

  it("says what a document waits for", () => {
    expect(rowProgress(listed({ stage: "ocr", is_running: false }, "uploaded"), undefined)?.text).toBe("Waiting for a worker · OCR");
    expect(rowProgress(listed({ stage: "ocr", is_running: false, waiting_for: "object_store" }), undefined)?.text).toBe("Waiting for the object store");
  });

  it("is none without a run", () => {
    expect(rowProgress(listed(null, "active"), undefined)).toBeNull();
  });
});
