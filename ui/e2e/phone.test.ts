import type { Page } from "playwright-core";
import { beforeAll, expect, it, vi } from "vitest";
import { signIn } from "./browser.ts";
import { LEASE } from "./files.ts";
import { browser, server } from "./frame.ts";

const LONG = "a-very-long-file-name-that-has-no-spaces-and-does-not-fit-into-one-line-of-a-phone-2026-01-31-final-version.txt";
let page: Page;

beforeAll(async () => {
  const token = await server.signIn();
  await server.upload(token, LEASE.name, LEASE.bytes);
  await server.upload(token, LONG, new TextEncoder().encode("Some text."));
  await vi.waitFor(async () => {
    const { active } = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { active: number };
    expect(active).toBe(2);
  }, { timeout: 90_000, interval: 200 });
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "en-GB", reducedMotion: "reduce", hasTouch: true });
  page = await phone.newPage();
  await signIn(page, server);
});

/** How far the page and its main area are wider than what they are shown in. */
const overflow = () => page.evaluate(() => [document.documentElement, ...document.querySelectorAll(".main, .rows-scroller, .tray-rows")]
  .map((element) => element.scrollWidth - element.clientWidth));

it.each(["/", "/documents", "/documents?q=lease", "/ask", "/ask?mode=search&q=lease"])("%s does not scroll sideways", async (path) => {
  await page.goto(server.url + path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect.poll(() => page.locator("[aria-busy=true]").count()).toBe(0);
  expect(Math.max(...(await overflow()))).toBe(0);
});

it("the navigation is at the bottom, with targets for fingers, and More has the rest", async () => {
  await page.goto(server.url);
  const navigation = page.getByRole("navigation", { name: "Screens" });
  const box = await navigation.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(844);
  for (const link of await navigation.getByRole("link").all()) {
    if (!(await link.isVisible())) continue;
    const size = await link.boundingBox();
    expect(Math.min(size?.width ?? 0, size?.height ?? 0)).toBeGreaterThanOrEqual(40);
  }
  expect(await page.getByRole("button", { name: "Sign out" }).isVisible()).toBe(false);
  await navigation.getByRole("button", { name: "More" }).click();
  expect(await page.getByRole("button", { name: "Sign out" }).isVisible()).toBe(true);
  await navigation.getByRole("link", { name: "Documents" }).click();
  await page.waitForURL("**/documents");
});

it("a card shows two lines of a long title, its status and a target to select it", async () => {
  await page.goto(`${server.url}/documents`);
  const card = page.getByRole("row").filter({ hasText: "a-very-long-file-name" });
  const title = await card.getByRole("link").boundingBox();
  expect(title?.width).toBeGreaterThan(200);
  expect(title?.height).toBeGreaterThan(30);
  await card.getByText("Ready").waitFor();
  const target = await card.locator(".check-target").boundingBox();
  expect(Math.min(target?.width ?? 0, target?.height ?? 0)).toBeGreaterThanOrEqual(40);
  await card.locator(".check-target").tap();
  await page.getByText("1 document selected").waitFor();
  expect(Math.max(...(await overflow()))).toBe(0);
});

it("filters open on request, and the order is a choice", async () => {
  await page.goto(`${server.url}/documents`);
  await page.getByText("2 documents", { exact: true }).waitFor();
  expect(await page.getByRole("complementary", { name: "Filters" }).isVisible()).toBe(false);
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("complementary", { name: "Filters" }).getByRole("button", { name: /^txt/ }).click();
  await page.getByText("1 document", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Filters (1)" }).click();
  await page.getByLabel("Sort by").selectOption("Title A–Z");
  await page.waitForURL(/sort=title/);
});

it("the upload tray is above the navigation and as wide as the phone", async () => {
  await page.goto(`${server.url}/documents`);
  await page.getByLabel("Files to upload").setInputFiles({ name: LONG.replace("final", "newer"), mimeType: "text/plain", buffer: Buffer.from("Another text.") });
  const tray = page.getByRole("region", { name: "Uploads" });
  await tray.getByText(/uploaded/).waitFor();
  const box = await tray.boundingBox();
  const navigation = await page.getByRole("navigation", { name: "Screens" }).boundingBox();
  expect(box?.width).toBeGreaterThan(360);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(navigation?.y ?? 0);
  expect(Math.max(...(await overflow()))).toBe(0);
});
