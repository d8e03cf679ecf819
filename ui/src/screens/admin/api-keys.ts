/** What a key's row says about whether it still lets anybody in. */
import type { ApiKeyView } from "../../api/types.ts";

export function whyInvalid(key: ApiKeyView, now: Date): string | null {
  if (key.revoked_at) return "Revoked";
  if (key.expires_at && new Date(key.expires_at) <= now) return "Expired";
  if (key.created_by && !key.created_by.is_active) return "Its maker is deactivated";
  return null;
}

/** The last moment of a day (yyyy-mm-dd) where the browser is; none for no day. */
export function endOfDay(day: string): string | undefined {
  return day ? new Date(`${day}T23:59:59`).toISOString() : undefined;
}
