/**
 * What each role sees. It mirrors the server's permission table (`crates/domain/src/permission.rs`) so that the
 * screens leave out buttons that the server would refuse. The server decides.
 */
import type { RoleName } from "../api/types.ts";

export type Right = "upload" | "ask" | "rename" | "tag" | "rerun" | "deactivate" | "attention" | "requeue" | "users" | "keys" | "audit" | "see-all" | "promote" | "types" | "acceptance" | "quality";

const RIGHTS: Record<RoleName, readonly Right[]> = {
  admin: ["upload", "ask", "rename", "tag", "rerun", "deactivate", "attention", "requeue", "users", "keys", "audit", "see-all", "promote", "types", "acceptance", "quality"],
  user: ["upload", "ask", "rename"],
  reviewer: ["upload", "ask", "rename", "tag", "see-all"],
  viewer: ["ask", "see-all"],
  auditor: ["attention", "audit", "see-all", "quality"],
  api_client: ["upload", "ask", "rename"],
};

export const ROLES = Object.keys(RIGHTS) as RoleName[];

export const ROLE_MEANING: Record<RoleName, string> = {
  admin: "Full access, including users and API keys",
  user: "Uploads documents and sees only their own",
  reviewer: "Uploads documents, and sees and edits all of them",
  viewer: "Reads all documents and asks questions",
  auditor: "Reads documents, failures and the audit log, but changes nothing",
  api_client: "A program that uploads documents and sees only its own",
};

export function may(role: RoleName, right: Right): boolean {
  return RIGHTS[role].includes(right);
}
