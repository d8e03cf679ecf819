/** Whether an API key is still valid, and when it expires. */
import type { ApiKeyView } from "../../api/types.ts";

export function whyInvalid(key: ApiKeyView, now: Date): string | null {
  if (key.revoked_at) return "Revoked";
  if (key.expires_at && new Date(key.expires_at) <= now) return "Expired";
  if (key.created_by && !key.created_by.is_active) return "Creator deactivated";
  return null;
}

/** The last second of a day (yyyy-mm-dd) in the browser's time zone; undefined without a day. */
export function endOfDay(day: string): string | undefined {
  return day ? new Date(`${day}T23:59:59`).toISOString() : undefined;
}
