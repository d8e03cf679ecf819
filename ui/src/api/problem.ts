/** What went wrong with a request, in the server's words when it gave any. */

/** RFC 9457, with the fields that every refusal of Docket has. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: string;
  trace_id?: string;
  field?: string;
}

export class ApiError extends Error {
  readonly problem: Problem;
  /** How long the server asks to be left alone, in seconds. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, retryAfter: number | null = null) {
    super(problem.detail);
    this.name = "ApiError";
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

/** The server did not answer at all. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("Docket cannot be reached. This page tries again by itself.", { cause });
    this.name = "Unreachable";
  }
}

export async function problemOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? NaN);
  return new ApiError(asProblem(await readBody(response), response), Number.isFinite(retryAfter) ? retryAfter : null);
}

async function readBody(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

/** A proxy in between may answer with something else than a problem document. */
export function asProblem(body: unknown, response: { status: number; headers: Headers }): Problem {
  const given = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  return {
    title: given.title ?? `HTTP ${response.status}`,
    status: response.status,
    detail: given.detail ?? `The server answered with status ${response.status} and no explanation.`,
    code: given.code ?? "unknown",
    trace_id: given.trace_id ?? response.headers.get("x-trace-id") ?? undefined,
    field: given.field,
  };
}

/** True when the server is there but does not have the route: an older one, or one built without that part. */
export function isMissingRoute(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 404 && error.problem.code === "no_such_route";
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 404;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
