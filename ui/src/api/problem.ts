/** Failed requests, with the server's message when it sent one. */

/** RFC 9457, with the fields of every error of Docket. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: string;
  trace_id?: string;
  field?: string;
  /** All problems of a request that has several: the definition of a document type. */
  errors?: { path: string; message: string }[];
}

export class ApiError extends Error {
  readonly problem: Problem;
  /** How many seconds the server asks to wait before the next try. */
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
    super("Can’t reach Docket. This page keeps trying.", { cause });
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

/** A proxy may answer with something other than a problem document. */
export function asProblem(body: unknown, response: { status: number; headers: Headers }): Problem {
  const given = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  return {
    title: given.title ?? `HTTP ${response.status}`,
    status: response.status,
    detail: given.detail ?? `The server answered with status ${response.status} and no explanation.`,
    code: given.code ?? "unknown",
    trace_id: given.trace_id ?? response.headers.get("x-trace-id") ?? undefined,
    field: given.field,
    errors: Array.isArray(given.errors) ? given.errors : undefined,
  };
}

/** Whether the server answers but lacks the route: it is older, or built without that part. */
export function isMissingRoute(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 404 && error.problem.code === "no_such_route";
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.problem.status === 404;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
