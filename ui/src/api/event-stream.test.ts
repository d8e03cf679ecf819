import { describe, expect, it } from "vitest";
import { EventStreamParser, readEventStream } from "./event-stream.ts";

const parse = (...pieces: string[]) => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe("EventStreamParser", () => {
  it("gives an event at its blank line and not before", () => {
    const parser = new EventStreamParser();
    expect(parser.push("id: 7\nevent: document.queued\ndata: {}\n")).toEqual([]);
    expect(parser.push("\n")).toEqual([{ id: "7", event: "document.queued", data: "{}" }]);
  });

  it("is indifferent to where the pieces are cut", () => {
    const text = "id: 1\r\nevent: a\r\ndata: x\r\ndata: y\r\n\r\n: keep-alive\r\n\r\ndata:z\r\n\r\n";
    const whole = parse(text);
    expect(whole).toEqual([
      { id: "1", event: "a", data: "x\ny" },
      { id: "1", event: "message", data: "z" },
    ]);
    for (let cut = 1; cut < text.length; cut++) expect(parse(text.slice(0, cut), text.slice(cut))).toEqual(whole);
    expect(parse(...Array.from(text))).toEqual(whole);
  });

  it("says nothing for comments and for events without data", () => {
    expect(parse(": ping\n\n", "event: lonely\n\n", "id: 4\n\n")).toEqual([]);
  });

  it("keeps the last id for events that have none, and takes one leading space off a value", () => {
    expect(parse("id: 4\n\ndata:  two\n\n")).toEqual([{ id: "4", event: "message", data: " two" }]);
  });
});

describe("readEventStream", () => {
  it("joins characters that were cut in two", async () => {
    const bytes = new TextEncoder().encode("data: Größe\n\n");
    const response = new Response(new ReadableStream({
      start(to) {
        for (const byte of bytes) to.enqueue(new Uint8Array([byte]));
        to.close();
      },
    }));
    const events = [];
    for await (const event of readEventStream(response)) events.push(event.data);
    expect(events).toEqual(["Größe"]);
  });
});
