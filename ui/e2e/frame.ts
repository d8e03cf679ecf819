/** Gives the test file that imports it a server and a browser, and closes them at its end. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser } from "./browser.ts";
import { Server } from "./server.ts";

export let server: Server;
export let browser: Browser;

beforeAll(async () => {
  server = await Server.start();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});
