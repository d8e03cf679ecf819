import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../../api/types.ts";
import { actorNames, auditQuery } from "./Audit.tsx";

describe("auditQuery", () => {
  it("reads days in the browser's time zone, including the last day, and leaves out empty filters", () => {
    expect(auditQuery(new URLSearchParams("action=USER_LOGIN&actor=+&from=2026-03-01&to=2026-03-01&odd=1"))).toEqual({
      action: "USER_LOGIN",
      from: new Date(2026, 2, 1).toISOString(),
      to: new Date(2026, 2, 2).toISOString(),
    });
  });
});

describe("actorNames", () => {
  it("lists each actor once, by the name that the rows show", () => {
    const row = (actor: string, actor_name: string | null) => ({ actor, actor_name }) as AuditEntry;
    const rows = [row("u-1", "bo@x.test"), row("system", null), row("u-1", "bo@x.test"), row("api_key:k", "a scanner")];
    expect(actorNames(rows)).toEqual(["a scanner", "bo@x.test", "system"]);
    expect(auditQuery(new URLSearchParams("actor= bo@x.test"))).toEqual({ actor: "bo@x.test" });
  });
});
