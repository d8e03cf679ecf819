import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { browser, server } from "./frame.ts";

const MAIL = [
  "From: Ada Lovelace <ada@example.org>",
  "To: bob@example.org",
  "Subject: The lease of 14 Quay Street",
  "Content-Type: text/html",
  "",
  "<p id=words>The rent is 1480 pounds.</p>",
  "<script>top.document.title = 'taken over'; document.body.innerHTML = 'taken over'</script>",
  "<img src=x onerror=\"document.body.innerHTML = 'taken over'\">",
].join("\r\n");

async function open(name: string, content: string): Promise<Page> {
  const token = await server.signIn();
  const id = await server.upload(token, name, new TextEncoder().encode(content));
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
  await page.goto(`${server.url}/documents/${id}`);
  return page;
}

it("a mail is shown as pages beside its text, and a script within it does not run", async () => {
  const page = await open("lease.eml", MAIL);
  const view = page.frameLocator("iframe[title='Page view']");
  await view.getByRole("heading", { name: "The lease of 14 Quay Street" }).waitFor();
  await view.getByText("The rent is 1480 pounds.").waitFor();
  await view.getByText("Ada Lovelace <ada@example.org>").waitFor();
  expect(await page.locator("iframe[title='Page view']").getAttribute("sandbox")).toBe("");
  expect(await page.title()).not.toContain("taken over");
  expect(await view.getByText("taken over").count()).toBe(0);
  await page.locator(".page-text").getByText("1480").first().waitFor();
});

it("on a phone the page view fits the width", async () => {
  const page = await open("wide.html", "<h1>Terms</h1><p>" + "The landlord may come to look after two days' notice. ".repeat(20) + "</p>");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.frameLocator("iframe[title='Page view']").getByRole("heading", { name: "Terms" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const frame = page.frames().find((candidate) => candidate.url().includes("/v1/views/"));
  const box = await frame?.locator("p").first().boundingBox();
  expect(box?.width).toBeLessThan(390);
});

it("a text file has only its text", async () => {
  const page = await open("plain.txt", "Only text, and nothing else.");
  await page.locator(".page-text").getByText("Only text").first().waitFor();
  expect(await page.locator("iframe").count()).toBe(0);
});
