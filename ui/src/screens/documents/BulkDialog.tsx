/** One action on the selected documents: asks first, shows the progress, and then says which documents failed and why. */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { deactivateDocument, deleteDocument, findDocument, rerunDocument, tagDocument } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { DocumentView } from "../../api/types.ts";
import { Button, Dialog, sentence } from "../../design/basics.tsx";
import { TagField } from "../../design/TagField.tsx";
import { counted } from "../../format/numbers.ts";
import { showNotice } from "../../live/notices.ts";
import { forEachOf, tagsAfter, type BulkOutcome } from "./bulk.ts";

export type BulkAction = "tag" | "rerun" | "withdraw" | "delete";

interface Wording {
  title: (amount: string) => string;
  note: string;
  button: string;
  done: string;
}

const WORDING: Record<BulkAction, Wording> = {
  tag: {
    title: (amount) => `Change the tags of ${amount}`,
    note: "Other tags of these documents stay.",
    button: "Change tags",
    done: "tagged",
  },
  rerun: {
    title: (amount) => `Rerun ${amount}?`,
    note: "Each document is processed again. What is ready stays ready until its new run succeeds.",
    button: "Rerun",
    done: "queued for a rerun",
  },
  withdraw: {
    title: (amount) => `Withdraw ${amount}?`,
    note: "Searches and answers no longer use withdrawn documents. They stay stored, with their history.",
    button: "Withdraw",
    done: "withdrawn",
  },
  delete: {
    title: (amount) => `Delete ${amount}?`,
    note: "Nobody can see, find or read deleted documents any more, in any version, and links to them stop working. Only an administrator can bring one back, by uploading it again.",
    button: "Delete",
    done: "deleted",
  },
};

interface BulkDialogProps {
  action: BulkAction;
  rows: readonly DocumentView[];
  /** `isDone`: the action ran, so the selection is no longer needed. */
  onClose: (isDone: boolean) => void;
}

export function BulkDialog({ action, rows: selected, onClose }: BulkDialogProps) {
  // The list may change while the action runs: the dialog is about what was selected.
  const [rows] = useState(selected);
  const client = useQueryClient();
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const [isRunning, setRunning] = useState(false);
  const stop = useRef(new AbortController());
  const wording = WORDING[action];
  const amount = counted(rows.length, "document");

  const run = async () => {
    setRunning(true);
    const result = await forEachOf(rows.map((row) => row.doc_id), act, setOutcome, stop.current.signal);
    setRunning(false);
    setOutcome(result);
    for (const queryKey of [["documents"], ["fresh"], ["summary"], ["search"], ...rows.map((row) => ["document", row.doc_id])]) void client.invalidateQueries({ queryKey });
    if (result.done > 0) showNotice({ tone: "good", text: `${counted(result.done, "document")} ${wording.done}.` });
    if (result.failed.length === 0) onClose(true);
  };
  const act = async (id: string): Promise<unknown> => {
    switch (action) {
      case "tag": {
        // The route replaces all tags, so those that the document has now are read first.
        const { tags } = await findDocument(id);
        return tagDocument(id, tagsAfter(tags, added, removed));
      }
      case "rerun":
        return rerunDocument(id, { reason: "rerun from the list of documents" });
      case "withdraw":
        return deactivateDocument(id);
      case "delete":
        return deleteDocument(id);
    }
  };

  if (isRunning) return <Running amount={rows.length} outcome={outcome} onStop={() => stop.current.abort()} />;
  if (outcome) return <Result rows={rows} outcome={outcome} wording={wording} onClose={() => onClose(true)} />;
  const isReady = action !== "tag" || added.length + removed.length > 0;
  return (
    <Dialog title={wording.title(amount)} onClose={() => onClose(false)}>
      <p>{wording.note}</p>
      {action === "tag" && <TagChoice rows={rows} added={added} removed={removed} onAdd={setAdded} onRemove={setRemoved} />}
      {action !== "tag" && <Titles rows={rows} />}
      <div className="dialog-foot">
        <Button onClick={() => onClose(false)}>Cancel</Button>
        <Button kind={action === "delete" || action === "withdraw" ? "danger" : "primary"} disabled={!isReady} onClick={() => void run()}>
          {action === "tag" ? wording.button : `${wording.button} ${amount}`}
        </Button>
      </div>
    </Dialog>
  );
}

const NAMED = 5;

function Titles({ rows }: { rows: readonly DocumentView[] }) {
  return (
    <ul className="bulk-titles">
      {rows.slice(0, NAMED).map((row) => <li key={row.doc_id} className="truncate" title={row.title}>{row.title}</li>)}
      {rows.length > NAMED && <li className="quiet">and {counted(rows.length - NAMED, "other")}</li>}
    </ul>
  );
}

interface TagChoiceProps {
  rows: readonly DocumentView[];
  added: readonly string[];
  removed: readonly string[];
  onAdd: (tags: readonly string[]) => void;
  onRemove: (tags: readonly string[]) => void;
}

function TagChoice({ rows, added, removed, onAdd, onRemove }: TagChoiceProps) {
  const present = [...new Set(rows.flatMap((row) => row.tags))].sort();
  return (
    <>
      <div className="field" role="group" aria-label="Tags to add">
        <span>Add</span>
        <TagField tags={added} onChange={onAdd} />
      </div>
      {present.length > 0 && (
        <div className="field" role="group" aria-label="Tags to remove">
          <span>Remove</span>
          <div className="tag-choice">
            {present.map((tag) => {
              const isOn = removed.includes(tag);
              return <Button key={tag} aria-pressed={isOn} onClick={() => onRemove(isOn ? removed.filter((other) => other !== tag) : [...removed, tag])}>{tag}</Button>;
            })}
          </div>
        </div>
      )}
    </>
  );
}

function Running({ amount, outcome, onStop }: { amount: number; outcome: BulkOutcome | null; onStop: () => void }) {
  const ended = (outcome?.done ?? 0) + (outcome?.failed.length ?? 0);
  return (
    <Dialog title={`${ended} of ${amount}`} isFirm onClose={() => undefined}>
      <div className="bar" role="progressbar" aria-label="Progress" aria-valuemin={0} aria-valuemax={amount} aria-valuenow={ended}>
        <span style={{ width: `${(100 * ended) / amount}%` }} />
      </div>
      <div className="dialog-foot"><Button onClick={onStop}>Stop</Button></div>
    </Dialog>
  );
}

function Result({ rows, outcome, wording, onClose }: { rows: readonly DocumentView[]; outcome: BulkOutcome; wording: Wording; onClose: () => void }) {
  const titleOf = (id: string) => rows.find((row) => row.doc_id === id)?.title ?? id;
  return (
    <Dialog title={`${counted(outcome.failed.length, "document")} not ${wording.done}`} onClose={onClose}>
      <p>{counted(outcome.done, "document")} {wording.done}.</p>
      <ul className="bulk-failures">
        {outcome.failed.map(({ id, error }) => (
          <li key={id}>
            <Link href={`/documents/${id}`}>{titleOf(id)}</Link>
            <p className="quiet">{sentence(messageOf(error))}</p>
          </li>
        ))}
      </ul>
      <div className="dialog-foot"><Button kind="primary" onClick={onClose}>Close</Button></div>
    </Dialog>
  );
}
