import { expect, it } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { LEASE, pdf } from "./files.ts";
import { browser, server } from "./frame.ts";

it("a user cannot see another's document by its address, and sees their own", async () => {
  const theirs = await server.upload(await server.signIn(), LEASE.name, LEASE.bytes);
  const ana = await server.addUser("ana@example.com", "user");
  const own = await server.upload(await server.signIn(ana), "mine.pdf", pdf([["My own page"]]));
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server, ana);
  await page.goto(`${server.url}/documents/${theirs}`);
  await page.getByText("Document not found").waitFor();
  expect(await page.getByText(LEASE.name).count()).toBe(0);
  await page.goto(`${server.url}/documents/${own}`);
  await page.getByRole("heading", { name: "mine.pdf" }).waitFor();
  await page.goto(`${server.url}/documents`);
  await page.getByText("1 document", { exact: true }).waitFor();
});

it("a user sees neither Needs attention nor Admin, and a message at their addresses", async () => {
  const ben = await server.addUser("ben@example.com", "user");
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server, ben);
  await page.getByText("No document is being processed.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  const places = await page.getByRole("navigation", { name: "Screens" }).getByRole("link").allInnerTexts();
  expect(places.slice(0, 6)).toEqual(["Docket", "Home", "Documents", "Trades", "Search and ask", "Guide"]);
  expect(places.slice(6).join()).toMatch(/^Account:\s*ben@example.com\s*user$/);
  for (const path of ["/attention", "/admin/users"]) {
    await page.goto(server.url + path);
    await page.getByText("Your role can’t open this page").waitFor();
  }
});

it("signing out ends the session in every tab", async () => {
  const window = await openWindow(browser);
  const page = await window.newPage();
  await signIn(page, server);
  const other = await window.newPage();
  await other.goto(`${server.url}/documents`);
  await other.getByRole("heading", { name: "Documents" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
});

it("programs that mistype an address get a problem, browsers a page", async () => {
  const asProgram = await server.fetch("/documents/7");
  expect([asProgram.status, asProgram.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  const asBrowser = await server.fetch("/documents/7", undefined, { headers: { accept: "text/html" } });
  expect(asBrowser.status).toBe(200);
  expect(asBrowser.headers.get("content-security-policy")).toContain("script-src 'self';");
  const script = /src="(\/assets\/[^"]+)"/.exec(await asBrowser.text())?.[1] ?? "";
  const asset = await server.fetch(script);
  expect(asset.headers.get("cache-control")).toContain("immutable");
  const missing = await server.fetch("/v1/nothing", undefined, { headers: { accept: "text/html" } });
  expect(missing.status).toBe(404);
});
