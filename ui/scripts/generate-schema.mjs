// Writes src/api/schema.ts: the types of the API, from the OpenAPI document of a running server or of a file.
//
//   npm run schema -- http://127.0.0.1:8080/openapi.json [FILE]
//
// The result is committed, so that the UI builds without a server. e2e/schema.test.ts fails when it is out of date.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const TARGET = fileURLToPath(new URL("../src/api/schema.ts", import.meta.url));
const HEADER = "// Made by scripts/generate-schema.mjs from the server's OpenAPI document. Do not edit.\n\n";

/** The text of schema.ts for an OpenAPI document. Routes under /api are the same as those under /v1. */
export async function schemaOf(document) {
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith("/api/"));
  const whole = { ...document, paths: Object.fromEntries(paths) };
  return HEADER + astToString(await openapiTS(whole, { defaultNonNullable: false, transform: bytesAsBlob }));
}

/** A file is a `Blob`, to be sent or received, and not a text. */
function bytesAsBlob(schema) {
  return schema.format === "binary" ? ts.factory.createTypeReferenceNode("Blob") : undefined;
}

async function read(place) {
  if (/^https?:/.test(place)) return (await fetch(place)).json();
  return JSON.parse(await readFile(place, "utf8"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [place, target = TARGET] = process.argv.slice(2);
  if (!place) throw new Error("usage: npm run schema -- URL-OR-FILE of openapi.json [FILE to write]");
  await writeFile(target, await schemaOf(await read(place)));
}
