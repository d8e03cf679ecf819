import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { CONTRACT_NOTE, INVOICE, WRONG_CONTRACT_NOTE } from "./business-files.ts";
import { browser, server } from "./frame.ts";

let [page, invoice, note, wrongNote]: [Page, string, string, string] = [undefined as unknown as Page, "", "", ""];

beforeAll(async () => {
  const token = await server.signIn();
  [invoice, note, wrongNote] = [
    await server.upload(token, INVOICE.name, INVOICE.bytes),
    await server.upload(token, CONTRACT_NOTE.name, CONTRACT_NOTE.bytes),
    await server.upload(token, WRONG_CONTRACT_NOTE.name, WRONG_CONTRACT_NOTE.bytes),
  ];
  await vi.waitFor(async () => {
    for (const id of [invoice, note, wrongNote]) expect((await server.fetch(`/v1/documents/${id}/result`, token)).status).toBe(200);
  }, { timeout: 90_000, interval: 200 });
  page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
});

const field = (path: string) => page.locator(`[data-path="${path}"]`);
const row = (path: string) => page.locator(".result-field, .result-cell").filter({ has: field(path) });
const activeBox = () => page.locator(".overlay-field-active");

async function openFields(id: string): Promise<void> {
  await page.goto(`${server.url}/documents/${id}?tab=fields`);
  await page.locator(".result-fields").first().waitFor();
  await page.locator(".sheet img").waitFor();
}

describe("the fields of an invoice", () => {
  it("have values, and their boxes are on the page", async () => {
    await openFields(invoice);
    expect(await field("invoice_number").innerText()).toBe("HS-2026-0117");
    expect(await field("grand_total").innerText()).toBe("166.60");
    expect(await field("issue_date").innerText()).toBe("2 Mar 2026");
    expect(await page.getByRole("group", { name: "Table of line items" }).getByRole("row").count()).toBe(4);
    expect(await page.locator(".overlay-field").count()).toBeGreaterThan(10);
  });

  it("a field highlights its box, and the box its field", async () => {
    await row("grand_total").hover();
    await activeBox().waitFor();
    const box = await activeBox().boundingBox();
    await page.getByRole("heading", { level: 1 }).hover();
    expect(await activeBox().count()).toBe(0);
    if (!box) throw new Error("the box of the total has no place");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator('.result-field[data-marked="true"]').waitFor();
    const [marked, view] = [await row("grand_total").boundingBox(), await page.locator(".reading-body").boundingBox()];
    expect(await row("grand_total").getAttribute("data-marked")).toBe("true");
    expect((marked?.y ?? 0) + (marked?.height ?? 0)).toBeLessThanOrEqual((view?.y ?? 0) + (view?.height ?? 0));
  });

  it("a click on a box goes to its field, which stays selected", async () => {
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-path") ?? "")).toMatch(/total|payable/);
    await page.getByRole("heading", { level: 1 }).hover();
    expect(await activeBox().count()).toBe(1);
  });

  it("the keyboard reaches them and opens their details", async () => {
    await field("invoice_number").focus();
    await activeBox().waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-path"))).toBe("issue_date");
    await page.keyboard.press("Enter");
    expect(await field("issue_date").getAttribute("aria-expanded")).toBe("true");
    const details = await page.locator(".result-details").innerText();
    expect(details).toContain("2 March 2026");
    expect(details).toContain("Text of the page, page 1");
    await page.keyboard.press("n");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-review"))).toBe("true");
  });

  it("a phone shows them without scrolling sideways", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await field("due_date").click();
    await activeBox().waitFor();
    expect(await field("due_date").isVisible()).toBe(true);
    await page.setViewportSize({ width: 1360, height: 860 });
  });
});

describe("the checks of a contract note", () => {
  const sums = async () => (await page.getByRole("region", { name: "Checks" }).locator(".result-checks").first().innerText()).replaceAll(/\s+/g, " ");

  it("are sums with the names of their fields", async () => {
    await openFields(note);
    expect(await sums()).toMatch(/Gross amount 1,000\.00 \+ Fees 9\.90 (\+ Taxes 0 )?= Net amount 1,009\.90/);
    expect(await sums()).toContain("Quantity 10 × Price 100.00 = Gross amount 1,000.00");
  });

  it("that fail say by how much, and their fields need review for that reason", async () => {
    await openFields(wrongNote);
    expect(await sums()).toMatch(/≠ Net amount 1,019\.90 off by/);
    expect(await row("trades.0.net_amount").innerText()).toContain("Failed check: Net of buy.");
  });
});

describe("trades", () => {
  it("are filtered by their ISIN, and lead to their document", async () => {
    await page.goto(`${server.url}/trades`);
    const rows = page.locator(".trades tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel("ISIN").fill("DE0007164600");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain("1,009.90 EUR");
    expect(page.url()).toContain("isin=DE0007164600");
    await page.getByLabel("ISIN").fill("FR0000000000");
    await page.getByRole("link", { name: "Clear the filters" }).click();
    await page.getByRole("link", { name: "Buy DE0007164600" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-path"))).toBe("trades.0.isin");
  });

  it("have the original to download", async () => {
    await page.goto(`${server.url}/trades?isin=DE0007164600`);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PDF of Buy DE0007164600" }).click()]);
    expect(download.suggestedFilename()).toBe(CONTRACT_NOTE.name);
  });
});

describe("versions of a result", () => {
  it("a rerun with another type adds one, and the differences are listed", async () => {
    await openFields(invoice);
    await page.locator("summary", { hasText: "More" }).click();
    await page.getByRole("button", { name: "Rerun…" }).click();
    await page.getByLabel("Document type").selectOption("receipt");
    expect(await page.getByLabel("Start at").inputValue()).toBe("parse");
    await page.getByRole("button", { name: "Rerun", exact: true }).click();
    await page.getByRole("heading", { name: "Receipt" }).waitFor({ timeout: 60_000 });
    await page.getByText("Compare versions").click();
    const rows = page.locator(".diff tbody tr");
    await rows.first().waitFor();
    expect((await rows.first().innerText()).replaceAll(/\s+/g, " ")).toMatch(/Document type Changed Invoice Receipt/);
    expect(await rows.filter({ hasText: "Invoice number" }).innerText()).toContain("HS-2026-0117");
  });

  it("an older one can be shown and promoted", async () => {
    const versions = page.getByRole("region", { name: "Versions of the result" });
    await versions.getByRole("button", { name: "Show version 1" }).click();
    await page.getByText("This is version 1, which is not the current one.").waitFor();
    expect(await field("invoice_number").innerText()).toBe("HS-2026-0117");
    await versions.getByRole("button", { name: "Promote version 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Promote" }).click();
    await versions.getByText("promoted from version 1").waitFor();
    await versions.getByText("Reviewed", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Invoice", exact: true }).waitFor();
  });

  it("are shown to viewers without the right to promote them", async () => {
    const other = await (await openWindow(browser)).newPage();
    await signIn(other, server, await server.addUser("vera@example.com", "viewer"));
    await other.goto(`${server.url}/documents/${invoice}?tab=fields`);
    await other.getByText("promoted from version 1").waitFor();
    expect(await other.getByRole("button", { name: /^Promote/ }).count()).toBe(0);
  });
});

describe("the editor of document types", () => {
  const definition = () => page.getByLabel("Definition, as JSON");

  it("marks the line of a problem", async () => {
    await page.goto(`${server.url}/admin/types?edit=new`);
    await page.locator("[name=type-name]").fill("delivery_note");
    await page.locator("[name=type-title]").fill("Delivery note");
    const valid = await definition().inputValue();
    await definition().fill(valid.replace("[", ""));
    await page.getByRole("button", { name: "Create type" }).click();
    await page.getByRole("alert").getByRole("button", { name: /^Line \d+$/ }).waitFor();
    await definition().fill(valid.replace('"id"', '"number_of_it"'));
    await page.getByRole("button", { name: "Create type" }).click();
    await page.getByRole("alert").getByText("must be one of").waitFor();
    expect(await page.locator('.json-gutter [data-marked="true"]').count()).toBe(1);
    await definition().fill(valid);
  });

  it("saves versions, which stay readable", async () => {
    await page.getByRole("button", { name: "Create type" }).click();
    await page.getByRole("heading", { name: "Delivery note" }).waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.locator("[name=type-title]").fill("Delivery note of a carrier");
    await page.getByRole("button", { name: "Save as next version" }).click();
    await page.getByRole("heading", { name: "Delivery note of a carrier" }).waitFor();
    await page.getByRole("region", { name: "Versions" }).getByRole("link", { name: "Version 1" }).click();
    await page.getByRole("heading", { name: "Delivery note", exact: true }).waitFor();
  });
});

describe("the accepted error rate", () => {
  it("is changed for all types and for one", async () => {
    await page.goto(`${server.url}/admin/quality`);
    const form = page.getByRole("form", { name: "Accepted error rate", exact: true });
    const rate = form.getByLabel("Accepted error rate, in percent");
    await rate.fill("70");
    expect(await form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await rate.fill("12.5");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It applies").first().waitFor();
    const own = page.getByRole("form", { name: "Accepted error rate of Invoice" });
    await own.getByLabel("Accepted error rate of this type, in percent").fill("1");
    await own.getByRole("button", { name: "Save" }).click();
    await page.getByRole("region", { name: "Invoice", exact: true }).getByText("Accepted error rate 1%").waitFor();
    await page.reload();
    await page.getByRole("region", { name: "Contract note" }).getByText("Accepted error rate 12.5%").waitFor();
    expect(await rate.inputValue()).toBe("12.5");
  });
});
