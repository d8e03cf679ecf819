/** Debian's Chromium, driven by playwright-core, which downloads no browser. */
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { ADMIN, type Server } from "./server.ts";

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["DOCKET_CHROMIUM"] ?? "/usr/bin/chromium",
    // Chromium's own sandbox does not start as root, which is what a container's tests run as.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}

/** A window with its own storage. */
export async function openWindow(browser: Browser, theme: "light" | "dark" = "light"): Promise<BrowserContext> {
  return browser.newContext({ colorScheme: theme, viewport: { width: 1360, height: 860 }, locale: "en-GB", reducedMotion: "reduce" });
}

export async function signIn(page: Page, server: Server, who: { email: string; password: string } = ADMIN): Promise<void> {
  await page.goto(server.url);
  await page.getByLabel("Email").fill(who.email);
  await page.getByLabel("Password").fill(who.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
}
