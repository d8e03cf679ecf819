import { expect, it } from "vitest";
import type { DocumentView } from "../src/api/types.ts";
import { openWindow, signIn } from "./browser.ts";
import { browser, server } from "./frame.ts";

const TOTAL = 100_000;
const PAGE = 100;
const ROW_HEIGHT = 56;

function row(at: number): DocumentView {
  return {
    doc_id: `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`, title: `Document ${at}`, filename: `document-${at}.pdf`, status: "active", error: null,
    file_kind: at % 2 === 0 ? "pdf" : "docx", source_uri: "", source: "manual", content_type: "application/pdf", size_bytes: 1000, revision: 1, tags: [],
    is_searchable: true, content_locked: false, has_page_images: false, progress: null,
    created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z",
  };
}

it("a list of 100,000 draws only what fits, and fetches more as one scrolls", async () => {
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
  // Uploading as many would take hours: only this list is made up.
  await page.route("**/v1/documents?*", (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
    const items = Array.from({ length: PAGE }, (_, at) => row(from + at));
    const next = from + PAGE < TOTAL ? String(from + PAGE) : null;
    return route.fulfill({ json: { items, limit: PAGE, next_cursor: next } });
  });
  await page.goto(`${server.url}/documents`);
  const scroller = page.locator(".rows-scroller");
  await scroller.getByText("Document 0", { exact: true }).waitFor();
  await expect.poll(async () => {
    await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    return scroller.evaluate((element) => element.scrollHeight);
  }, { timeout: 60_000, interval: 20 }).toBeGreaterThan(3_000 * ROW_HEIGHT);
  const drawn = await scroller.getByRole("row").count();
  expect(drawn).toBeGreaterThan(10);
  expect(drawn).toBeLessThan(80);
});
