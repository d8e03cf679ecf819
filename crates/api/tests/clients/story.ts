/** What a program does with the API, through openapi-fetch and the types of the OpenAPI document: see scripts/api-clients. */
import { strict as assert } from "node:assert";
import { readFile } from "node:fs/promises";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Run = components["schemas"]["RunView"];

const READ_MS = 60_000;
const { DOCKET_URL: url = "", DOCKET_PASSWORD: password = "", DOCKET_FILE: path = "" } = process.env;
const client = createClient<paths>({ baseUrl: url });

/** What came back, or the problem document as an error. */
function good<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status} from ${answer.response.url}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

async function signIn(): Promise<void> {
  const refused = await client.POST("/v1/auth/login", { body: { email: "admin@localhost", password: "wrong" } });
  assert.equal(refused.error?.code, "wrong_credentials");
  const { token } = good(await client.POST("/v1/auth/login", { body: { email: "admin@localhost", password } }));
  const credential: Middleware = {
    onRequest({ request }) {
      request.headers.set("authorization", `Bearer ${token}`);
      return request;
    },
  };
  client.use(credential);
}

async function upload(bytes: Buffer): Promise<components["schemas"]["IngestResponse"]> {
  const body = { file: new Blob([new Uint8Array(bytes)], { type: "application/pdf" }), tag: ["typescript"] };
  const answer = await client.POST("/v1/ingest", {
    body,
    bodySerializer({ file, tag = [] }) {
      const form = new FormData();
      for (const word of tag) form.append("tag", word);
      form.append("file", file, "lease-typescript.pdf");
      return form;
    },
  });
  return good(answer);
}

async function untilRead(id: string): Promise<Run> {
  const end = Date.now() + READ_MS;
  while (Date.now() < end) {
    const run = good(await client.GET("/v1/ingestion-runs/{id}", { params: { path: { id } } }));
    if (run.status === "succeeded") return run;
    if (run.status === "failed") throw new Error(`the run failed: ${run.error}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`the document was not read within ${READ_MS} ms`);
}

const original = await readFile(path);
await signIn();
const accepted = await upload(original);
assert.ok(accepted.run_id, `no run: ${accepted.reason}`);
await untilRead(accepted.run_id);
const id = accepted.doc_id;

const document = good(await client.GET("/v1/documents/{id}", { params: { path: { id } } }));
assert.deepEqual([document.status, document.tags], ["active", ["typescript"]]);

const filters = { document_ids: [id] };
const found = good(await client.POST("/v1/search", { body: { query: "deposit", filters } }));
assert.equal(found.hits[0]?.doc_id, id);

const answered = good(await client.POST("/v1/ask", { body: { question: "How much is the deposit?", filters } }));
// A stream of events is for those who ask for one.
assert.ok(typeof answered !== "string");
assert.match(answered.answer ?? "", /3,200/);

const text = good(await client.GET("/v1/documents/{id}/text", { params: { path: { id } }, parseAs: "text" }));
assert.match(text, /deposit/);
const page = good(await client.GET("/v1/documents/{id}/pages/{page}", { params: { path: { id, page: 1 } } }));
assert.ok(page.words.length > 5);
const picture = { params: { path: { id, page: 1 }, query: { width: 320 } }, parseAs: "arrayBuffer" } as const;
const png = good(await client.GET("/v1/documents/{id}/pages/{page}.png", picture));
assert.equal(Buffer.from(png).subarray(1, 4).toString(), "PNG");

const link = good(await client.GET("/v1/documents/{id}/original", { params: { path: { id } } }));
const token = link.url.split("/").at(-1) ?? "";
const bytes = good(await client.GET("/v1/files/{token}", { params: { path: { token } }, parseAs: "arrayBuffer" }));
assert.ok(original.equals(Buffer.from(bytes)), "the original came back changed");

const wrong = await client.GET("/v1/documents/{id}", { params: { path: { id: "b1" } } });
assert.deepEqual([wrong.response.status, wrong.error?.field], [400, "id"]);
