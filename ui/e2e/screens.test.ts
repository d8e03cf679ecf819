import { readFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { INVOICE, WRONG_CONTRACT_NOTE } from "./business-files.ts";
import { HOSTILE, LEASE, pdf } from "./files.ts";
import { browser, server } from "./frame.ts";
import { layoutProblems, smallTargets } from "./layout-problems.ts";
import { SCREENS, type Ids, type Screen } from "./screens.ts";
import { json } from "./server.ts";

const WIDTHS = [1360, 768, 390];
const THEMES = ["light", "dark"] as const;
const LEAST_TARGET = 40;

let ids: Ids;

beforeAll(async () => {
  const token = await server.signIn();
  const ready = await server.upload(token, LEASE.name, LEASE.bytes);
  const failed = await server.upload(token, HOSTILE.name, HOSTILE.bytes);
  const encrypted = await server.upload(token, "a-long-file-name-without-any-space_2026-03-31_final.pdf", pdf([["The secret"]], "open sesame"));
  const invoice = await server.upload(token, INVOICE.name, INVOICE.bytes);
  const note = await server.upload(token, WRONG_CONTRACT_NOTE.name, WRONG_CONTRACT_NOTE.bytes);
  ids = { ready, failed, encrypted, invoice, note };
  await server.addUser("a.rather.long.address@subsidiary.example.com", "reviewer");
  await server.fetch("/v1/api-keys", token, json({ name: "Scanner in the mail room", role: "api_client" }));
  await vi.waitFor(async () => {
    const summary = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { active: number; failed: number };
    expect([summary.active, summary.failed]).toEqual([3, 2]);
  }, { timeout: 60_000, interval: 200 });
  await prepareResults(token);
});

/** A second version of the invoice's result, of which the first one is promoted: so there are three. */
async function prepareResults(token: string): Promise<void> {
  const hasVersion = (id: string, version: number) => vi.waitFor(async () => {
    expect((await server.fetch(`/v1/documents/${id}/results/${version}`, token)).status).toBe(200);
  }, { timeout: 60_000, interval: 200 });
  await hasVersion(ids.invoice, 1);
  await server.fetch(`/v1/documents/${ids.invoice}/rerun`, token, json({ from_stage: "parse", document_type: "receipt" }));
  await hasVersion(ids.invoice, 2);
  const promoted = await server.fetch(`/v1/documents/${ids.invoice}/results/1/promote`, token, json({}));
  expect([promoted.status, await promoted.text()]).toEqual([201, expect.stringContaining('"invoice"')]);
  await hasVersion(ids.note, 1);
}

it("every route of App.tsx has a row", () => {
  const app = readFileSync(join(import.meta.dirname, "../src/App.tsx"), "utf8");
  const routes = new Set([...app.matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path));
  expect(routes.size).toBeGreaterThan(5);
  expect(new Set(SCREENS.flatMap(({ route }) => route ?? []))).toEqual(routes);
});

/** What axe finds on the page, each with where it is. Of its rules only one depends on the theme. */
async function violations(page: Page, theme: "light" | "dark"): Promise<string[]> {
  // Once for each page, and not as a script tag: the page's content security policy forbids those.
  if (await page.evaluate(() => !("axe" in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = theme === "light" ? {} : { runOnly: ["color-contrast"] };
  const result = await page.evaluate((given) => (window as unknown as { axe: typeof axe }).axe.run(given), options);
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
}

/**
 * The problems that are still there after a few frames. Chromium applies a new theme to a table in several frames, and a row
 * with the text of one theme on the background of the other has too little contrast until then.
 */
async function lastingProblems(page: Page, inspect: () => Promise<string[]>): Promise<string[]> {
  let problems: string[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    problems = await inspect();
    if (problems.length === 0) break;
  }
  return problems;
}

/** The problems of what the page shows now, at every width in both themes. */
async function problemsOf(page: Page, route: string | null): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      const problems = await lastingProblems(page, async () => [
        ...await violations(page, theme),
        ...(theme === "light" ? await page.evaluate(layoutProblems) : []),
        ...(theme === "light" && width < 600 && route !== null ? await page.evaluate(smallTargets, LEAST_TARGET) : []),
      ]);
      if (problems.length > 0) found[`${width} px, ${theme}`] = problems;
    }
  }
  return found;
}

async function visit(page: Page, screen: Screen): Promise<void> {
  await page.setViewportSize({ width: 1360, height: 900 });
  await page.goto(server.url + screen.address(ids));
  const main = page.locator("main");
  await main.locator(screen.loaded).first().waitFor();
  await page.waitForFunction(() => document.querySelector("main .skeleton") === null);
  if (screen.open !== undefined) await main.locator(screen.open).first().click();
}

describe("at 390, 768 and 1360 px, light and dark", () => {
  it("the sign-in page has no problem", async () => {
    const page = await (await openWindow(browser)).newPage();
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await problemsOf(page, null)).toEqual({});
  });

  it("no screen has one", { timeout: 400_000 }, async () => {
    const page = await (await openWindow(browser)).newPage();
    await signIn(page, server);
    const found: Record<string, Record<string, string[]>> = {};
    for (const screen of SCREENS) {
      await visit(page, screen);
      const problems = await problemsOf(page, screen.route);
      if (Object.keys(problems).length > 0) found[`${screen.address(ids)} ${screen.open ?? ""}`.trim()] = problems;
    }
    expect(found).toEqual({});
  });
});

it("old addresses of “Needs attention” lead to the new one", async () => {
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
  await page.goto(`${server.url}/repair/dead`);
  await page.waitForURL("**/attention");
  await page.getByRole("heading", { name: "Needs attention" }).waitFor();
});
