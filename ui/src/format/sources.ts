/** The labels of the ways in which documents are added. */
const SOURCES: Record<string, string> = {
  manual: "Manual upload",
  batch: "Batch upload",
  attachment: "Attachment",
};

export function sourceInWords(source: string): string {
  return SOURCES[source] ?? source;
}
