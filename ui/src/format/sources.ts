/** Which way a document came in. */
const SOURCES: Record<string, string> = {
  manual: "Uploaded",
  batch: "In a batch",
  attachment: "Attached to a mail",
};

export function sourceInWords(source: string): string {
  return SOURCES[source] ?? source;
}
