/** Small documents, generated here. */
import { lockOf } from "./pdf-lock.ts";

export interface MadeFile {
  name: string;
  bytes: Uint8Array;
}

const text = (name: string, content: string): MadeFile => ({ name, bytes: new TextEncoder().encode(content) });

/** A PDF of one or more pages, each a few lines of Helvetica, the first one larger. With a password, the file is encrypted. */
export function pdf(pages: readonly (readonly string[])[], password?: string): Uint8Array {
  return pdfOf(pages.map((lines) => {
    const shown = lines.map((line, at) => `${at === 0 ? "/F1 20 Tf 0 0" : "/F1 12 Tf 0 -26"} Td (${escaped(line)}) Tj`).join("\n");
    return `BT 72 700 Td\n${shown}\nET`;
  }), password);
}

/** A text and where it begins, in points from the top left corner of the page. */
export type Placed = readonly [left: number, top: number, text: string];

/** A PDF whose texts are where they are wanted: forms and tables. */
export function placedPdf(pages: readonly (readonly Placed[])[]): Uint8Array {
  return pdfOf(pages.map((texts) => texts.map(([left, top, shown]) => `BT /F1 10 Tf 1 0 0 1 ${left} ${HEIGHT - top} Tm (${escaped(shown)}) Tj ET`).join("\n")));
}

const HEIGHT = 792;
const escaped = (line: string) => line.replaceAll(/[\\()]/g, "\\$&");

function pdfOf(contents: readonly string[], password?: string): Uint8Array {
  const lock = password === undefined ? null : lockOf(password);
  const objects: string[] = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"];
  const kids: string[] = [];
  for (const content of contents) {
    const stored = lock ? lock.seal(content, objects.length + 1) : content;
    objects.push(`<< /Length ${stored.length} >>\nstream\n${stored}\nendstream`);
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${HEIGHT}] /Contents ${objects.length} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`);
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${kids.length} >>`;
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  file += offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  file += `trailer << /Size ${objects.length + 1} /Root 1 0 R ${lock?.trailer ?? ""}>>\nstartxref\n${table}\n%%EOF\n`;
  // One byte for each character: encrypted content is not text.
  return Uint8Array.from(file, (character) => character.charCodeAt(0));
}

export const LEASE: MadeFile = {
  name: "lease.pdf",
  bytes: pdf([
    [
      "Lease agreement",
      "between Harbour Holdings and Miller and Daughters, made on 1 June 2026.",
      "The house is at 14 Quay Street and has three rooms, a kitchen and a cellar.",
      "The monthly rent is 1480 pounds. It is due on the third of each month.",
      "The deposit is three months of rent and earns interest.",
      "Water is included. Heating and electricity are paid by the tenant.",
      "Repairs below 100 pounds are the tenant's, all others the landlord's.",
      "The landlord may come to look after two days' notice.",
    ],
    [
      "Term",
      "The lease ends on 31 May 2031.",
      "Leaving early costs two months of rent.",
      "Either side may end it with six months' notice to the end of a quarter.",
      "If nobody does, it goes on for a year at a time.",
      "The rent rises by two in a hundred each year, for the first time in 2028.",
    ],
  ]),
};

/** The reader refuses it permanently: too deeply nested elements. */
export const HOSTILE: MadeFile = text("nested.html", `<!doctype html><title>Nested</title>${"<div>".repeat(5000)}deep${"</div>".repeat(5000)}`);

/** An email with an attachment, which becomes a document of its own. */
export const MAIL_WITH_ATTACHMENT: MadeFile = text("keys.eml", [
  "From: ana@example.com", "To: ben@example.com", "Subject: The keys", "Date: Mon, 02 Mar 2026 10:00:00 +0000",
  "MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="part"', "",
  "--part", "Content-Type: text/plain; charset=utf-8", "", "The list of keys is attached.",
  "--part", 'Content-Type: text/plain; name="keys.txt"', 'Content-Disposition: attachment; filename="keys.txt"', "", "Two keys for the door, one for the cellar.",
  "--part--", "",
].join("\r\n"));

/** Twenty files of all types that are easy to generate. */
export function twentyFiles(): MadeFile[] {
  const files = [LEASE];
  for (let at = 1; at <= 6; at++) files.push({ name: `invoice-${at}.pdf`, bytes: pdf([[`Invoice No. ${at}`, `Total due: ${at * 100} euros`]]) });
  for (let at = 1; at <= 4; at++) files.push(text(`note-${at}.txt`, `Note ${at}\n\nThe meeting is on day ${at} of the month, at ten in the morning.\n`));
  for (let at = 1; at <= 4; at++) files.push(text(`readme-${at}.md`, `# Part ${at}\n\nThis part describes step ${at}.\n\n- first\n- second\n`));
  for (let at = 1; at <= 3; at++) files.push(text(`page-${at}.html`, `<!doctype html><title>Page ${at}</title><h1>Page ${at}</h1><p>The harbour opens at ${at + 5} o'clock.</p>`));
  for (let at = 1; at <= 2; at++) {
    files.push(text(`mail-${at}.eml`, `From: ana@example.com\r\nTo: ben@example.com\r\nSubject: Delivery ${at}\r\nDate: Mon, 02 Mar 2026 10:00:0${at} +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe delivery number ${at} arrives on Friday.\r\n`));
  }
  return files;
}
