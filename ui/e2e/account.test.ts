import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { LEASE } from "./files.ts";
import { browser, server } from "./frame.ts";

const NEW_PASSWORD = "a longer password for the tests";

async function fillPasswords(page: Page, current: string, next: string, repeated = next): Promise<void> {
  await page.getByLabel("Current password").fill(current);
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByLabel("Repeat the new password").fill(repeated);
  await page.getByRole("button", { name: "Change password" }).click();
}

it("a user sees who they are, changes their password and signs out everywhere", async () => {
  const kim = await server.addUser("kim@example.com", "viewer");
  const here = await (await openWindow(browser)).newPage();
  const elsewhere = await (await openWindow(browser)).newPage();
  await signIn(here, server, kim);
  await signIn(elsewhere, server, kim);
  await here.setViewportSize({ width: 390, height: 844 });
  const navigation = here.getByRole("navigation", { name: "Screens" });
  await navigation.getByRole("button", { name: "More" }).click();
  await navigation.getByRole("link", { name: /^Account/ }).click();
  const main = here.getByRole("main");
  await main.getByText("kim@example.com").waitFor();
  await main.getByText("Reads all documents and asks questions").waitFor();

  await fillPasswords(here, kim.password, NEW_PASSWORD, "something else");
  await main.getByText("The new passwords don’t match.").waitFor();
  await fillPasswords(here, "not my password", NEW_PASSWORD);
  await main.getByRole("alert").getByText(/password/).waitFor();
  await fillPasswords(here, kim.password, NEW_PASSWORD);
  await here.getByText("Password changed.").waitFor();

  // This session goes on, the other one does not.
  await here.goto(`${server.url}/documents`);
  await here.getByRole("heading", { name: "Documents", exact: true }).waitFor();
  await elsewhere.goto(`${server.url}/documents`);
  await elsewhere.getByText("Your session ended").waitFor();

  await signIn(await (await openWindow(browser)).newPage(), server, { ...kim, password: NEW_PASSWORD });
  const token = await server.signIn({ ...kim, password: NEW_PASSWORD });
  await here.goto(`${server.url}/account`);
  await here.getByRole("button", { name: "Sign out everywhere" }).click();
  await here.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await here.getByText("You are signed out everywhere.").waitFor();
  expect((await server.fetch("/v1/me", token)).status).toBe(401);
});

it("a renamed document has its new title at once in every tab", async () => {
  const token = await server.signIn();
  const id = await server.upload(token, LEASE.name, LEASE.bytes);
  const window = await openWindow(browser);
  const page = await window.newPage();
  await signIn(page, server);
  const list = await window.newPage();
  await list.goto(`${server.url}/documents`);
  await list.getByText(LEASE.name).first().waitFor();
  await page.goto(`${server.url}/documents/${id}`);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("Title").fill("Lease of 14 Quay Street");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Lease of 14 Quay Street" }).waitFor();
  await list.getByText("Lease of 14 Quay Street").first().waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Lease of 14 Quay Street" }).waitFor();

  const viewer = await server.addUser("vic@example.com", "viewer");
  const reader = await (await openWindow(browser)).newPage();
  await signIn(reader, server, viewer);
  await reader.goto(`${server.url}/documents/${id}`);
  await reader.getByRole("heading", { name: "Lease of 14 Quay Street" }).waitFor();
  expect(await reader.getByRole("button", { name: "Rename" }).count()).toBe(0);
});
