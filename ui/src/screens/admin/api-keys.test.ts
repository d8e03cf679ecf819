import { expect, it } from "vitest";
import type { ApiKeyView } from "../../api/types.ts";
import { endOfDay, whyInvalid } from "./api-keys.ts";

const now = new Date("2026-02-15T12:00:00Z");
const key: ApiKeyView = {
  api_key_id: "k",
  name: "scanner",
  role: "api_client",
  prefix: "dk_a",
  created_at: "2026-01-01T00:00:00Z",
  created_by: { user_id: "u", email: "a@b", is_active: true },
};

it("says why a key is invalid", () => {
  expect(whyInvalid(key, now)).toBeNull();
  expect(whyInvalid({ ...key, created_by: null }, now)).toBeNull();
  expect(whyInvalid({ ...key, expires_at: "2026-02-15T12:00:01Z" }, now)).toBeNull();
  expect(whyInvalid({ ...key, expires_at: "2026-02-15T12:00:00Z" }, now)).toBe("Expired");
  expect(whyInvalid({ ...key, revoked_at: "2026-02-01T00:00:00Z" }, now)).toBe("Revoked");
  const deactivated = { user_id: "u", email: "a@b", is_active: false };
  expect(whyInvalid({ ...key, created_by: deactivated }, now)).toBe("Creator deactivated");
});

it("keeps a key valid until the end of its last day", () => {
  expect(endOfDay("")).toBeUndefined();
  const end = new Date(endOfDay("2026-03-01") ?? "");
  expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([1, 23, 59]);
});
