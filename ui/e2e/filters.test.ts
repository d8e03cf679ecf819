import type { Page } from "playwright-core";
import { beforeAll, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { LEASE, MAIL_WITH_ATTACHMENT, pdf } from "./files.ts";
import { browser, server } from "./frame.ts";
import { ADMIN, json } from "./server.ts";

let page: Page;

beforeAll(async () => {
  const token = await server.signIn();
  const lease = await server.upload(token, LEASE.name, LEASE.bytes);
  await server.fetch(`/v1/documents/${lease}/tags`, token, { ...json({ tags: ["rent", "2026"] }), method: "PUT" });
  await server.upload(token, MAIL_WITH_ATTACHMENT.name, MAIL_WITH_ATTACHMENT.bytes);
  const made = await server.fetch("/v1/batches", token, json({ name: "January" }));
  const { batch_id: batch } = (await made.json()) as { batch_id: string };
  const form = new FormData();
  form.append("file", new Blob([pdf([["A bill of January"]]).slice()]), "january.pdf");
  await server.fetch(`/v1/batches/${batch}/documents`, token, { method: "POST", body: form });
  await vi.waitFor(async () => {
    const { active } = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { active: number };
    expect(active).toBe(4);
  }, { timeout: 90_000, interval: 200 });
  page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
});

const facet = (group: string, name: string | RegExp) => page.getByRole("region", { name: group, exact: true }).getByRole("button", { name });
const titles = () => page.getByRole("table", { name: "Documents" }).locator(".row-title a").allInnerTexts();

it("facets count what the server has, and choosing one asks the server and changes the address", async () => {
  await page.goto(`${server.url}/documents`);
  await facet("Status", /^Ready\s*4$/).waitFor();
  await facet("Source", /^Attachment\s*1$/).waitFor();
  const asked = page.waitForRequest((request) => request.url().includes("/v1/documents?") && request.url().includes("tag=rent"));
  await facet("Tag", /^rent\s*1$/).click();
  await asked;
  await page.waitForURL("**/documents?tag=rent");
  await page.getByText("1 document", { exact: true }).waitFor();
  expect(await titles()).toEqual([LEASE.name]);
  // Of the others, only what the lease is; of tags, what else could be chosen.
  await facet("Type", /^pdf\s*1$/).waitFor();
  await facet("Source", /^Manual upload\s*1$/).waitFor();
  await facet("Tag", /^2026\s*1$/).waitFor();
  expect(await facet("Source", /^Batch/).count()).toBe(0);
});

it("filters combine, are in the address, and can be removed", async () => {
  await page.goto(`${server.url}/documents?source=batch&type=pdf`);
  await page.getByText("1 document", { exact: true }).waitFor();
  expect(await titles()).toEqual(["january.pdf"]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.waitForURL("**/documents");
  await page.getByText("4 documents", { exact: true }).waitFor();
  await facet("Batch", /^January\s*1$/).click();
  await page.waitForURL(/batch=/);
  await page.getByText("1 document", { exact: true }).waitFor();
  // No email is in a batch; the chosen filter stays, so that it can be removed.
  await facet("Type", /^eml/).waitFor({ state: "detached" });
  await page.goto(`${server.url}/documents?type=eml`);
  await page.getByText("1 document", { exact: true }).waitFor();
  expect(await facet("Batch", /January/).count()).toBe(0);
  await page.goto(`${server.url}/documents`);
  await facet("Batch", /^January\s*1$/).click();
  await page.getByText("1 document", { exact: true }).waitFor();
  await page.getByLabel("Search names and content").fill("no such name");
  await page.getByText("No matching documents").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("4 documents", { exact: true }).waitFor();
});

it("the configuration shows every setting and its origin, and no secret", async () => {
  await page.goto(`${server.url}/admin/configuration`);
  const setting = (key: string) => page.getByRole("row").filter({ has: page.getByText(key, { exact: true }) });
  await setting("rate_limit_burst").getByText("DOCKET_RATE_LIMIT_BURST").waitFor();
  await setting("jwt_secret").getByText("Not set").waitFor();
  await page.getByLabel("Find settings").fill("largest file");
  await page.getByText("1 setting", { exact: true }).waitFor();
  await setting("upload_max_size_mb").getByText("50").waitFor();
  await page.getByLabel("Find settings").fill("");
  await page.getByRole("button", { name: "Changed" }).click();
  await page.waitForURL(/which=changed/);
  await setting("data_dir").getByText("--data-dir").waitFor();
  expect(await setting("log_level").count()).toBe(0);
  expect(await page.content()).not.toContain(ADMIN.password);
});
