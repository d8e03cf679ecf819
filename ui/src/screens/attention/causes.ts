/**
 * Failed jobs grouped by cause. Errors that differ only in numbers, ids or names have the same *cause*: “a picture of 20000 ×
 * 20000 pixels” and “a picture of 9000 × 400 pixels” need the same remedy.
 */
import type { JobView, RequeueRequest } from "../../api/types.ts";

export interface CauseGroup {
  key: string;
  stage: string;
  errorClass: string | null;
  /** The failure code, where the server sends one. */
  errorCode: string | null;
  /** The error with `…` where its jobs differ. */
  cause: string;
  guidance: string | null;
  jobs: JobView[];
}

const VARIABLE = /“[^”]*”|"[^"]*"|'[^']*'|`[^`]*`|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{16,}\b|\d+(?:[.,]\d+)*/gi;
const GAP = "…";
const MIN_FRAGMENT_LENGTH = 12;

export function causeOf(error: string | null | undefined): string {
  return (error ?? "no error was recorded").replaceAll(VARIABLE, GAP).replaceAll(/…(?:\s*…)+/g, GAP);
}

export function groupByCause(jobs: readonly JobView[]): CauseGroup[] {
  const groups = new Map<string, CauseGroup>();
  for (const job of jobs) {
    const cause = causeOf(job.error);
    const key = [job.stage, job.error_class ?? "", job.error_code ?? "", cause].join("\n");
    const group = groups.get(key);
    if (group) group.jobs.push(job);
    else {
      groups.set(key, { key, stage: job.stage, errorClass: job.error_class ?? null, errorCode: job.error_code ?? null, cause, guidance: job.guidance ?? null, jobs: [job] });
    }
  }
  for (const group of groups.values()) if (group.jobs.length === 1) group.cause = group.jobs[0]?.error ?? group.cause;
  return [...groups.values()].sort((a, b) => b.jobs.length - a.jobs.length);
}

export type RequeuePlan = { kind: "filter"; request: RequeueRequest } | { kind: "one-by-one"; jobIds: string[] };

/**
 * How to requeue a group: with a filter, which also matches jobs that are not listed, if that filter matches only the
 * group; otherwise one job after the other.
 */
export function requeuePlan(group: CauseGroup, listed: readonly JobView[]): RequeuePlan {
  const jobIds = group.jobs.map((job) => job.job_id);
  const fragment = longestFragment(causeOf(group.jobs[0]?.error));
  if (fragment.length < MIN_FRAGMENT_LENGTH) return { kind: "one-by-one", jobIds };
  const inGroup = new Set(jobIds);
  const matches = (job: JobView) =>
    job.stage === group.stage && (job.error_class ?? null) === group.errorClass && (job.error ?? "").includes(fragment);
  if (listed.some((job) => matches(job) !== inGroup.has(job.job_id))) return { kind: "one-by-one", jobIds };
  const request: RequeueRequest = { stage: group.stage, error_contains: fragment };
  if (group.errorClass) request.error_class = group.errorClass as NonNullable<RequeueRequest["error_class"]>;
  return { kind: "filter", request };
}

/** The server's limit for one request. */
const MAX_DISCARDS = 1000;

/** The ids of the jobs to discard, one list per request. */
export function discardBatches(jobs: readonly JobView[]): string[][] {
  const ids = jobs.map((job) => job.job_id);
  return Array.from({ length: Math.ceil(ids.length / MAX_DISCARDS) }, (_, at) => ids.slice(at * MAX_DISCARDS, (at + 1) * MAX_DISCARDS));
}

function longestFragment(cause: string): string {
  return cause.split(GAP).map((part) => part.trim()).sort((a, b) => b.length - a.length)[0] ?? "";
}
