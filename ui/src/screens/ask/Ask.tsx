/** Searches for passages, or asks a question and shows the answer with its sources. */
import "./ask.css";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";
import { useSearchParams } from "wouter";
import type { SearchFilters } from "../../api/types.ts";
import { Button, Empty, Segmented } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { useMe } from "../../session/session.ts";
import { AnswerView } from "./AnswerView.tsx";
import { historyKey, readHistory, withEntry, type HistoryEntry } from "./history.ts";
import { SearchResults } from "./SearchResults.tsx";

const MODES = [{ value: "ask", label: "Ask" }, { value: "search", label: "Search" }] as const;
const TYPES = ["pdf", "docx", "xlsx", "pptx", "html", "md", "txt", "eml", "png", "jpg", "tiff", "xml"];

export default function Ask() {
  const [params, setParams] = useSearchParams();
  const mode = params.get("mode") === "search" ? "search" : "ask";
  const asked = params.get("q") ?? "";
  const limits = { type: params.get("type") ?? "", tag: params.get("tag") ?? "" };
  const [history, remember, forget] = useHistory();
  const submit = (text: string, how: HistoryEntry["mode"], { type, tag }: Limits = limits) => {
    if (!text.trim()) return;
    remember({ mode: how, text: text.trim(), at: new Date().toISOString() });
    setParams({ q: text.trim(), mode: how, ...(type && { type }), ...(tag.trim() && { tag: tag.trim() }) });
  };
  const filters: SearchFilters = { ...(limits.type && { types: [limits.type] }), ...(limits.tag && { tags: [limits.tag] }) };
  return (
    <div className="screen ask">
      <QuestionForm key={[mode, asked, limits.type, limits.tag].join(" ")} mode={mode} asked={asked} limits={limits} onSubmit={submit} />
      {asked === ""
        ? <History history={history} onPick={(item) => submit(item.text, item.mode)} onForget={forget} />
        : mode === "ask" ? <AnswerView key={[asked, limits.type, limits.tag].join(" ")} question={asked} filters={filters} /> : <SearchResults query={asked} filters={filters} />}
    </div>
  );
}

/** Filters; empty for all documents. */
interface Limits {
  type: string;
  tag: string;
}

interface QuestionFormProps {
  mode: HistoryEntry["mode"];
  asked: string;
  limits: Limits;
  onSubmit: (text: string, mode: HistoryEntry["mode"], limits: Limits) => void;
}

function QuestionForm({ mode: first, asked, limits: firstLimits, onSubmit }: QuestionFormProps) {
  const [text, setText] = useState(asked);
  const [mode, setMode] = useState(first);
  const [limits, setLimits] = useState(firstLimits);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (asked === "") field.current?.focus();
  }, [asked]);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSubmit(text, mode, limits);
  };
  return (
    <form className="question" onSubmit={submit}>
      <h1>{mode === "ask" ? "Ask your documents" : "Search your documents"}</h1>
      <div className="question-box">
        <label className="visually-hidden" htmlFor="question">{mode === "ask" ? "Question" : "Search words"}</label>
        <textarea
          ref={field}
          id="question"
          data-search
          rows={2}
          placeholder={mode === "ask" ? "When does the lease end, and what does it cost to leave early?" : "lease termination fee"}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            onSubmit(text, mode, limits);
          }}
        />
        <div className="question-bar">
          <Segmented label="What to do" value={mode} choices={MODES} onChange={setMode} />
          <label className="question-type">
            <span className="visually-hidden">Only documents of type</span>
            <select className="input" value={limits.type} onChange={(event) => setLimits({ ...limits, type: event.target.value })}>
              <option value="">All types</option>
              {TYPES.map((name) => <option key={name}>{name}</option>)}
            </select>
          </label>
          <input className="input question-tag" aria-label="Only documents with the tag" placeholder="Any tag" maxLength={100} value={limits.tag} onChange={(event) => setLimits({ ...limits, tag: event.target.value })} />
          <Button kind="primary" type="submit" icon={mode === "ask" ? "send" : "search"} disabled={!text.trim()}>{mode === "ask" ? "Ask" : "Search"}</Button>
        </div>
      </div>
    </form>
  );
}

function useHistory(): [HistoryEntry[], (asked: HistoryEntry) => void, () => void] {
  const key = historyKey(useMe().id);
  const [history, setHistory] = useState(() => readHistory(localStorage.getItem(key)));
  const keep = (next: HistoryEntry[]) => {
    setHistory(next);
    localStorage.setItem(key, JSON.stringify(next));
  };
  return [history, (asked) => keep(withEntry(history, asked)), () => keep([])];
}

function History({ history, onPick, onForget }: { history: readonly HistoryEntry[]; onPick: (item: HistoryEntry) => void; onForget: () => void }) {
  if (history.length === 0) {
    return (
      <Empty icon="quote" title="Every answer cites its sources">
        <p>Ask in your own words. Each sentence of an answer links to its source on the page. If the documents do not contain an answer, Docket says so and shows the closest passages.</p>
      </Empty>
    );
  }
  return (
    <section className="card" aria-labelledby="past">
      <div className="card-head">
        <h2 id="past">Earlier questions and searches</h2>
        <Button kind="bare" onClick={onForget}>Clear history</Button>
      </div>
      <ul className="past">
        {history.map((item) => (
          <li key={`${item.mode} ${item.text}`}>
            <button type="button" onClick={() => onPick(item)}>
              <Icon name={item.mode === "ask" ? "quote" : "search"} />
              <span>{item.text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
