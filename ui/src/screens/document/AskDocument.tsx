/** Questions about one document; the page marks the words of the answer. */
import "../ask/ask.css";
import "./ask-document.css";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";
import type { Answer, Citation } from "../../api/types.ts";
import { Button } from "../../design/basics.tsx";
import { AnswerView } from "../ask/AnswerView.tsx";
import { addressOfPassage, writeAreas } from "./highlight.ts";

interface AskDocumentProps {
  id: string;
  /** The question that the address has. */
  asked: string;
  /** Whether the page is shown beside the answer. */
  hasPicture: boolean;
  onAsk: (question: string) => void;
  onCitation: (place: { page?: string; at: string; quote: string }) => void;
}

export function AskDocument({ id, asked, hasPicture, onAsk, onCitation }: AskDocumentProps) {
  const [text, setText] = useState(asked);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (asked === "") field.current?.focus();
  }, [asked]);
  const ask = () => {
    if (text.trim()) onAsk(text.trim());
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    ask();
  };
  const show = (answer: Answer) => {
    const first = answer.citations[0];
    if (first) onCitation(placeOf(first));
  };
  return (
    <div className="ask-document">
      <form className="question-box" onSubmit={submit}>
        <label className="visually-hidden" htmlFor="document-question">Question about this document</label>
        <textarea
          ref={field}
          id="document-question"
          rows={2}
          maxLength={2000}
          placeholder="Ask a question about this document"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            ask();
          }}
        />
        <div className="question-bar">
          <span className="quiet">Searches only this document</span>
          <Button kind="primary" type="submit" icon="send" disabled={!text.trim()}>Ask</Button>
        </div>
      </form>
      {asked !== "" && <AnswerView key={asked} question={asked} filters={{ document_ids: [id] }} onAnswer={show} addressOf={(citation) => addressWithin(citation, asked, hasPicture)} />}
    </div>
  );
}

function placeOf(citation: Citation): { page?: string; at: string; quote: string } {
  const page = citation.areas[0]?.page ?? citation.pages[0];
  return { ...(page !== undefined && { page: String(page) }), at: writeAreas(citation.areas), quote: citation.quote };
}

/** Beside a page the answer stays open; a file without pages shows the quote in its text. */
export function addressWithin(citation: Citation, asked: string, hasPicture: boolean): string {
  const address = addressOfPassage(citation);
  if (!hasPicture) return address;
  return `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ tab: "ask", q: asked }).toString()}`;
}
