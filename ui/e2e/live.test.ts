import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openWindow, signIn } from "./browser.ts";
import { pdf } from "./files.ts";
import { browser, server } from "./frame.ts";
import { ADMIN } from "./server.ts";

const connectionOf = (page: Page, state: string) => page.locator(`[data-connection="${state}"]`);

it("two tabs and another window stay in step without being reloaded", async () => {
  const window = await openWindow(browser);
  const first = await window.newPage();
  await signIn(first, server);
  const second = await window.newPage();
  const elsewhere = await (await openWindow(browser)).newPage();
  await signIn(elsewhere, server);
  for (const page of [first, second, elsewhere]) {
    await page.goto(`${server.url}/documents`);
    await page.getByText("No documents yet").waitFor();
    await connectionOf(page, "live").waitFor();
  }
  await server.upload(await server.signIn(), "shared.pdf", pdf([["Shared by all"]]));
  for (const page of [first, second, elsewhere]) {
    const row = page.getByRole("row").filter({ hasText: "shared.pdf" });
    await row.getByText("Ready", { exact: true }).waitFor();
  }
  // The tab that follows the events for both leaves: the other takes over.
  await first.close();
  await server.upload(await server.signIn(), "later.pdf", pdf([["Later"]]));
  await second.getByRole("row").filter({ hasText: "later.pdf" }).getByText("Ready", { exact: true }).waitFor();
});

it("a server that goes away is noticed, and the page recovers when it is back", async () => {
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
  await page.goto(`${server.url}/documents`);
  await connectionOf(page, "live").waitFor();
  await server.restart(async () => {
    await page.getByText("Docket cannot be reached. This page may be out of date").waitFor();
  });
  await connectionOf(page, "live").waitFor({ timeout: 60_000 });
  await server.upload(await server.signIn(), "after.pdf", pdf([["After the restart"]]));
  await page.getByRole("row").filter({ hasText: "after.pdf" }).getByText("Ready", { exact: true }).waitFor();
});

it("a session that ends keeps what was typed, and goes on after signing in", async () => {
  const page = await (await openWindow(browser)).newPage();
  await signIn(page, server);
  await page.goto(`${server.url}/admin/users`);
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByLabel("Email").fill("dana@example.com");
  await page.locator("[name=new-password]").fill("a long enough password");
  const token = await page.evaluate(() => localStorage.getItem("docket.token"));
  expect((await server.fetch("/v1/auth/logout", token ?? "", { method: "POST" })).status).toBe(204);
  await page.getByRole("dialog").getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session ended" });
  await dialog.getByLabel("Password").fill(ADMIN.password);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("cell", { name: "dana@example.com" }).waitFor();
});
