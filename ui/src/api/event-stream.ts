/**
 * Server-sent events from a `fetch` response. The browser's own `EventSource` cannot send a bearer token, and would need
 * the token in the address, where it ends up in logs.
 */

export interface ServerEvent {
  id: string | null;
  event: string;
  data: string;
}

/** Parses the stream, in pieces of any size, into events as the standard describes them. */
export class EventStreamParser {
  #rest = "";
  #id: string | null = null;
  #event = "";
  #data: string[] = [];
  #hasStarted = false;

  push(piece: string): ServerEvent[] {
    this.#rest += piece;
    if (!this.#hasStarted && this.#rest.length > 0) {
      this.#hasStarted = true;
      if (this.#rest.startsWith("\uFEFF")) this.#rest = this.#rest.slice(1);
    }
    const events: ServerEvent[] = [];
    for (;;) {
      const line = this.#takeLine();
      if (line === null) return events;
      const event = this.#read(line);
      if (event) events.push(event);
    }
  }

  /** A line ends with LF, CR or CRLF; a CR at the very end may yet turn out to be half of a CRLF. */
  #takeLine(): string | null {
    const end = this.#rest.search(/[\r\n]/);
    if (end < 0) return null;
    const isReturn = this.#rest[end] === "\r";
    if (isReturn && end + 1 === this.#rest.length) return null;
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + (isReturn && this.#rest[end + 1] === "\n" ? 2 : 1));
    return line;
  }

  #read(line: string): ServerEvent | null {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    if (field === "event") this.#event = value;
    if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }

  #dispatch(): ServerEvent | null {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    return isEmpty ? null : event;
  }
}

/** The events of a response until it ends. `onPiece` is called for every piece, including keep-alive comments. */
export async function* readEventStream(response: Response, onPiece?: () => void): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const parser = new EventStreamParser();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onPiece?.();
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
