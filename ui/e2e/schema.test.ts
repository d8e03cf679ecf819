import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Server } from "./server.ts";

// A script of npm: it has no types of its own.
const GENERATOR: string = "../scripts/generate-schema.mjs";

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.remove());

it("src/api/schema.ts is what this server's OpenAPI document gives", async () => {
  const { schemaOf } = (await import(GENERATOR)) as { schemaOf: (document: unknown) => Promise<string> };
  const fresh = await schemaOf(await (await server.fetch("/openapi.json")).json());
  const kept = readFileSync(new URL("../src/api/schema.ts", import.meta.url), "utf8");
  expect(kept === fresh, "out of date: run `npm run schema -- URL/openapi.json` in ui/").toBe(true);
});
