/**
 * Fetches thumbnails, few at a time. The server renders a page once and then keeps the image, but rendering takes the
 * processes that read documents: a list must not ask for fifty at once.
 */
const AT_ONCE = 2;

interface Request {
  start: () => Promise<unknown>;
  signal: AbortSignal;
}

const waiting: Request[] = [];
let active = 0;

function next(): void {
  while (active < AT_ONCE) {
    const request = waiting.shift();
    if (!request) return;
    if (request.signal.aborted) continue;
    active += 1;
    void request.start().finally(() => {
      active -= 1;
      next();
    });
  }
}

/** The result of `fetch`, once it is its turn. A request whose row left the screen before is not sent. */
export function inTurn<T>(fetch: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted")), { once: true });
    waiting.push({ signal, start: () => fetch().then(resolve, reject) });
    next();
  });
}
