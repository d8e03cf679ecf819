import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openWindow } from "./browser.ts";
import { HOSTILE, LEASE, twentyFiles, type MadeFile } from "./files.ts";
import { browser, server } from "./frame.ts";
import { ADMIN } from "./server.ts";

let page: Page;
const violations: string[] = [];

beforeAll(async () => {
  page = await (await openWindow(browser)).newPage();
  page.on("console", (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
  page.on("pageerror", (error) => violations.push(error.message));
});

/** As if the files had been dragged here from the desktop. */
async function drop(files: readonly MadeFile[]): Promise<void> {
  const passed = files.map((file) => ({ name: file.name, bytes: Array.from(file.bytes) }));
  await page.evaluate((given) => {
    const transfer = new DataTransfer();
    for (const { name, bytes } of given) transfer.items.add(new File([new Uint8Array(bytes)], name));
    for (const type of ["dragenter", "dragover", "drop"]) {
      window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }
  }, passed);
}

async function ask(question: string): Promise<void> {
  await page.goto(`${server.url}/ask`);
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
}

/** Whether the highlighted area lies over this word of the picture: both are drawn in points of the page. */
async function isPassageOver(word: string): Promise<boolean> {
  const number = await page.locator(".page-text .word", { hasText: word }).first().getAttribute("data-word");
  const areaOf = async (selector: string) => page.locator(selector).first().boundingBox();
  const [passage, target] = [await areaOf(".overlay-passage"), await areaOf(`.overlay [data-word="${number ?? ""}"]`)];
  if (!passage || !target) return false;
  const [x, y] = [target.x + target.width / 2, target.y + target.height / 2];
  return x >= passage.x && x <= passage.x + passage.width && y >= passage.y && y <= passage.y + passage.height;
}

describe("a first day", () => {
  it("begins with the sign-in page, which explains the first start", async () => {
    await page.goto(server.url);
    await page.getByText("First time here?").click();
    await page.getByText("admin@localhost").waitFor();
    await page.getByLabel("Email").fill(ADMIN.email);
    await page.getByLabel("Password").fill("not this one");
    await page.getByRole("button", { name: "Sign in" }).click();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/trace [0-9a-f]{32}/);
    await page.getByLabel("Password").fill(ADMIN.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Welcome to Docket").waitFor();
  });

  it("takes twenty files that are dropped, and shows each until it is read", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.waitForURL("**/documents");
    await drop(twentyFiles());
    const tray = page.getByRole("region", { name: "Uploads" });
    await tray.getByText("20 files uploaded", { exact: true }).waitFor({ timeout: 90_000 });
    await page.getByRole("table", { name: "Documents" }).getByText("lease.pdf").waitFor();
    await page.getByRole("button", { name: /^Ready\s*20$/ }).waitFor();
    expect(await page.getByRole("table", { name: "Documents" }).getByText("Ready", { exact: true }).count()).toBeGreaterThan(10);
  });

  it("says at once what was here before", async () => {
    await page.getByRole("button", { name: "Close and cancel pending uploads" }).click();
    await drop([LEASE]);
    await page.getByText("Already uploaded, unchanged").waitFor();
    await page.getByRole("button", { name: "Close and cancel pending uploads" }).click();
  });

  it("keeps the filters in the address", async () => {
    await page.getByRole("button", { name: /^eml\s*2$/ }).click();
    await page.waitForURL("**/documents?type=eml");
    await page.reload();
    await page.getByText("2 documents").waitFor();
    await page.goBack();
    await page.getByText("20 documents").waitFor();
  });

  it("opens one: picture and text show the same word", async () => {
    await page.getByRole("link", { name: "lease.pdf" }).click();
    await page.getByRole("img", { name: "Page 1" }).waitFor();
    const rent = page.locator(".page-text .word", { hasText: "1480" });
    await rent.hover();
    await page.locator(".overlay-hovered").waitFor({ state: "attached" });
    const number = await rent.getAttribute("data-word");
    await page.locator(`.overlay [data-word="${number ?? ""}"]`).dblclick();
    await page.locator(".page-text .word.is-chosen", { hasText: "1480" }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/page=2/);
    await page.locator(".page-text").getByText("2031", { exact: false }).first().waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("Manual upload").waitFor();
  });

  it("finds a passage and opens its page with it highlighted", async () => {
    await page.goto(`${server.url}/ask?mode=search&q=${encodeURIComponent("when does the lease end")}`);
    await page.locator(".passage").filter({ hasText: "31 May 2031" }).getByRole("link").first().click();
    await page.locator(".word.is-passage", { hasText: "2031" }).waitFor();
    await page.locator(".overlay-passage").first().waitFor({ state: "attached" });
  });

  it("answers a question, and its citation leads to the words on the page", async () => {
    await ask("When does the lease end?");
    await page.getByRole("heading", { name: "Sources" }).waitFor({ timeout: 60_000 });
    expect(await page.getByRole("region", { name: "Answer" }).innerText()).toContain("31 May 2031");
    await page.locator(".citation-mark").first().click();
    await page.waitForURL(/page=2&at=/);
    await page.locator(".word.is-passage", { hasText: "2031" }).waitFor();
    expect(await isPassageOver("2031")).toBe(true);
  });

  it("asks one document, by the keyboard and on a phone, and marks the answer on the page beside it", async () => {
    await page.goto(`${server.url}/documents`);
    await page.getByRole("link", { name: "lease.pdf" }).click();
    await page.getByRole("img", { name: "Page 1" }).waitFor();
    await page.keyboard.press("q");
    await page.locator("#document-question").fill("When does the lease end?");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sources" }).waitFor({ timeout: 60_000 });
    expect(await page.getByRole("region", { name: "Answer" }).innerText()).toContain("31 May 2031");
    await page.waitForURL(/tab=ask&q=.*page=2.*&quote=/);
    await page.locator(".overlay-passage").first().waitFor({ state: "attached" });
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const box = await page.locator(".ask-document").boundingBox();
    expect(box?.width ?? 999).toBeLessThanOrEqual(390);
    expect(await page.locator(".ask-document").evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
    if (size) await page.setViewportSize(size);
    await page.locator("#document-question").fill("Which planets have rings?");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("The documents do not contain an answer").waitFor({ timeout: 60_000 });
  });

  it("says so when the documents contain no answer, and shows the closest passages", async () => {
    await ask("How many bathrooms does the lease mention?");
    await page.getByText("The documents do not contain an answer").waitFor({ timeout: 60_000 });
    await page.getByRole("heading", { name: "Closest passages" }).waitFor();
    expect(await page.locator(".passage").count()).toBeGreaterThan(0);
    expect(await page.locator(".citation-mark").count()).toBe(0);
    await page.goto(`${server.url}/ask`);
    await page.getByRole("button", { name: "When does the lease end?" }).waitFor();
  });

  it("shows what failed under Needs attention, with what to do, and retries it", async () => {
    await page.goto(`${server.url}/documents`);
    await drop([HOSTILE]);
    await page.getByText("A document failed:").waitFor({ timeout: 60_000 });
    await page.getByRole("link", { name: /^Needs attention/ }).click();
    const cause = page.locator(".cause", { hasText: "nested.html" });
    await cause.getByText("What to do:").waitFor();
    await cause.getByRole("button", { name: "Retry" }).click();
    await page.getByText("Retrying 1 document.").waitFor();
  });

  it("has it all in the audit log", async () => {
    await page.goto(`${server.url}/admin/audit`);
    await page.getByLabel("Action").selectOption("JOB_RETRIED_BY_ADMIN");
    await page.waitForURL(/action=JOB_RETRIED_BY_ADMIN/);
    await page.getByRole("button", { name: "Job retried by admin" }).first().click();
    await page.getByText(/^hash /).waitFor();
    await page.getByRole("button", { name: "Verify chain" }).click();
    await page.getByText("none changed, moved or removed").waitFor();
    expect(await page.getByRole("table").innerText()).toContain(ADMIN.email);
    await page.getByLabel("Actor").fill(ADMIN.email);
    await page.waitForURL(/actor=/);
    await page.getByRole("button", { name: "Job retried by admin" }).first().waitFor();
    await page.getByLabel("Actor").fill("nobody@localhost");
    await page.getByText("No matching entries").waitFor();
  });

  it("never wanted anything that the content security policy forbids", () => {
    expect(violations).toEqual([]);
  });
});
