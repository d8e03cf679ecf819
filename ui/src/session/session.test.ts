import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { historyKey } from "../screens/ask/history.ts";
import { currentSession, followOtherTabs, refused, signedIn, signedOut, type Me } from "./session.ts";

const me: Me = { id: "u", kind: "user", name: "a@b", role: "user", tenant_id: "t", tenant_name: "Acme" };

/** The browser's storage, as far as the session uses it. */
class Storage {
  readonly #entries = new Map<string, string>();
  get length() {
    return this.#entries.size;
  }
  key = (index: number) => [...this.#entries.keys()][index] ?? null;
  getItem = (key: string) => this.#entries.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#entries.set(key, value);
  removeItem = (key: string) => void this.#entries.delete(key);
  names = () => [...this.#entries.keys()].sort();
}

let storage: Storage;
let tellTab: (event: { key: string | null; newValue: string | null }) => void;

beforeEach(() => {
  storage = new Storage();
  vi.stubGlobal("localStorage", storage);
  vi.stubGlobal("window", {
    addEventListener: (_: string, listener: typeof tellTab) => (tellTab = listener),
    removeEventListener: () => undefined,
  });
  storage.setItem("docket.theme", "dark");
  signedIn("token", me);
  storage.setItem(historyKey(me.id), JSON.stringify([{ mode: "ask", text: "Who pays the rent?" }]));
});
afterEach(() => vi.unstubAllGlobals());

it("forgets a user's questions when they sign out, and keeps the theme", () => {
  expect(storage.names()).toEqual([historyKey(me.id), "docket.theme", "docket.token"]);
  signedOut();
  expect(storage.names()).toEqual(["docket.theme"]);
});

it("forgets them when another tab signs out", () => {
  followOtherTabs(() => Promise.resolve(me));
  storage.removeItem("docket.token");
  tellTab({ key: "docket.token", newValue: null });
  expect(currentSession().state).toBe("signed-out");
  expect(storage.names()).toEqual(["docket.theme"]);
});

it("forgets them when another tab clears the storage", () => {
  followOtherTabs(() => Promise.resolve(me));
  tellTab({ key: null, newValue: null });
  expect(currentSession().state).toBe("signed-out");
});

it("forgets them when the session expires, without signing other tabs out", () => {
  refused("an older token");
  expect(currentSession().state).toBe("signed-in");
  refused("token");
  expect(currentSession().state).toBe("expired");
  expect(storage.names()).toEqual(["docket.theme", "docket.token"]);
});
