/** One document: its pages on the left, their content on the right. */
import "./document.css";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { findDocument, readPage } from "../../api/endpoints.ts";
import { ApiError, isNotFound } from "../../api/problem.ts";
import type { DocumentDetail, PageView } from "../../api/types.ts";
import { Badge, Empty, ProblemNote, sentence, Skeleton, SkeletonRows, StatusBadge, TabList } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { useKeys } from "../../design/keyboard.ts";
import { wantsPassword } from "../../format/failures.ts";
import { waitingFor } from "../../format/waiting.ts";
import { progressOf } from "../../live/live.ts";
import { useStorePart } from "../../live/store.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { Actions } from "./Actions.tsx";
import { AskDocument } from "./AskDocument.tsx";
import { Details } from "./Details.tsx";
import { newFocus, type Focus } from "./focus.ts";
import { passageOf, type Passage } from "./highlight.ts";
import { History } from "./History.tsx";
import { MarkdownText, Pairs, Tables } from "./OtherTabs.tsx";
import { PageText } from "./PageText.tsx";
import { PageViewFrame, usePageView } from "./PageViewFrame.tsx";
import { PageViewer } from "./PageViewer.tsx";
import { PartsLine } from "./Parts.tsx";
import { marksOnPage, type BoxMark } from "./result/fields.ts";
import { ResultPanel } from "./result/ResultPanel.tsx";
import { useResult } from "./result/use-result.ts";
import { reportedProgress } from "./runs.ts";
import { TagLinks } from "./Tags.tsx";
import { EditableTitle } from "./Title.tsx";
import { usePageOfQuote } from "./use-page-of-quote.ts";

const TABS = ["text", "fields", "ask", "markdown", "tables", "history", "details"] as const;
type Tab = (typeof TABS)[number];
const TAB_LABELS: Record<Tab, string> = { text: "Text", ask: "Ask", markdown: "Markdown", tables: "Tables", fields: "Fields", history: "History", details: "Details" };

const NO_PASSAGE: Passage = { words: [], boxes: [], hasQuote: false };
const NO_MARKS: readonly BoxMark[] = [];

export default function DocumentScreen({ id }: { id: string }) {
  const detail = useQuery({ queryKey: ["document", id], queryFn: () => findDocument(id) });
  useEffect(() => {
    if (detail.data) document.title = `${detail.data.title} · Docket`;
  }, [detail.data]);
  if (detail.error && isMissingDocument(detail.error)) {
    return (
      <Empty isPage icon="documents" title="Document not found">
        <p>This document was deleted, or you don’t have access. <Link href="/documents">All documents</Link></p>
      </Empty>
    );
  }
  if (detail.error && !detail.data) return <div className="screen"><ProblemNote error={detail.error} onRetry={() => void detail.refetch()} /></div>;
  return (
    <div className="document screen-full">
      <header className="document-head">
        <Link href="/documents" className="button bare square" aria-label="All documents" title="All documents"><Icon name="left" /></Link>
        <div className="document-title">
          {detail.data ? <EditableTitle detail={detail.data} /> : <h1><Skeleton width="12rem" height="1.5rem" /></h1>}
          {detail.data && <StatusLine detail={detail.data} />}
        </div>
        {detail.data && <Actions detail={detail.data} />}
      </header>
      {detail.data ? <Panes detail={detail.data} /> : <SkeletonRows />}
    </div>
  );
}

/** The server refuses a malformed id with 400; for the user that is a missing document too. */
function isMissingDocument(error: Error): boolean {
  return isNotFound(error) || (error instanceof ApiError && error.problem.status === 400);
}

function StatusLine({ detail }: { detail: DocumentDetail }) {
  const progress = useStorePart(progressOf, (all) => all.get(detail.doc_id)) ?? reportedProgress(detail.runs[0]);
  const waiting = waitingFor(detail.runs[0]?.stages.find((stage) => stage.waiting_for != null)?.waiting_for);
  return (
    <div className="document-state">
      <StatusBadge status={detail.status} />
      {progress?.stage && <span className="quiet">{progress.stage}{progress.total > 0 && ` ${progress.done} of ${progress.total}`}</span>}
      {waiting && <Badge tone="warn">{waiting}</Badge>}
      {detail.error && <span className="run-error" title={detail.error}>{sentence(detail.error)}</span>}
      <TagLinks tags={detail.tags} />
      <PartsLine parts={detail.parts} rest={`/documents/${detail.doc_id}?tab=details`} />
    </div>
  );
}

function Panes({ detail }: { detail: DocumentDetail }) {
  const [params, setParams] = useSearchParams();
  const mayAsk = may(useMe().role, "ask");
  const tabs = TABS.filter((known) => known !== "ask" || mayAsk);
  const tab = tabs.find((known) => known === params.get("tab")) ?? (detail.status === "failed" ? "history" : "text");
  const number = Math.max(1, Math.trunc(Number(params.get("page") ?? 1)) || 1);
  const [focus] = useState(newFocus);
  const isRead = detail.doc_version_id != null;
  const page = useQuery({ queryKey: ["document", detail.doc_id, "page", number], queryFn: () => readPage(detail.doc_id, number), enabled: isRead });
  const setAll = (values: Record<string, string>) => setParams((now) => {
    const next = new URLSearchParams(now);
    for (const [name, value] of Object.entries(values)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    return next;
  }, { replace: true });
  const set = (name: string, value: string) => setAll({ [name]: value });
  const goTo = (to: number) => {
    if (to !== number) focus.chosen.set(null);
    set("page", String(to));
  };
  const step = (by: number) => set("tab", tabs[(tabs.indexOf(tab) + by + tabs.length) % tabs.length] ?? "text");
  useKeys({ "[": () => step(-1), "]": () => step(1), ...(mayAsk && { q: () => set("tab", "ask") }) });
  const [at, quote] = [params.get("at"), params.get("quote")];
  const passage = useMemo(() => (page.data ? passageOf(page.data, at, quote) : NO_PASSAGE), [page.data, at, quote]);
  usePageOfQuote({ id: detail.doc_id, at, quote, page: page.data, isOnPage: passage.hasQuote, onFound: goTo });
  const hasPicture = page.data === undefined || page.data.width != null;
  const isFields = tab === "fields";
  const shown = useResult(detail.doc_id, Math.trunc(Number(params.get("result"))) || null, isRead && isFields);
  const marks = useMemo(() => (isFields && shown.result ? marksOnPage(shown.result, number) : NO_MARKS), [isFields, shown.result, number]);
  const view = usePageView(detail.doc_id, isRead && !hasPicture);
  return (
    <div className="panes" data-one={!isRead || !(hasPicture || view !== null)}>
      {isRead && hasPicture && <LeftPane id={detail.doc_id} page={page.data} error={page.error} passage={passage} marks={marks} focus={focus} onPage={goTo} />}
      {isRead && view !== null && <PageViewFrame url={view} page={number} />}
      <section className="reading" aria-label="Content">
        <TabList label="Content" value={tab} choices={tabs.map((value) => ({ value, label: TAB_LABELS[value] }))} onChange={(value) => set("tab", value)} />
        <div className="reading-body" role="tabpanel" aria-label={TAB_LABELS[tab]} tabIndex={0}>
          {tab === "history" && <History detail={detail} />}
          {tab === "details" && <Details detail={detail} page={page.data} />}
          {tab === "ask" && (isRead
            ? <AskDocument key={params.get("q") ?? ""} id={detail.doc_id} asked={params.get("q") ?? ""} hasPicture={hasPicture} onAsk={(question) => set("q", question)} onCitation={setAll} />
            : <NotRead detail={detail} />)}
          {tab === "fields" && (isRead
            ? (
              <>
                <ResultPanel detail={detail} shown={shown} wanted={params.get("field")} focus={focus} page={number} onPage={goTo} onVersion={(version) => set("result", version === null ? "" : String(version))} />
                {page.data && <Pairs page={page.data} focus={focus} />}
              </>
            )
            : <NotRead detail={detail} />)}
          {tab !== "history" && tab !== "details" && tab !== "ask" && tab !== "fields" && (isRead
            ? <ReadTab tab={tab} detail={detail} page={page.data} error={page.error} focus={focus} passage={passage} hasPicture={hasPicture} hasView={view !== null} onPage={goTo} />
            : <NotRead detail={detail} />)}
        </div>
      </section>
    </div>
  );
}

interface LeftPaneProps {
  id: string;
  page?: PageView;
  error: Error | null;
  passage: Passage;
  marks: readonly BoxMark[];
  focus: Focus;
  onPage: (page: number) => void;
}

function LeftPane({ id, page, error, passage, marks, focus, onPage }: LeftPaneProps) {
  if (error) return <div className="viewer"><div className="card-body"><ProblemNote error={error} /></div></div>;
  if (!page) return <div className="viewer"><SkeletonRows rows={3} height="6rem" /></div>;
  return <PageViewer id={id} page={page} areas={passage.boxes} marks={marks} focus={focus} onPage={onPage} />;
}

interface ReadTabProps {
  tab: Exclude<Tab, "ask" | "fields">;
  detail: DocumentDetail;
  page?: PageView;
  error: Error | null;
  focus: Focus;
  passage: Passage;
  hasPicture: boolean;
  hasView: boolean;
  onPage: (page: number) => void;
}

function ReadTab({ tab, detail, page, error, focus, passage, hasPicture, hasView, onPage }: ReadTabProps) {
  if (tab === "markdown") return <MarkdownText id={detail.doc_id} />;
  if (error) return <ProblemNote error={error} />;
  if (!page) return <SkeletonRows />;
  if (tab === "tables") return <Tables page={page} />;
  return (
    <>
      {!hasPicture && (!hasView || page.pages > 1) && (
        <p className="no-picture quiet">
          {!hasView && "This file type has no page view."}
          {page.pages > 1 && <> Part {page.number} of {page.pages}: <button type="button" className="button" disabled={page.number <= 1} onClick={() => onPage(page.number - 1)}>Previous</button> <button type="button" className="button" disabled={page.number >= page.pages} onClick={() => onPage(page.number + 1)}>Next</button></>}
        </p>
      )}
      <PageText page={page} focus={focus} passage={passage.words} />
    </>
  );
}

function NotRead({ detail }: { detail: DocumentDetail }) {
  const { role } = useMe();
  if (wantsPassword(detail.error_code)) {
    return (
      <Empty icon="key" title={detail.error_code === "wrong_password" ? "Wrong password" : "This document is encrypted"}>
        <p>{may(role, "rerun") ? "Enter its password above." : "Upload the file again with its password."}</p>
      </Empty>
    );
  }
  if (detail.status === "failed" || detail.status === "rejected") {
    return (
      <Empty icon="alert" title="Docket couldn’t read this document">
        <p>{sentence(detail.error ?? "no error was recorded")}.</p>
        <p>History shows the stage that failed.{may(role, "attention") && <> <Link href="/attention">Needs attention</Link> says what to do.</>}</p>
      </Empty>
    );
  }
  return <Empty icon="clock" title="Processing"><p>This page updates when the document is ready.</p></Empty>;
}
