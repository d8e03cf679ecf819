import { expect, test } from "vitest";
import { waitingFor } from "./waiting.ts";

test("names the dependency that a stage waits for", () => {
  expect(waitingFor("object_store")).toBe("Waiting for the object store");
  expect(waitingFor("model_service")).toBe("Waiting for model service");
  expect(waitingFor(null)).toBeNull();
  expect(waitingFor(undefined)).toBeNull();
});
