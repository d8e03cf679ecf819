/**
 * The queue of uploads. It is outside the screens, so that uploads continue while the user navigates.
 *
 * A file is *waiting*, then *sending*, and ends as *accepted* (with the server's answer) or *refused*. Accepted files are
 * followed until their run ends.
 */
import { createBatch } from "../api/endpoints.ts";
import { newIdempotencyKey } from "../api/client.ts";
import { ApiError, messageOf, Unreachable } from "../api/problem.ts";
import type { IngestResponse } from "../api/types.ts";
import { uploadFile } from "../api/upload.ts";
import { wantsPassword } from "../format/failures.ts";
import type { DocumentEvent } from "./document-events.ts";
import type { DroppedFile } from "./dropped-files.ts";
import { Store } from "./store.ts";

/** The tags and the password that files are uploaded with. The password is only kept in memory. */
export interface UploadOptions {
  tags: readonly string[];
  password: string;
}

export interface UploadItem {
  id: number;
  file: File;
  path: string;
  batchId: string | null;
  idempotencyKey: string;
  options: UploadOptions;
  state: "waiting" | "sending" | "accepted" | "refused";
  /** Between 0 and 1. */
  sent: number;
  outcome?: IngestResponse;
  problem?: { text: string; trace?: string; mayHelp: boolean };
  /** The result of its run. */
  ended?: "ready" | "failed";
  /** The code of the failure when the file is encrypted. */
  lockedBy?: string;
}

export const uploads = new Store<readonly UploadItem[]>([]);

/** Files that wait for their tags and password in the dialog; null while it is closed. */
export const gathered = new Store<readonly DroppedFile[] | null>(null);

const NO_OPTIONS: UploadOptions = { tags: [], password: "" };
const AT_ONCE = 3;
const TRIES = 5;

let lastId = 0;
let cancelAll = new AbortController();

function change(id: number, how: Partial<UploadItem>): void {
  uploads.update((items) => items.map((item) => (item.id === id ? { ...item, ...how } : item)));
}

export function gatherFiles(files: readonly DroppedFile[]): void {
  gathered.set(files);
}

/** Uploads files that were dropped or picked, or adds them to the open dialog. */
export function takeFiles(files: readonly DroppedFile[]): void {
  const others = gathered.get();
  if (others === null) void addFiles(files, NO_OPTIONS);
  else gatherFiles([...others, ...files]);
}

/** The files of a folder become a batch with its name. */
export async function addFiles(files: readonly DroppedFile[], options: UploadOptions): Promise<void> {
  const batches = new Map<string, string | null>();
  for (const { folder } of files) {
    if (folder !== null && !batches.has(folder)) batches.set(folder, await batchNamed(folder));
  }
  const items = files.map(({ file, path, folder }): UploadItem => ({
    id: ++lastId,
    file,
    path,
    batchId: folder === null ? null : (batches.get(folder) ?? null),
    idempotencyKey: newIdempotencyKey(),
    options,
    state: "waiting",
    sent: 0,
  }));
  uploads.update((all) => [...all, ...items]);
  pump();
}

/** The id of a new batch; null when it cannot be created, because a file is uploaded without its batch rather than not. */
async function batchNamed(folder: string): Promise<string | null> {
  try {
    return (await createBatch(folder)).batch_id;
  } catch {
    return null;
  }
}

/** Whether a refused file may be accepted when it is sent again. */
export function isWorthRetrying(item: UploadItem): boolean {
  return item.state === "refused" && item.problem?.mayHelp === true;
}

export function retryRefused(): void {
  uploads.update((items) =>
    items.map((item) => (isWorthRetrying(item) ? { ...item, state: "waiting", sent: 0, problem: undefined } : item)));
  pump();
}

export function clearUploads(): void {
  cancelAll.abort();
  cancelAll = new AbortController();
  uploads.set([]);
}

function pump(): void {
  const items = uploads.get();
  const free = AT_ONCE - items.filter((item) => item.state === "sending").length;
  for (const item of items.filter(({ state }) => state === "waiting").slice(0, Math.max(0, free))) {
    change(item.id, { state: "sending" });
    void upload(item).finally(pump);
  }
}

async function upload(item: UploadItem): Promise<void> {
  const { signal } = cancelAll;
  for (let tried = 1; ; tried++) {
    const error = await tryOnce(item, signal);
    if (error === null || signal.aborted) return;
    const wait = pauseAfter(error, tried);
    if (wait === null) {
      const trace = error instanceof ApiError ? error.problem.trace_id : undefined;
      change(item.id, { state: "refused", problem: { text: messageOf(error), trace, mayHelp: mayHelp(error) } });
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** The error, or null when the server has the file. */
async function tryOnce(item: UploadItem, signal: AbortSignal): Promise<Error | null> {
  try {
    const outcome = await uploadFile({
      file: item.file,
      idempotencyKey: item.idempotencyKey,
      batchId: item.batchId,
      tags: item.options.tags,
      password: item.options.password,
      signal,
      onProgress: (sent, total) => change(item.id, { sent: total > 0 ? sent / total : 0 }),
    });
    change(item.id, { state: "accepted", sent: 1, outcome, options: NO_OPTIONS });
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The pause before the next attempt in milliseconds; null when another attempt would not help. */
export function pauseAfter(error: unknown, tried: number): number | null {
  if (tried >= TRIES) return null;
  if (error instanceof Unreachable) return 1000 * 2 ** (tried - 1);
  if (!(error instanceof ApiError)) return null;
  const { status } = error.problem;
  if (status !== 429 && status !== 503) return null;
  return error.retryAfter === null ? 1000 * 2 ** (tried - 1) : error.retryAfter * 1000;
}

/** Whether the server may accept the same file later. It refuses a file again that it refused for its content. */
export function mayHelp(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  const { status, code } = error.problem;
  return status === 408 || status === 409 || status === 429 || status >= 500 || code === "storage_quota_exceeded";
}

/** Uploads an encrypted file again, with its password. */
export function sendWithPassword(id: number, password: string): void {
  uploads.update((items) => items.map((item) => (item.id === id
    ? { ...item, state: "waiting", sent: 0, outcome: undefined, ended: undefined, lockedBy: undefined, idempotencyKey: newIdempotencyKey(), options: { ...item.options, password } }
    : item)));
  pump();
}

export function followUpload(event: DocumentEvent): void {
  if (event.kind !== "completed" && event.kind !== "failed") return;
  const ours = uploads.get().find((item) => item.outcome?.run_id === event.runId && item.ended === undefined);
  if (!ours) return;
  const code = event.kind === "failed" ? event.code : null;
  change(ours.id, { ended: event.kind === "completed" ? "ready" : "failed", lockedBy: code !== null && wantsPassword(code) ? code : undefined });
}

/** What the server did with a file, in words. */
export function outcomeInWords(outcome: IngestResponse): string {
  switch (outcome.dedup_result) {
    case "new":
      return "New document";
    case "new_version":
      return "New version";
    case "skipped":
      return "Already uploaded, unchanged";
    case "in_progress":
      return "Already uploaded, processing";
    default:
      return outcome.dedup_result;
  }
}
