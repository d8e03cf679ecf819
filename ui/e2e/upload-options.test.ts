import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { MAIL_WITH_ATTACHMENT, pdf, type MadeFile } from "./files.ts";
import { browser, server } from "./frame.ts";

let page: Page;

beforeAll(async () => {
  page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
});

const PAYSLIP: MadeFile = { name: "payslip.pdf", bytes: pdf([["Payslip of March", "The salary is 3210 euros.", "Paid on the last day of the month."]]) };

async function choose(...files: readonly MadeFile[]): Promise<void> {
  await page.getByLabel("Files to upload").setInputFiles(files.map(({ name, bytes }) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) })));
}

it("files are uploaded with tags, which can be changed later", async () => {
  await page.goto(`${server.url}/documents`);
  await page.getByRole("button", { name: "Upload with…" }).click();
  const dialog = page.getByRole("dialog", { name: "Upload with tags or a password" });
  await choose(PAYSLIP);
  await dialog.getByText("payslip.pdf").waitFor();
  await dialog.getByLabel("Add a tag").fill("salary, 2026");
  await dialog.getByRole("button", { name: "Upload 1 file" }).click();
  await page.getByText("1 file uploaded", { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole("complementary", { name: "Filters" }).getByRole("button", { name: /^salary/ }).click();
  await page.waitForURL("**/documents?tag=salary");
  const row = page.getByRole("table", { name: "Documents" }).getByRole("row").filter({ hasText: "payslip.pdf" });
  await row.getByText("2026", { exact: true }).waitFor();
  await row.getByRole("link", { name: "payslip.pdf" }).click();
  await page.getByRole("tab", { name: "Details" }).click();
  await page.getByRole("button", { name: "Remove 2026" }).click();
  await page.getByRole("button", { name: "Remove 2026" }).waitFor({ state: "detached" });
  await page.getByLabel("Add a tag").fill("paid");
  await page.keyboard.press("Enter");
  await page.locator(".document-head").getByRole("link", { name: "paid" }).waitFor();
  await page.reload();
  await page.locator(".document-head").getByRole("link", { name: "paid" }).waitFor();
  expect(await page.locator(".document-head .tag-link").allInnerTexts()).toEqual(["paid", "salary"]);
});

it("an encrypted file is read with the password of the upload", async () => {
  const locked = { name: "locked.pdf", bytes: pdf([["The secret", "The spare key is under the third stone."]], "open sesame") };
  await page.goto(`${server.url}/documents`);
  await page.getByRole("button", { name: "Upload with…" }).click();
  await choose(locked);
  await page.getByRole("textbox", { name: /^Password/ }).fill("open sesame");
  await page.getByRole("button", { name: "Upload 1 file" }).click();
  await page.getByRole("table", { name: "Documents" }).getByRole("link", { name: locked.name }).click();
  await page.locator(".page-text").getByText("stone").waitFor({ timeout: 60_000 });
  expect(await page.locator(".page-text").innerText()).toContain("The spare key is under the third stone.");
});

it("a mail and what was attached to it lead to each other", async () => {
  await page.goto(`${server.url}/documents`);
  await choose(MAIL_WITH_ATTACHMENT);
  await page.getByRole("link", { name: "keys.txt" }).first().waitFor({ timeout: 60_000 });
  await page.getByRole("table", { name: "Documents" }).getByRole("link", { name: "keys.eml" }).click();
  const head = page.locator(".document-head");
  await head.getByText("Attachments:").waitFor();
  await page.getByRole("tab", { name: "History" }).click();
  await page.locator(".stages summary", { hasText: "preprocess" }).click();
  await page.locator(".stage-more").getByRole("link", { name: "keys.txt" }).waitFor();
  await page.getByRole("tab", { name: "Text" }).click();
  await head.getByRole("link", { name: "keys.txt" }).click();
  await head.getByText("Attached to").waitFor();
  await page.locator(".page-text").getByText("cellar").waitFor();
  await head.getByRole("link", { name: "keys.eml" }).click();
  await page.locator(".page-text").getByText("attached").waitFor();
});

it("a region that is drawn and saved is not read from then on", async () => {
  await page.goto(`${server.url}/admin/rules`);
  await page.getByText("No masked regions.").waitFor();
  const sheet = await page.locator(".mask-page svg").boundingBox();
  if (!sheet) throw new Error("there is no page to draw on");
  // Over the second line of the payslip: its first line is at 92 points of 792, the next ones are 26 points apart.
  await page.mouse.move(sheet.x, sheet.y + (105 / 792) * sheet.height);
  await page.mouse.down();
  await page.mouse.move(sheet.x + sheet.width - 1, sheet.y + (125 / 792) * sheet.height, { steps: 4 });
  await page.mouse.up();
  await page.getByText("1. Every page of all files").waitFor();
  await page.getByLabel("Only files whose name contains").fill("payslip");
  await page.getByRole("button", { name: "Save rules" }).click();
  await page.getByText("Rules saved.").waitFor();
  await page.reload();
  await page.getByText("1. Every page of all files with “payslip” in their name").waitFor();

  const april = { name: "payslip-april.pdf", bytes: pdf([["Payslip of April", "The salary is 4321 euros.", "Paid on the last day of April."]]) };
  await page.goto(`${server.url}/documents`);
  await choose(april);
  await page.getByText("1 file uploaded", { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole("table", { name: "Documents" }).getByRole("link", { name: april.name }).click();
  await page.locator(".page-text").getByText("Paid").waitFor();
  expect(await page.locator(".page-text").innerText()).not.toContain("4321");
});
