/**
 * Follows `GET /v1/events` while the page is open, and reconnects with the id of the last event, so that no event is
 * missed.
 *
 * A browser opens few connections to one server, and a stream occupies one: with a stream in each tab, the seventh tab
 * would hang. So one tab, the *leader* (it holds a browser lock), follows and forwards the events to the other tabs.
 */
import { currentToken } from "../api/client.ts";
import { readEventStream, type ServerEvent } from "../api/event-stream.ts";
import { refused } from "../session/session.ts";

export type ConnectionState = "connecting" | "live" | "away";

export interface Follower {
  onEvent: (event: ServerEvent) => void;
  onState: (state: ConnectionState) => void;
  /** Events may have been missed: read everything again. */
  onGap: () => void;
}

type Message = { kind: "event"; event: ServerEvent } | { kind: "state"; state: ConnectionState } | { kind: "gap" } | { kind: "hello" };

const CHANNEL = "docket.events";
/** The server sends something every 15 s; a connection that is silent for longer is dead. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

/** The pause before the next attempt: twice as long each time, with jitter so that clients spread out. */
export function pauseBefore(tries: number, random: () => number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) * (0.5 + random() / 2);
}

export function followEvents(follower: Follower): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(CHANNEL);
  let lastId: string | null = null;
  let isLeader = false;
  let state: ConnectionState = "connecting";

  const deliver = (message: Message) => {
    if (message.kind === "event") {
      lastId = message.event.id ?? lastId;
      follower.onEvent(message.event);
    }
    if (message.kind === "state") {
      state = message.state;
      follower.onState(message.state);
    }
    if (message.kind === "gap") follower.onGap();
  };
  const broadcast = (message: Message) => {
    deliver(message);
    channel.postMessage(message);
  };
  channel.onmessage = (incoming: MessageEvent<Message>) => {
    if (incoming.data.kind !== "hello") deliver(incoming.data);
    else if (isLeader) channel.postMessage({ kind: "state", state } satisfies Message);
  };
  channel.postMessage({ kind: "hello" } satisfies Message);

  const lead = async () => {
    isLeader = true;
    await keepFollowing(stop.signal, () => lastId, (id) => (lastId = id), broadcast);
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
  report: (message: Message) => void,
): Promise<void> {
  let tries = 0;
  let wasAway = false;
  while (!signal.aborted) {
    const outcome = await followOnce(signal, lastId(), (message) => {
      if (message.kind === "state") {
        tries = 0;
        // The stream begins at the last event that was seen; without one, events may be missing.
        if (wasAway) report({ kind: "gap" });
      }
      report(message);
    });
    if (outcome === "unknown-id") setLastId(null);
    if (outcome === "stopped") return;
    wasAway = true;
    report({ kind: "state", state: "away" });
    await pause(pauseBefore(tries, Math.random), signal);
    tries += 1;
  }
}

async function followOnce(
  stopped: AbortSignal,
  lastId: string | null,
  report: (message: Message) => void,
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
    report({ kind: "state", state: "live" });
    for await (const event of readEventStream(response, stillThere)) report({ kind: "event", event });
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
    // Retry immediately when the network is back.
    window.addEventListener("online", now, { once: true });
  });
}
