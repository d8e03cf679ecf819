/** Failures that the server names by a code, because something particular helps. */

/** The file is encrypted: without its password, or with another one, nothing is read. */
export function wantsPassword(code: string | null | undefined): boolean {
  return code === "password_required" || code === "wrong_password";
}

/** Why a dead job needs no attention any more, in words; nothing for one that does. */
export function closedInWords(closedBy: string | null | undefined): string | null {
  switch (closedBy) {
    case "deleted":
      return "The document was deleted";
    case "withdrawn":
      return "The document was withdrawn";
    case "superseded":
      return "A later run took its place";
    case "discarded":
      return "Discarded";
    default:
      return null;
  }
}
