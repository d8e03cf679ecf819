import { expect, it } from "vitest";
import { inTurn } from "./thumbnail-queue.ts";

it("sends two requests at a time, and none for rows that left the screen", async () => {
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  const fetch = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => finish.set(name, () => resolve(name)));
  };
  const stays = new AbortController();
  const leaves = new AbortController();
  const first = inTurn(fetch("first"), stays.signal);
  const second = inTurn(fetch("second"), stays.signal);
  const gone = inTurn(fetch("gone"), leaves.signal);
  const last = inTurn(fetch("last"), stays.signal);
  expect(started).toEqual(["first", "second"]);
  leaves.abort();
  await expect(gone).rejects.toThrow();
  finish.get("first")?.();
  expect(await first).toBe("first");
  await Promise.resolve();
  expect(started).toEqual(["first", "second", "last"]);
  finish.get("second")?.();
  finish.get("last")?.();
  expect(await Promise.all([second, last])).toEqual(["second", "last"]);
});
