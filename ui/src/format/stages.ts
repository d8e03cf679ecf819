/** The stages in pipeline order; unknown ones come after, by name. */
const ORDER = ["ingest", "preprocess", "ocr", "layout", "index", "parse", "reconcile", "match", "package"];

export function byStage(a: string, b: string): number {
  const [first, second] = [ORDER.indexOf(a), ORDER.indexOf(b)];
  if (first >= 0 && second >= 0) return first - second;
  if (first >= 0 || second >= 0) return first >= 0 ? -1 : 1;
  return a.localeCompare(b);
}
