/** Which way a document came in. */
const SOURCES: Record<string, string> = {
  manual: "Uploaded",
  batch: "Batch",
  attachment: "Attachment",
};

export function sourceInWords(source: string): string {
  return SOURCES[source] ?? source;
}
