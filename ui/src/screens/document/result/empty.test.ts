import { expect, it } from "vitest";
import type { RunView } from "../../../api/types.ts";
import { whyNoResult } from "./empty.ts";

const run = (status: RunView["status"], ...pipeline: string[]) => ({ status, pipeline });

it("a document without a result is being processed, was processed before, or its run ended without one", () => {
  expect(whyNoResult([run("running", "ingest", "parse", "reconcile", "package"), run("succeeded", "ingest")])).toBe("processing");
  expect(whyNoResult([run("queued", "ingest", "package")])).toBe("processing");
  expect(whyNoResult([run("succeeded", "ingest", "index")])).toBe("before");
  expect(whyNoResult([])).toBe("before");
  expect(whyNoResult([run("failed", "ingest", "package")])).toBe("ended");
});
