/** Failures with a code, for which the UI offers a specific remedy. */

/** The file is encrypted, and the password is missing or wrong. */
export function wantsPassword(code: string | null | undefined): boolean {
  return code === "password_required" || code === "wrong_password";
}

/** Why a failed job no longer needs attention; null when it does. */
export function closedLabel(closedBy: string | null | undefined): string | null {
  switch (closedBy) {
    case "deleted":
      return "The document was deleted";
    case "withdrawn":
      return "The document was withdrawn";
    case "superseded":
      return "A later run replaced it";
    case "discarded":
      return "Discarded";
    default:
      return null;
  }
}
