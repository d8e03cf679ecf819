import axe from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { HOSTILE, LEASE } from "./files.ts";
import { browser, server } from "./frame.ts";

let lease: string;

beforeAll(async () => {
  const token = await server.signIn();
  lease = await server.upload(token, LEASE.name, LEASE.bytes);
  await server.upload(token, HOSTILE.name, HOSTILE.bytes);
  await vi.waitFor(async () => {
    const { active, failed } = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { active: number; failed: number };
    expect([active, failed]).toEqual([1, 1]);
  }, { timeout: 60_000, interval: 200 });
});

/** What is wrong on the page, for people who see, hear or move differently; each with where it is. */
async function seriousViolations(page: Page): Promise<string[]> {
  // Not as a script tag: the page's own policy forbids those.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`));
}

const SCREENS: readonly (readonly [string, string])[] = [
  ["/", "Latest"],
  ["/documents", "lease.pdf"],
  ["/documents?status=failed", "nested.html"],
  ["/documents?q=nothing", "No matching documents"],
  ["/documents/LEASE", "Lease agreement"],
  ["/documents/LEASE?tab=ask", "Only this document is searched"],
  ["/documents/LEASE?tab=markdown", "Copy"],
  ["/documents/LEASE?tab=history", "Uploaded by hand"],
  ["/documents/LEASE?tab=details", "Versions"],
  ["/documents/none", "There is no such document"],
  ["/ask", "Ask your documents"],
  ["/ask?mode=search&q=lease", "lease.pdf"],
  ["/ask?mode=ask&q=When+does+the+lease+end%3F", "Sources"],
  ["/ask?mode=ask&q=How+many+bathrooms+does+the+lease+mention%3F", "Closest passages"],
  ["/repair/dead", "What to do:"],
  ["/repair/stale", "Nothing is under way"],
  ["/repair/jobs", "preprocess"],
  ["/admin/users", "Add a person"],
  ["/admin/keys", "New key"],
  ["/admin/usage", "Documents by state"],
  ["/admin/rules", "Masked regions"],
  ["/admin/audit", "Verify the chain"],
  ["/admin/health", "What Docket depends on"],
  ["/admin/configuration", "onfiguration"],
];

describe.each(["light", "dark"] as const)("in %s", (theme) => {
  it("axe finds nothing serious on the way in", async () => {
    const page = await (await openWindow(browser, theme)).newPage();
    await page.goto(server.url);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it("axe finds nothing serious on any screen", async () => {
    const page = await (await openWindow(browser, theme)).newPage();
    await signIn(page, server);
    const found: Record<string, string[]> = {};
    for (const [path, sign] of SCREENS) {
      await page.goto(server.url + path.replace("LEASE", lease));
      await page.getByRole("main").getByText(sign).first().waitFor();
      const violations = await seriousViolations(page);
      if (violations.length > 0) found[path] = violations;
    }
    expect(found).toEqual({});
  });

  it("axe finds nothing serious in dialogs", async () => {
    const page = await (await openWindow(browser, theme)).newPage();
    await signIn(page, server);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`${server.url}/admin/users`);
    await page.getByRole("button", { name: "Add a person" }).click();
    await page.getByRole("dialog", { name: "Add a person" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.goto(`${server.url}/documents`);
    await page.getByRole("button", { name: "Upload with…" }).click();
    await page.getByRole("dialog", { name: "Upload with tags or a password" }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
