import { describe, expect, it } from "vitest";
import type { DocumentDetail } from "../../api/types.ts";
import { openingOf } from "./password.ts";

const detail = (run: object) => ({ runs: [{ run_id: "r", stages: [], ...run }] }) as unknown as DocumentDetail;

describe("a run that was started with a password", () => {
  it("is opening the file until the stage that opens it has ended", () => {
    expect(openingOf(undefined, "r")).toBe("opening");
    expect(openingOf(detail({ status: "queued" }), "other")).toBe("opening");
    expect(openingOf(detail({ status: "running", stages: [{ name: "preprocess", status: "processing" }] }), "r")).toBe("opening");
    expect(openingOf(detail({ status: "running", stages: [{ name: "preprocess", status: "succeeded" }] }), "r")).toBe("opened");
    expect(openingOf(detail({ status: "succeeded" }), "r")).toBe("opened");
  });

  it("tells a wrong password from other failures by its code", () => {
    expect(openingOf(detail({ status: "failed", error_code: "wrong_password", error: "any words" }), "r")).toBe("wrong");
    expect(openingOf(detail({ status: "failed", error_code: null, error: "the password is odd" }), "r")).toBe("failed");
  });
});
