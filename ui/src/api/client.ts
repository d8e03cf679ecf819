/** Sends every request: with the session's token, with problem documents as errors, and again after a new sign-in. */
import { currentSession, refused, signedInAgain } from "../session/session.ts";
import { problemOf, Unreachable } from "./problem.ts";

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface Ask {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  query?: Query;
  json?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

/** The token to send, if the session has one. */
export function currentToken(): string | null {
  const session = currentSession();
  return session.state === "signed-in" ? session.token : null;
}

export async function ask(path: string, how: Ask = {}): Promise<Response> {
  for (;;) {
    const session = currentSession();
    if (session.state === "expired") await signedInAgain();
    const token = currentToken();
    const response = await send(path, how, token);
    if (response.ok) return response;
    if (response.status !== 401 || token === null) throw await problemOf(response);
    refused(token);
  }
}

async function send(path: string, how: Ask, token: string | null): Promise<Response> {
  const headers: Record<string, string> = { ...how.headers };
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  if (how.json !== undefined) headers["content-type"] = "application/json";
  const body = how.json === undefined ? how.form : JSON.stringify(how.json);
  try {
    return await fetch(addressOf(path, how.query), { method: how.method ?? "GET", headers, body, signal: how.signal });
  } catch (error) {
    if (how.signal?.aborted) throw error;
    throw new Unreachable(error);
  }
}

export async function getJson<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await (await ask(path, { query, signal })).json()) as T;
}

export async function postJson<T>(path: string, json: unknown, headers?: Record<string, string>): Promise<T> {
  return (await (await ask(path, { method: "POST", json, headers })).json()) as T;
}

/** A key that makes a repeated request take effect once. `crypto.randomUUID` is missing on plain-HTTP addresses. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
