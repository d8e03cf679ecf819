import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { HOSTILE, pdf, type MadeFile } from "./files.ts";
import { browser, server } from "./frame.ts";
import { json } from "./server.ts";

const PASSWORD = "open sesame";
const locked = (name: string): MadeFile => ({ name, bytes: pdf([[`The secret of ${name}`, "The spare key is under the third stone."]], PASSWORD) });
const nested = (name: string): MadeFile => ({ name, bytes: new Uint8Array([...HOSTILE.bytes, ...new TextEncoder().encode(`<!-- ${name} -->`)]) });

let page: Page;
let token: string;
const errors: string[] = [];

beforeAll(async () => {
  token = await server.signIn();
  page = await (await openWindow(browser)).newPage();
  page.on("pageerror", (error) => errors.push(error.message));
  await signIn(page, server);
});

async function dead(): Promise<{ job_id: string; doc_id: string }[]> {
  return ((await (await server.fetch("/v1/jobs/dead", token)).json()) as { items: { job_id: string; doc_id: string }[] }).items;
}

/** Uploads files that cannot be read, and waits until each has failed. */
async function bring(...files: readonly MadeFile[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { name, bytes } of files) ids.push(await server.upload(token, name, bytes));
  await vi.waitFor(async () => {
    const failed = (await dead()).map((job) => job.doc_id);
    expect(ids.every((id) => failed.includes(id))).toBe(true);
  }, { timeout: 90_000, interval: 200 });
  return ids;
}

const badge = () => page.getByRole("navigation", { name: "Screens" }).locator(".rail-count");
const rowOf = (name: string) => page.locator(".cause-jobs li", { hasText: name });

/** For looking at: only with a folder to put them into. */
async function picture(name: string): Promise<void> {
  const folder = process.env["DOCKET_PICTURES"];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

describe("Needs attention", () => {
  it("has one row for each document, and they leave without a reload", async () => {
    const [, second, third] = await bring(nested("one.html"), nested("two.html"), nested("three.html"));
    await page.goto(`${server.url}/attention`);
    await badge().getByText("3", { exact: true }).waitFor();
    await page.locator(".cause-jobs li").nth(2).waitFor();
    expect(await page.locator(".cause-jobs li").count()).toBe(3);
    await picture("attention");
    // It fails once more: still one row.
    await server.fetch(`/v1/documents/${second ?? ""}/rerun`, token, json({}));
    await vi.waitFor(async () => expect((await dead()).filter((job) => job.doc_id === second)).toHaveLength(1), { timeout: 60_000, interval: 200 });
    await badge().getByText("3", { exact: true }).waitFor();
    await server.fetch(`/v1/documents/${third ?? ""}`, token, { method: "DELETE" });
    await rowOf("three.html").waitFor({ state: "detached" });
    await badge().getByText("2", { exact: true }).waitFor();
  });

  it("removes a discarded failure, whose document stays failed with its reason", async () => {
    await rowOf("one.html").getByRole("button", { name: "Discard" }).click();
    const dialog = page.getByRole("dialog", { name: "Discard this failure?" });
    await dialog.getByText("one.html").waitFor();
    await picture("discard");
    await dialog.getByRole("button", { name: "Discard" }).click();
    await page.getByText("Discarded 1 failure.").waitFor();
    await rowOf("one.html").waitFor({ state: "detached" });
    await badge().getByText("1", { exact: true }).waitFor();
    await page.goto(`${server.url}/documents?status=failed`);
    await page.getByRole("table", { name: "Documents" }).getByRole("link", { name: "one.html" }).click();
    await page.locator(".document-head").getByText("Failed", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Retry" }).waitFor();
    expect(await page.locator(".document-head .run-error").innerText()).not.toBe("");
  });

  it("is empty after all failures were discarded", async () => {
    await bring(nested("four.html"), nested("five.html"));
    await page.goto(`${server.url}/attention`);
    await page.getByRole("button", { name: "Discard all", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.getByText("Nothing needs attention").waitFor();
    await badge().waitFor({ state: "detached" });
    await picture("attention-empty");
  });
});

describe("an encrypted file", () => {
  it("asks for its password where the failure is shown, says when it is wrong, and is read with the right one", async () => {
    const [id] = await bring(locked("vault.pdf"));
    await page.goto(`${server.url}/attention`);
    await rowOf("vault.pdf").getByRole("button", { name: "Enter password" }).click();
    const dialog = page.getByRole("dialog", { name: "Enter password" });
    await picture("password");
    await dialog.getByLabel("Password of the file").fill("not this one");
    await page.keyboard.press("Enter");
    await dialog.getByText("Wrong password.").waitFor({ timeout: 60_000 });
    await picture("password-wrong");
    await dialog.getByLabel("Password of the file").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached", timeout: 60_000 });
    await page.getByText("Nothing needs attention").waitFor();
    await page.goto(`${server.url}/documents/${id ?? ""}`);
    await page.locator(".page-text").getByText("stone").waitFor({ timeout: 60_000 });
  });

  it("asks on its own page and in the list too", async () => {
    const [id] = await bring(locked("safe.pdf"));
    await page.goto(`${server.url}/documents/${id ?? ""}`);
    await page.locator(".document-head").getByRole("button", { name: "Enter password" }).waitFor();
    expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
    await picture("document-locked");
    await page.goto(`${server.url}/documents?status=failed`);
    await page.getByRole("row").filter({ hasText: "safe.pdf" }).getByRole("button", { name: "Enter password" }).click();
    await page.getByRole("dialog", { name: "Enter password" }).getByLabel("Password of the file").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Enter password" }).waitFor({ state: "detached", timeout: 60_000 });
  });

  it("asks its uploader in the tray, which offers no retry for a permanently refused file", async () => {
    const ana = await server.addUser("ana@example.com", "user");
    const own = await (await openWindow(browser)).newPage();
    await signIn(own, server, ana);
    const files = [locked("chest.pdf"), { name: "empty.txt", bytes: new Uint8Array() }];
    await own.goto(`${server.url}/documents`);
    await own.getByLabel("Files to upload").setInputFiles(files.map(({ name, bytes }) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) })));
    const tray = own.getByRole("region", { name: "Uploads" });
    await tray.getByText("1 refused", { exact: false }).waitFor();
    expect(await tray.getByRole("button", { name: /^Retry/ }).count()).toBe(0);
    await tray.getByRole("button", { name: "Enter password" }).click({ timeout: 60_000 });
    await own.getByRole("dialog").getByLabel("Password of the file").fill(PASSWORD);
    await own.keyboard.press("Enter");
    await tray.getByText("ready", { exact: false }).waitFor({ timeout: 60_000 });
  });
});

it("a phone shows Needs attention without scrolling sideways", async () => {
  await bring(nested("a-rather-long-name-of-a-document-that-does-not-fit-in-one-line.html"), nested("short.html"), locked("strongbox.pdf"));
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/attention", "/attention/stalled", "/attention/jobs"]) {
    await page.goto(server.url + path);
    await page.locator(".cause, .card").first().waitFor();
    await picture(`phone${path.replaceAll("/", "-")}`);
    const overflow = await page.evaluate(() => [document.scrollingElement, document.querySelector("main")].map((part) => (part ? part.scrollWidth - part.clientWidth : 0)));
    expect(overflow, path).toEqual([0, 0]);
  }
  await page.goto(`${server.url}/attention`);
  await rowOf("strongbox.pdf").getByRole("button", { name: "Enter password" }).click();
  await page.getByRole("dialog", { name: "Enter password" }).getByLabel("Password of the file").waitFor();
  await picture("phone-password");
  expect(errors).toEqual([]);
});
