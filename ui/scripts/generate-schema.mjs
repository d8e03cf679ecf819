// Writes src/api/schema.ts: the types of the API, from the OpenAPI document of a running server or of a file.
//
//   npm run schema -- http://127.0.0.1:8080/openapi.json
//
// The result is committed, so that the UI builds without a server. e2e/schema.test.ts fails when it is out of date.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const TARGET = fileURLToPath(new URL("../src/api/schema.ts", import.meta.url));
const HEADER = "// Made by scripts/generate-schema.mjs from the server's OpenAPI document. Do not edit.\n\n";

/** The text of schema.ts for an OpenAPI document. Routes under /api are the same as those under /v1. */
export async function schemaOf(document) {
  const entries = Object.entries(document.paths).filter(([path]) => !path.startsWith("/api/"));
  const paths = Object.fromEntries(entries.map(([path, item]) => [path, withoutProblems(item)]));
  const whole = withEveryName({ ...document, paths });
  return HEADER + astToString(await openapiTS(whole, { defaultNonNullable: false }));
}

/** Every refusal is the same problem document (src/api/problem.ts): spelling it out at each route makes a megabyte. */
function withoutProblems(item) {
  const operations = Object.entries(item).map(([method, operation]) => {
    if (!operation.responses) return [method, operation];
    const responses = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
    return [method, { ...operation, responses: Object.fromEntries(responses) }];
  });
  return Object.fromEntries(operations);
}

/** A schema that is referred to but not in the document becomes a string: so far those are enums in queries. */
function withEveryName(document) {
  const schemas = { ...document.components.schemas };
  for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    schemas[name] ??= { type: "string" };
  }
  return { ...document, components: { ...document.components, schemas } };
}

async function read(place) {
  if (/^https?:/.test(place)) return (await fetch(place)).json();
  return JSON.parse(await readFile(place, "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const place = process.argv[2];
  if (!place) throw new Error("usage: npm run schema -- URL-OR-FILE of openapi.json");
  await writeFile(TARGET, await schemaOf(await read(place)));
}
