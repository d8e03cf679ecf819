/**
 * Who is signed in, in this browser.
 *
 * A session is *expired* when the server refuses its token while the user works: the screen stays as it is, a dialog
 * asks for the password, and refused requests wait and are sent again (`api/client.ts`). So the user loses nothing that
 * they typed. Tabs share one session through the browser's storage.
 *
 * When the user signs out in any tab or the session ends, the browser forgets what it stored about them, such as their
 * questions: the next person at this browser must not find it.
 */
import { useSyncExternalStore } from "react";
import type { components } from "../api/schema.ts";

export type Me = components["schemas"]["MeView"];

export type Session =
  | { state: "unknown" }
  | { state: "signed-out"; notice?: string }
  /** The token is null when the server runs without authentication. */
  | { state: "signed-in"; token: string | null; me: Me }
  | { state: "expired"; me: Me };

const STORAGE_KEY = "docket.token";
/** The theme is no personal data, so it stays. */
const THEME_KEY = "docket.theme";

let session: Session = { state: "unknown" };
const listeners = new Set<() => void>();
const waiting: { resolve: () => void; reject: (reason: Error) => void }[] = [];

export function currentSession(): Session {
  return session;
}

export function useSession(): Session {
  return useSyncExternalStore(subscribeToSession, currentSession, currentSession);
}

/** The signed-in caller. Only screens inside the frame use it, and only signed-in users see those. */
export function useMe(): Me {
  const now = useSession();
  if (now.state === "signed-in" || now.state === "expired") return now.me;
  throw new Error("no user is signed in");
}

export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

export function storedToken(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function store(token: string | null): void {
  try {
    if (token === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, token);
  } catch {
    // Without storage the session lasts as long as the tab.
  }
}

/** Removes everything from the browser's storage except these keys. */
function forgetAllBut(...kept: readonly string[]): void {
  try {
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index));
    for (const key of keys) if (key !== null && !kept.includes(key)) localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to forget.
  }
}

export function signedIn(token: string | null, me: Me): void {
  store(token);
  change({ state: "signed-in", token, me });
  for (const request of waiting.splice(0)) request.resolve();
}

export function signedOut(notice?: string): void {
  forgetAllBut(THEME_KEY);
  change({ state: "signed-out", notice });
  for (const request of waiting.splice(0)) request.reject(new Error("signed out"));
}

/** The server refused `token`. A token that was replaced meanwhile says nothing about the session. */
export function refused(token: string | null): void {
  if (session.state !== "signed-in" || session.token !== token) return;
  // The token stays in the storage: removing it would sign other tabs out, and they would lose what was typed there.
  forgetAllBut(THEME_KEY, STORAGE_KEY);
  change({ state: "expired", me: session.me });
}

/** Resolves when the user has signed in again; rejects when they sign out instead. */
export function signedInAgain(): Promise<void> {
  if (session.state === "signed-in") return Promise.resolve();
  return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
}

/** Applies a sign-in or sign-out of another tab to this one. */
export function followOtherTabs(readMe: (token: string) => Promise<Me>): () => void {
  const onStorage = (event: StorageEvent) => {
    // The key is null when the whole storage was cleared.
    if (event.key !== STORAGE_KEY && event.key !== null) return;
    if (event.newValue === null) signedOut();
    else if (session.state !== "signed-in") {
      const token = event.newValue;
      readMe(token).then((me) => signedIn(token, me), () => undefined);
    }
  };
  window.addEventListener("storage", onStorage);
  return () => window.removeEventListener("storage", onStorage);
}
