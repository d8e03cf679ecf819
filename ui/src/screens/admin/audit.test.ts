import { describe, expect, it } from "vitest";
import { auditQuery } from "./Audit.tsx";

describe("auditQuery", () => {
  it("takes days as the browser's, the last one included, and leaves out what is empty", () => {
    expect(auditQuery(new URLSearchParams("action=USER_LOGIN&actor=+&from=2026-03-01&to=2026-03-01&odd=1"))).toEqual({
      action: "USER_LOGIN",
      from: new Date(2026, 2, 1).toISOString(),
      to: new Date(2026, 2, 2).toISOString(),
    });
  });
});
