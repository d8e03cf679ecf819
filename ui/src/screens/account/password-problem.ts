/** What is wrong with a new password before the server is asked; null when nothing is. */
export function passwordProblem(current: string, next: string, repeated: string): string | null {
  if (next !== repeated) return "The new passwords don’t match. Enter the same password twice.";
  if (next === current) return "The new password is the same as the current one. Choose another.";
  return null;
}
