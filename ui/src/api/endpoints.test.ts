import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { currentSession, signedIn, type Me } from "../session/session.ts";
import { askQuestion, listDocuments, search } from "./endpoints.ts";
import { ApiError, isMissingRoute, Unreachable } from "./problem.ts";

const me: Me = { id: "u", kind: "user", name: "a@b", role: "admin", tenant_id: "t", tenant_name: "Acme" };
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

let fetched: ReturnType<typeof vi.fn<typeof fetch>>;

beforeEach(() => {
  fetched = vi.fn<typeof fetch>();
  vi.stubGlobal("fetch", fetched);
  signedIn("first", me);
});
afterEach(() => vi.unstubAllGlobals());

const sentHeaders = (call: number) => fetched.mock.calls[call]?.[1]?.headers as Record<string, string>;

async function heard(response: Response) {
  fetched.mockResolvedValueOnce(response);
  const log: string[] = [];
  const listener = {
    onPassages: (hits: unknown[]) => log.push(`${hits.length} passages`),
    onText: (text: string) => log.push(text),
    onAnswer: (answer: { answer?: string | null }) => log.push(`answer: ${answer.answer ?? "none"}`),
  };
  await askQuestion("How much?", {}, listener);
  return log;
}

describe("search", () => {
  it("sends the query with the token", async () => {
    fetched.mockResolvedValueOnce(json({ hits: [], warnings: [] }));
    await search("rent", "hybrid", { types: ["pdf"] });
    expect(fetched.mock.calls[0]?.[0]).toBe("/v1/search");
    expect(sentHeaders(0)["authorization"]).toBe("Bearer first");
    expect(JSON.parse(fetched.mock.calls[0]?.[1]?.body as string)).toEqual({
      query: "rent", mode: "hybrid", filters: { types: ["pdf"] }, limit: 20,
    });
  });

  it("distinguishes a server without search from a missing document", async () => {
    fetched.mockResolvedValueOnce(json({ code: "no_such_route", detail: "nothing here" }, 404));
    const error: unknown = await search("rent", "hybrid", {}).catch((reason: unknown) => reason);
    expect(isMissingRoute(error)).toBe(true);
    expect(isMissingRoute(new ApiError({ title: "", status: 404, detail: "", code: "not_found" }))).toBe(false);
  });
});

describe("askQuestion", () => {
  it("streams passages, provisional text and the answer", async () => {
    const text = [
      'event: passages\ndata: {"hits": [{}, {}]}\n\n',
      'event: delta\ndata: {"text": "It is "}\n\n',
      'event: answer\ndata: {"answer": "It is 42.", "abstained": false}\n\n',
    ].join("");
    expect(await heard(stream(text))).toEqual(["2 passages", "It is ", "answer: It is 42."]);
  });

  it("takes an answer in one piece", async () => {
    expect(await heard(json({ answer: null, abstained: true }))).toEqual(["answer: none"]);
  });

  it("raises the problem that ended the stream, and a stream that was interrupted", async () => {
    const problem = 'event: problem\ndata: {"status": 503, "detail": "the model is away", "code": "x", "trace_id": "t1"}\n\n';
    await expect(heard(stream(problem))).rejects.toThrow("the model is away");
    await expect(heard(stream('event: delta\ndata: {"text": "It"}\n\n'))).rejects.toThrow("interrupted");
  });
});

describe("a session that ends", () => {
  it("keeps the request until the user has signed in again, and sends it once more", async () => {
    fetched.mockResolvedValueOnce(json({ detail: "expired" }, 401)).mockResolvedValueOnce(json({ items: [], limit: 1 }));
    const waiting = listDocuments({ search: "x" });
    await vi.waitFor(() => expect(currentSession().state).toBe("expired"));
    expect(fetched).toHaveBeenCalledTimes(1);
    signedIn("second", me);
    expect(await waiting).toEqual({ items: [], limit: 1 });
    expect(sentHeaders(1)["authorization"]).toBe("Bearer second");
  });
});

describe("a server that is away", () => {
  it("is distinguished from a refusal", async () => {
    fetched.mockRejectedValueOnce(new TypeError("failed to fetch"));
    await expect(listDocuments({})).rejects.toBeInstanceOf(Unreachable);
  });
});
