/**
 * What each role is shown. It mirrors the server's permission table (`crates/domain/src/permission.rs`) for the screens'
 * sake: a button that would only be refused is not drawn. What is allowed, the server decides.
 */
import type { RoleName } from "../api/types.ts";

export type Right = "upload" | "ask" | "rerun" | "deactivate" | "repair" | "requeue" | "users" | "keys" | "audit" | "see-all";

const RIGHTS: Record<RoleName, readonly Right[]> = {
  admin: ["upload", "ask", "rerun", "deactivate", "repair", "requeue", "users", "keys", "audit", "see-all"],
  user: ["upload", "ask"],
  reviewer: ["upload", "ask", "see-all"],
  viewer: ["ask", "see-all"],
  auditor: ["repair", "audit", "see-all"],
  api_client: ["upload", "ask"],
};

export const ROLES = Object.keys(RIGHTS) as RoleName[];

export const ROLE_MEANING: Record<RoleName, string> = {
  admin: "Everything, people and keys included",
  user: "Uploads documents and sees their own",
  reviewer: "Uploads, and sees and corrects every document",
  viewer: "Reads every document and asks questions",
  auditor: "Reads documents, failures and the audit log; changes nothing",
  api_client: "A program: uploads and sees its own",
};

export function may(role: RoleName, right: Right): boolean {
  return RIGHTS[role].includes(right);
}
