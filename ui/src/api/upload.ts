/** Uploads one file with an XMLHttpRequest, since `fetch` does not report how much of a body it has sent. */
import { refused, signedInAgain } from "../session/session.ts";
import { currentToken } from "./client.ts";
import { ApiError, asProblem, Unreachable } from "./problem.ts";
import type { IngestResponse } from "./types.ts";

export interface Upload {
  file: File;
  /** The same for every try, so that a retry after a lost answer has no second effect. */
  idempotencyKey: string;
  batchId: string | null;
  tags: readonly string[];
  /** The password of the file; empty when it is not encrypted. */
  password: string;
  onProgress: (sent: number, total: number) => void;
  signal: AbortSignal;
}

interface BatchAnswer {
  files: { accepted?: IngestResponse | null; problem?: { code: string; detail: string } | null }[];
}

export async function uploadFile(upload: Upload): Promise<IngestResponse> {
  for (;;) {
    const token = currentToken();
    const answer = await send(upload, token);
    if (answer.status === 401 && token !== null) {
      refused(token);
      await signedInAgain();
      continue;
    }
    if (answer.status >= 400) throw refusalOf(answer);
    return upload.batchId === null ? (answer.body as IngestResponse) : outcomeInBatch(answer.body as BatchAnswer);
  }
}

function outcomeInBatch(answer: BatchAnswer): IngestResponse {
  const [outcome] = answer.files;
  if (outcome?.accepted) return outcome.accepted;
  const { code, detail } = outcome?.problem ?? { code: "unknown", detail: "The server did not report the result. Try again." };
  throw new ApiError({ title: "Refused", status: 400, code, detail });
}

interface RawAnswer {
  status: number;
  body: unknown;
  headers: Headers;
}

function refusalOf(answer: RawAnswer): ApiError {
  const retryAfter = Number(answer.headers.get("retry-after") ?? NaN);
  return new ApiError(asProblem(answer.body, answer), Number.isFinite(retryAfter) ? retryAfter : null);
}

function send(upload: Upload, token: string | null): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const path = upload.batchId === null ? "/v1/documents" : `/v1/batches/${upload.batchId}/documents`;
    request.open("POST", path);
    if (token !== null) request.setRequestHeader("authorization", `Bearer ${token}`);
    request.setRequestHeader("idempotency-key", upload.idempotencyKey);
    request.upload.onprogress = (event) => upload.onProgress(event.loaded, event.total);
    request.onload = () => resolve({ status: request.status, body: parsed(request.responseText), headers: headersOf(request) });
    request.onerror = () => reject(new Unreachable(new Error("the connection was lost")));
    request.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    upload.signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(formOf(upload));
  });
}

/** The fields about a file come before it: in a form with several files, they belong to the next one. */
export function formOf({ file, tags, password }: Pick<Upload, "file" | "tags" | "password">): FormData {
  const form = new FormData();
  if (password !== "") form.append("password", password);
  for (const tag of tags) form.append("tag", tag);
  form.append("file", file, file.name);
  return form;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const name of ["retry-after", "x-trace-id"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
