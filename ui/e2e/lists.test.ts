import type { Page } from "playwright-core";
import { beforeAll, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { LEASE, MAIL_WITH_ATTACHMENT, pdf } from "./files.ts";
import { browser, server } from "./frame.ts";

let page: Page;
const rendered: string[] = [];

beforeAll(async () => {
  const token = await server.signIn();
  await server.upload(token, "zebra.pdf", pdf([["The zebra crossing is closed until the autumn"]]));
  await server.upload(token, LEASE.name, LEASE.bytes);
  await server.upload(token, "Apple.pdf", pdf([["Apples are stored in the cellar"]]));
  await server.upload(token, MAIL_WITH_ATTACHMENT.name, MAIL_WITH_ATTACHMENT.bytes);
  await vi.waitFor(async () => {
    const { active } = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { active: number };
    expect(active).toBe(5);
  }, { timeout: 90_000, interval: 200 });
  page = await (await openWindow(browser)).newPage();
  page.on("request", (request) => {
    if (request.url().includes(".png")) rendered.push(request.url());
  });
  await signIn(page, server);
});

const titles = () => page.getByRole("table", { name: "Documents" }).locator(".row-title a").allInnerTexts();
const search = () => page.getByRole("searchbox", { name: "Search names and content" });

it("a header sorts by its column, once more in the opposite order, and the address keeps it", async () => {
  await page.goto(`${server.url}/documents`);
  await page.getByText("5 documents", { exact: true }).waitFor();
  const newest = await titles();
  await page.getByRole("button", { name: "Name" }).click();
  await page.waitForURL("**/documents?sort=title");
  await expect.poll(titles).toEqual([...newest].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase())));
  const byName = await titles();
  await page.getByRole("button", { name: "Name" }).click();
  await page.waitForURL("**/documents?sort=title_desc");
  await expect.poll(titles).toEqual([...byName].reverse());
  await page.reload();
  await expect.poll(titles).toEqual([...byName].reverse());
  await page.getByLabel("Sort by").selectOption("Oldest first");
  await expect.poll(titles).toEqual([...newest].reverse());
  await page.getByLabel("Sort by").selectOption("Newest first");
  await page.waitForURL(/\/documents$/);
});

it("a ready document with pages has a thumbnail, and others have their type", async () => {
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  rendered.length = 0;
  await page.reload();
  await row(LEASE.name).locator(".thumb img").waitFor();
  await row("Apple.pdf").locator(".thumb img").waitFor();
  expect(await row(MAIL_WITH_ATTACHMENT.name).first().locator(".thumb-type").innerText()).toMatch(/eml/i);
  expect(rendered.every((url) => url.includes("/pages/1.png?width=320")), rendered.join("\n")).toBe(true);
  expect(new Set(rendered).size, "each image is fetched once").toBe(rendered.length);
});

it("one search finds documents by name and passages by content, with the filters of both", async () => {
  await page.keyboard.press("/");
  await expect.poll(() => search().evaluate((field) => field === document.activeElement)).toBe(true);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/v1/search")) asked.push(request.postData() ?? "");
  });
  await search().pressSequentially("zebra");
  await page.getByRole("region", { name: /passage/ }).getByRole("link", { name: "zebra.pdf" }).waitFor();
  expect(await titles()).toEqual(["zebra.pdf"]);
  expect(await page.locator(".passage-hits mark").first().innerText()).toMatch(/zebra/i);
  expect(asked.length, "typing is one search").toBe(1);

  await page.goto(`${server.url}/documents?q=cellar`);
  await page.getByText("No matching documents").waitFor();
  await page.locator(".passage-hits").getByRole("link", { name: "Apple.pdf" }).waitFor();
  await page.locator(".passage-hits").getByRole("link", { name: "Apple.pdf" }).click();
  await page.waitForURL(/\/documents\/[0-9a-f-]+\?page=1/);

  await page.goto(`${server.url}/documents?q=cellar&type=eml`);
  await page.getByText("No matching documents").waitFor();
  await page.locator(".passage-hits").waitFor();
  expect(await page.locator(".passage-hits").getByRole("link", { name: "Apple.pdf" }).count()).toBe(0);
});

it("a row that is processed shows its stage and pages as soon as the list is loaded", async () => {
  // Small files are ready before anyone sees their progress: one answer of the server is changed.
  await page.route("**/v1/documents?*", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { items: Record<string, unknown>[] };
    const [first, second] = body.items;
    if (first) Object.assign(first, { status: "processing", progress: { run_id: "r", stage: "ocr", is_running: true, done: 3, total: 12, waiting_for: null } });
    if (second) Object.assign(second, { status: "uploaded", progress: { run_id: "s", stage: "ocr", is_running: false, done: null, total: null, waiting_for: "object_store" } });
    await route.fulfill({ response, json: body });
  });
  await page.goto(`${server.url}/documents`);
  await page.getByRole("row").nth(1).getByText("OCR 3/12").waitFor();
  await page.getByRole("row").nth(2).getByText("Waiting for the object store").waitFor();
  await page.unroute("**/v1/documents?*");
});
