/** An answer while it is streamed, and its sources. */
import { useEffect, useReducer, useRef } from "react";
import { Link } from "wouter";
import { askQuestion } from "../../api/endpoints.ts";
import type { Answer, Citation, Hit, SearchFilters } from "../../api/types.ts";
import { Badge, Button, ProblemOrMissing, sentence, Skeleton } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { percent } from "../../format/numbers.ts";
import { addressOfPassage } from "../document/highlight.ts";
import { Passage, pagesInWords } from "./Passage.tsx";
import { Warnings } from "./SearchResults.tsx";

export interface AnswerStream {
  passages: Hit[];
  text: string;
  answer: Answer | null;
  error: unknown;
}

type StreamUpdate = { passages: Hit[] } | { text: string } | { answer: Answer } | { error: unknown } | "restart";

const EMPTY: AnswerStream = { passages: [], text: "", answer: null, error: null };

export function streamAfter(stream: AnswerStream, change: StreamUpdate): AnswerStream {
  if (change === "restart") return EMPTY;
  if ("text" in change) return { ...stream, text: stream.text + change.text };
  return { ...stream, ...change };
}

interface AnswerViewProps {
  question: string;
  filters: SearchFilters;
  /** Called once, with the complete answer. */
  onAnswer?: (answer: Answer) => void;
  /** The address of a citation's source. */
  addressOf?: (citation: Citation) => string;
}

export function AnswerView({ question, filters, onAnswer, addressOf }: AnswerViewProps) {
  const [stream, update] = useReducer(streamAfter, EMPTY);
  const [tries, again] = useReducer((count: number) => count + 1, 0);
  const filterText = JSON.stringify(filters);
  const report = useRef(onAnswer);
  useEffect(() => {
    report.current = onAnswer;
  });
  useEffect(() => {
    const abort = new AbortController();
    update("restart");
    const listener = {
      onPassages: (passages: Hit[]) => update({ passages }),
      onText: (text: string) => update({ text }),
      onAnswer: (answer: Answer) => {
        update({ answer });
        if (!abort.signal.aborted) report.current?.(answer);
      },
    };
    askQuestion(question, JSON.parse(filterText) as SearchFilters, listener, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) update({ error });
    });
    return () => abort.abort();
  }, [question, filterText, tries]);
  return (
    <div className="answer-view" aria-live="polite" aria-busy={stream.answer === null && stream.error === null}>
      {stream.error !== null && <ProblemOrMissing error={stream.error} what="answer questions" route="POST /v1/ask" onRetry={again} />}
      {stream.error === null && (stream.answer ? <AnswerCard answer={stream.answer} onAgain={again} addressOf={addressOf} /> : <PartialAnswer stream={stream} />)}
    </div>
  );
}

function PartialAnswer({ stream }: { stream: AnswerStream }) {
  return (
    <section className="card answer" aria-label="Answer">
      {stream.text !== "" && <p className="answer-text provisional">{stream.text}</p>}
      {stream.text === "" && (
        <>
          <p className="quiet">{stream.passages.length > 0 ? `Reading ${stream.passages.length} passages…` : "Searching for passages…"}</p>
          <Skeleton width="92%" />
          <Skeleton width="84%" />
          <Skeleton width="61%" />
        </>
      )}
    </section>
  );
}

interface AnswerCardProps {
  answer: Answer;
  onAgain?: () => void;
  addressOf?: ((citation: Citation) => string) | undefined;
}

export function AnswerCard({ answer, onAgain, addressOf = addressOfPassage }: AnswerCardProps) {
  if (answer.abstained || answer.answer == null) return <Abstention answer={answer} />;
  const sentences = answer.sentences.length > 0 ? answer.sentences : [{ text: answer.answer, citations: answer.citations.map(({ number }) => number) }];
  return (
    <>
      <section className="card answer" aria-label="Answer">
        <p className="answer-text">
          {sentences.map((sentence, at) => (
            <span key={at} className="sentence">{sentence.text}{sentence.citations.map((number) => <CitationMark key={number} citation={answer.citations.find((citation) => citation.number === number)} addressOf={addressOf} />)} </span>
          ))}
        </p>
        <footer className="answer-foot">
          <Badge tone={answer.confidence >= 0.7 ? "good" : answer.confidence >= 0.4 ? "warn" : "bad"}>{percent(answer.confidence)} sure</Badge>
          <span className="quiet">{providerInWords(answer.provider)}</span>
          {onAgain && <Button icon="refresh" kind="bare" onClick={onAgain}>Ask again</Button>}
        </footer>
        <Warnings warnings={answer.warnings} />
      </section>
      <section className="card" aria-labelledby="sources">
        <div className="card-head"><h2 id="sources">Sources</h2></div>
        <ol className="citations">
          {answer.citations.map((citation) => (
            <li key={citation.number} id={`citation-${citation.number}`}>
              <span className="citation-number">{citation.number}</span>
              <div>
                <Link href={addressOf(citation)}>{citation.title}</Link> <span className="quiet">{citation.pages.length > 0 && pagesInWords(citation.pages)}</span>
                <blockquote>{citation.quote}</blockquote>
              </div>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

function CitationMark({ citation, addressOf }: { citation: Citation | undefined; addressOf: (citation: Citation) => string }) {
  if (!citation) return null;
  return (
    <Link href={addressOf(citation)} className="citation-mark" title={`${citation.title}: “${citation.quote}”`} aria-label={`Source ${citation.number}: ${citation.title}`}>
      {citation.number}
    </Link>
  );
}

function providerInWords(provider: string): string {
  return provider === "extractive" ? "Quoted from the documents" : `Written by ${provider} from the sources below`;
}

function Abstention({ answer }: { answer: Answer }) {
  const { nearest } = answer;
  return (
    <>
      <section className="card answer abstained" aria-label="No answer">
        <h2><Icon name="pause" /> The documents do not contain an answer</h2>
        <p>{sentence(answer.reason ?? "No passage supports an answer.")}</p>
        <Warnings warnings={answer.warnings} />
      </section>
      {nearest.length > 0 && (
        <section className="card" aria-labelledby="nearest">
          <div className="card-head"><h2 id="nearest">Closest passages</h2></div>
          <ol className="passages">{nearest.map((hit) => <li key={hit.chunk_id}><Passage hit={hit} /></li>)}</ol>
        </section>
      )}
    </>
  );
}
