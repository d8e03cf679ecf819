import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Router } from "wouter";
import type { Answer, Hit } from "../../api/types.ts";
import { addressWithin } from "../document/AskDocument.tsx";
import { AnswerCard, streamAfter, type AnswerStream } from "./AnswerView.tsx";

const hit: Hit = {
  rank: 1, score: 0.4, doc_id: "doc-1", doc_version_id: "v", chunk_id: "c", title: "Lease.pdf", filename: "Lease.pdf", file_kind: "pdf",
  heading: ["2 Term"], pages: [3], snippet: "The lease ends in May.", highlights: [{ start: 4, end: 9 }], areas: [{ page: 3, box: [1, 2, 3, 4] }],
};
const answer: Answer = {
  answer: "The lease ends in May.", abstained: false, reason: null, confidence: 0.8, provider: "extractive", warnings: [], nearest: [],
  sentences: [{ text: "The lease ends in May.", citations: [1, 9] }],
  citations: [{ number: 1, doc_id: "doc-1", doc_version_id: "v", chunk_id: "c", title: "Lease.pdf", pages: [3], quote: "ends in May", areas: hit.areas }],
};

const drawn = (shown: Answer) => renderToStaticMarkup(<Router ssrPath="/ask"><AnswerCard answer={shown} /></Router>);

describe("an answer", () => {
  it("leads from each sentence to its passage, and to none that it does not have", () => {
    const page = drawn(answer);
    expect(page).toContain('href="/documents/doc-1?page=3&amp;at=3%3A1%2C2%2C3%2C4&amp;quote=ends+in+May"');
    expect(page.match(/class="citation-mark"/g)).toHaveLength(1);
    expect(page).toContain("80% sure");
  });

  it("that is none says so, gives the reason, and shows what came nearest", () => {
    const page = drawn({ ...answer, answer: null, abstained: true, reason: "No passage names a price.", nearest: [hit] });
    expect(page).toContain("The documents do not contain an answer");
    expect(page).toContain("No passage names a price.");
    expect(page).toContain("<mark>lease</mark>");
    expect(page).not.toContain("80% sure");
  });

  it("stays beside the page when one document was asked, and leads to the text of a file without pages", () => {
    const [citation] = answer.citations;
    if (!citation) throw new Error("the answer has a citation");
    expect(addressWithin(citation, "When does it end?", true)).toBe("/documents/doc-1?page=3&at=3%3A1%2C2%2C3%2C4&quote=ends+in+May&tab=ask&q=When+does+it+end%3F");
    expect(addressWithin(citation, "When does it end?", false)).not.toContain("tab=");
  });

  it("replaces what was streamed before it", () => {
    let stream: AnswerStream = { passages: [], text: "", answer: null, error: null };
    for (const change of [{ passages: [hit] }, { text: "The " }, { text: "lease" }, { answer }]) stream = streamAfter(stream, change);
    expect(stream).toEqual({ passages: [hit], text: "The lease", answer, error: null });
    expect(streamAfter(stream, "restart").answer).toBeNull();
  });
});
