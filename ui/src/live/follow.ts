/**
 * Follows `GET /v1/events` for as long as the page is open, and comes back by itself with the id of the last event, so
 * that nothing is missed.
 *
 * A browser opens few connections to one server, and a stream keeps one for good: with a stream in each tab, the seventh
 * tab would hang. So one tab, the *leader* (it holds a lock of the browser), follows and tells the others.
 */
import { currentToken } from "../api/client.ts";
import { readEventStream, type ServerEvent } from "../api/event-stream.ts";
import { refused } from "../session/session.ts";

export type LineState = "connecting" | "live" | "away";

export interface Follower {
  onEvent: (event: ServerEvent) => void;
  onState: (state: LineState) => void;
  /** Events may have been missed: read everything again. */
  onGap: () => void;
}

type Told = { kind: "event"; event: ServerEvent } | { kind: "state"; state: LineState } | { kind: "gap" } | { kind: "hello" };

const CHANNEL = "docket.events";
/** The server says something every 15 s; a line that is silent for longer is dead. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** Pauses before the next try: twice as long each time, and never all clients at once. */
export function pauseBefore(tries: number, random: () => number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + random() / 2);
}

export function followEvents(follower: Follower): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(CHANNEL);
  let lastId: string | null = null;
  let isLeader = false;
  let state: LineState = "connecting";

  const deliver = (told: Told) => {
    if (told.kind === "event") {
      lastId = told.event.id ?? lastId;
      follower.onEvent(told.event);
    }
    if (told.kind === "state") {
      state = told.state;
      follower.onState(told.state);
    }
    if (told.kind === "gap") follower.onGap();
  };
  const tellAll = (told: Told) => {
    deliver(told);
    channel.postMessage(told);
  };
  channel.onmessage = (message: MessageEvent<Told>) => {
    if (message.data.kind !== "hello") deliver(message.data);
    else if (isLeader) channel.postMessage({ kind: "state", state } satisfies Told);
  };
  channel.postMessage({ kind: "hello" } satisfies Told);

  const lead = async () => {
    isLeader = true;
    await keepFollowing(stop.signal, () => lastId, (id) => (lastId = id), tellAll);
  };
  if ("locks" in navigator) {
    navigator.locks.request(CHANNEL, { signal: stop.signal }, lead).catch(() => undefined);
  } else {
    void lead();
  }
  return () => {
    stop.abort();
    channel.close();
  };
}

async function keepFollowing(
  signal: AbortSignal,
  lastId: () => string | null,
  setLastId: (id: string | null) => void,
  tell: (told: Told) => void,
): Promise<void> {
  let tries = 0;
  let wasAway = false;
  while (!signal.aborted) {
    const outcome = await followOnce(signal, lastId(), (told) => {
      if (told.kind === "state") {
        tries = 0;
        // The stream begins at the last event that was seen; without one, what happened meanwhile is unknown.
        if (wasAway) tell({ kind: "gap" });
      }
      tell(told);
    });
    if (outcome === "unknown-id") setLastId(null);
    if (outcome === "stopped") return;
    wasAway = true;
    tell({ kind: "state", state: "away" });
    await pause(pauseBefore(tries, Math.random), signal);
    tries += 1;
  }
}

async function followOnce(
  stopped: AbortSignal,
  lastId: string | null,
  tell: (told: Told) => void,
): Promise<"ended" | "unknown-id" | "stopped"> {
  const silence = new AbortController();
  const token = currentToken();
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (token !== null) headers["authorization"] = `Bearer ${token}`;
  if (lastId !== null) headers["last-event-id"] = lastId;
  let watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
  const stillThere = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const response = await fetch("/v1/events", { headers, signal: AbortSignal.any([stopped, silence.signal]) });
    if (response.status === 401) refused(token);
    if (response.status === 400) return "unknown-id";
    if (!response.ok) return "ended";
    tell({ kind: "state", state: "live" });
    for await (const event of readEventStream(response, stillThere)) tell({ kind: "event", event });
    return "ended";
  } catch {
    return stopped.aborted ? "stopped" : "ended";
  } finally {
    clearTimeout(watchdog);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const now = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", now, { once: true });
    // A network that comes back is worth a try at once.
    window.addEventListener("online", now, { once: true });
  });
}
