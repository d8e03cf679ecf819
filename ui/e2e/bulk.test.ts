import type { Page } from "playwright-core";
import { beforeAll, expect, it, vi } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { browser, server } from "./frame.ts";

let page: Page;
let token: string;

beforeAll(async () => {
  token = await server.signIn();
  for (const name of ["one", "two", "three", "four", "five"]) await server.upload(token, `${name}.txt`, new TextEncoder().encode(`The text of ${name}.`));
  await vi.waitFor(async () => {
    const { active } = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { active: number };
    expect(active).toBe(5);
  }, { timeout: 90_000, interval: 200 });
  page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
  await page.goto(`${server.url}/documents?sort=title`);
  await page.getByText("5 documents", { exact: true }).waitFor();
});

const check = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
const toolbar = () => page.getByRole("toolbar", { name: "Selected documents" });
const tagsOf = async (name: string) => {
  const found = (await (await server.fetch(`/v1/documents?status=all&search=${name}`, token)).json()) as { items: { tags: string[] }[] };
  return found.items[0]?.tags;
};

it("Shift selects a range, and tags are added to and removed from all of it", async () => {
  // By title: five, four, one, three, two.
  await check("five.txt").click();
  await check("one.txt").click({ modifiers: ["Shift"] });
  await toolbar().getByText("3 documents selected").waitFor();
  await toolbar().getByRole("button", { name: "Tags" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the tags of 3 documents" });
  await dialog.getByLabel("Add a tag").fill("2026, rent");
  await dialog.getByLabel("Add a tag").press("Enter");
  await dialog.getByRole("button", { name: "Change tags" }).click();
  await page.getByText("3 documents tagged.").waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(await tagsOf("four")).toEqual(["2026", "rent"]);
  expect(await tagsOf("two")).toEqual([]);

  await page.getByRole("checkbox", { name: "Select all that are listed" }).click();
  await toolbar().getByText("5 documents selected").waitFor();
  await toolbar().getByRole("button", { name: "Tags" }).click();
  const all = page.getByRole("dialog", { name: "Change the tags of 5 documents" });
  await all.getByRole("group", { name: "Tags to remove" }).getByRole("button", { name: "rent" }).click();
  await all.getByRole("button", { name: "Change tags" }).click();
  await page.getByText("5 documents tagged.").waitFor();
  expect(await tagsOf("four")).toEqual(["2026"]);
});

it("the result names the documents that failed, and why", async () => {
  await check("two.txt").click();
  await check("three.txt").click();
  const listed = (await (await server.fetch("/v1/documents?search=three", token)).json()) as { items: { doc_id: string }[] };
  const three = listed.items[0]?.doc_id ?? "";
  // Another administrator deletes it first; the page has not heard of it.
  await page.route("**/v1/events", (route) => route.abort());
  await toolbar().getByRole("button", { name: "Delete" }).click();
  await server.fetch(`/v1/documents/${three}`, token, { method: "DELETE" });
  const dialog = page.getByRole("dialog", { name: "Delete 2 documents?" });
  await dialog.getByText("three.txt").waitFor();
  await dialog.getByRole("button", { name: "Delete 2 documents" }).click();
  const result = page.getByRole("dialog", { name: "1 document not deleted" });
  await result.getByRole("link", { name: "three.txt" }).waitFor();
  await result.getByText("1 document deleted.").waitFor();
  expect(await result.locator(".bulk-failures p").innerText()).not.toBe("");
  await result.getByRole("button", { name: "Close" }).last().click();
  await page.getByText("3 documents", { exact: true }).waitFor();
  await page.unroute("**/v1/events");
});

it("a role gets only the actions that it may do", async () => {
  const reviewer = await server.addUser("reviewer@example.test", "reviewer");
  const other = await (await openWindow(browser)).newPage();
  await signIn(other, server, reviewer);
  await other.goto(`${server.url}/documents`);
  await other.getByRole("checkbox", { name: "Select four.txt" }).click();
  const actions = await other.getByRole("toolbar", { name: "Selected documents" }).getByRole("button").allInnerTexts();
  expect(actions).toEqual(["Tags", "Download", ""]);
});
