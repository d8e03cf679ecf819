/** The actions for one document. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { deactivateDocument, deleteDocument, linkToOriginal, linkToPdf, listDocumentTypes, readText, rerunDocument, retryDocument } from "../../api/endpoints.ts";
import { ApiError, messageOf } from "../../api/problem.ts";
import type { DocumentDetail } from "../../api/types.ts";
import { Button, Confirm, Dialog, Field } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { wantsPassword } from "../../format/failures.ts";
import { saveText, startDownload } from "../../live/download.ts";
import { showNotice } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { PasswordDialog } from "./PasswordDialog.tsx";
import { UpdateDialog } from "./UpdateDialog.tsx";

export function Actions({ detail }: { detail: DocumentDetail }) {
  const { role } = useMe();
  const [dialog, setDialog] = useState<"password" | "rerun" | "update" | "withdraw" | "delete" | null>(null);
  const close = useCallback(() => setDialog(null), []);
  const [, navigate] = useLocation();
  const act = useAction(detail.doc_id);
  const id = detail.doc_id;
  const isLocked = wantsPassword(detail.error_code);
  const isProcessing = detail.status === "uploaded" || detail.status === "processing";
  return (
    <div className="button-row">
      {isLocked && may(role, "rerun") && <Button icon="key" kind="primary" onClick={() => setDialog("password")}>Enter password</Button>}
      {detail.status === "failed" && !isLocked && may(role, "rerun") && (
        <Button icon="refresh" kind="primary" onClick={() => act.mutate({ run: () => retryDocument(id), done: "Retrying the document." })}>Retry</Button>
      )}
      <Menu label="Download" icon="download">
        <MenuItem onSelect={() => act.mutate({ run: async () => startDownload(await linkToOriginal(id)) })}>Original</MenuItem>
        {detail.file_kind !== "pdf" && <MenuItem onSelect={() => act.mutate({ run: async () => startDownload(await linkToPdf(id)) })}>PDF</MenuItem>}
        <MenuItem onSelect={() => act.mutate({ run: async () => saveText(await readText(id, "text"), `${detail.filename}.txt`) })}>Text</MenuItem>
        <MenuItem onSelect={() => act.mutate({ run: async () => saveText(await readText(id, "markdown"), `${detail.filename}.md`) })}>Markdown</MenuItem>
      </Menu>
      {(may(role, "rerun") || may(role, "deactivate")) && (
        <Menu label="More" icon="down">
          {may(role, "rerun") && <MenuItem isDisabled={isProcessing} onSelect={() => setDialog("rerun")}>Rerun…</MenuItem>}
          {may(role, "rerun") && <MenuItem onSelect={() => setDialog("update")}>Upload a new version…</MenuItem>}
          {may(role, "deactivate") && <MenuItem isDisabled={detail.status === "inactive"} onSelect={() => setDialog("withdraw")}>Withdraw…</MenuItem>}
          {may(role, "deactivate") && <MenuItem onSelect={() => setDialog("delete")}>Delete…</MenuItem>}
        </Menu>
      )}
      {dialog === "password" && <PasswordDialog id={id} title={detail.title} onClose={close} />}
      {dialog === "rerun" && <RerunDialog detail={detail} onClose={close} onRerun={(request) => act.mutate({ run: () => rerunDocument(id, request), done: "Rerun queued. The current version stays available until it succeeds." })} />}
      {dialog === "update" && <UpdateDialog detail={detail} onClose={close} />}
      {dialog === "withdraw" && (
        <Confirm title="Withdraw this document?" action="Withdraw" onClose={close} onConfirm={() => act.mutate({ run: () => deactivateDocument(id), done: "Document withdrawn." })}>
          <p>Docket keeps the document and its history, but search and answers no longer use it.</p>
        </Confirm>
      )}
      {dialog === "delete" && (
        <Confirm title="Delete this document?" action="Delete" onClose={close} onConfirm={() => act.mutate({ run: () => deleteDocument(id).then(() => navigate("/documents")), done: "Document deleted." })}>
          <p>No one can open or find any version of it, and links to it stop working. Only an administrator can restore it, by uploading the file again. The audit log keeps a record of it.</p>
        </Confirm>
      )}
    </div>
  );
}

interface DocumentAction {
  run: () => Promise<unknown>;
  /** The message when it succeeded. */
  done?: string;
}

function useAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ run }: DocumentAction) => run(),
    onSuccess: (_, { done }) => {
      if (done) showNotice({ tone: "good", text: done });
      for (const queryKey of [["document", id], ["documents"], ["summary"]]) void client.invalidateQueries({ queryKey });
    },
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error), trace: error instanceof ApiError ? error.problem.trace_id : undefined }),
  });
}

/** The first stage that depends on the document type. */
const FIRST_OF_EXTRACTION = "parse";

function RerunDialog({ detail, onClose, onRerun }: { detail: DocumentDetail; onClose: () => void; onRerun: (request: { from_stage?: string; reason?: string; password?: string; document_type?: string }) => void }) {
  const [stage, setStage] = useState("");
  const [reason, setReason] = useState("");
  const [password, setPassword] = useState("");
  const [type, setType] = useState("");
  const types = useQuery({ queryKey: ["document-types"], queryFn: listDocumentTypes });
  const later = detail.runs[0]?.pipeline.slice(1) ?? [];
  const chooseType = (name: string) => {
    setType(name);
    // Another type needs no other reading of the pages.
    if (stage === "" && later.includes(FIRST_OF_EXTRACTION)) setStage(FIRST_OF_EXTRACTION);
  };
  return (
    <Dialog title="Rerun this document" onClose={onClose}>
      <Field label="Start at" note="A later stage reuses the results of the stages before it.">
        <select className="input" value={stage} onChange={(event) => setStage(event.target.value)}>
          <option value="">the first stage</option>
          {later.map((name) => <option key={name}>{name}</option>)}
        </select>
      </Field>
      <Field label="Document type" note="Decides which fields Docket extracts.">
        <select className="input" value={type} onChange={(event) => chooseType(event.target.value)}>
          <option value="">as in the previous run</option>
          <option value="auto">recognised automatically</option>
          {types.data?.items.map(({ name, title }) => <option key={name} value={name}>{title}</option>)}
        </select>
      </Field>
      <Field label="Password" note="Only for an encrypted file. Docket stores it encrypted and never shows it.">
        <input className="input" type="password" autoComplete="off" value={password} onChange={(event) => setPassword(event.target.value)} />
      </Field>
      <Field label="Reason" note="Recorded in the audit log.">
        <input className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          onClick={() => {
            onRerun({ from_stage: stage || undefined, reason: reason || undefined, password: password || undefined, document_type: type || undefined });
            onClose();
          }}
        >
          Rerun
        </Button>
      </div>
    </Dialog>
  );
}

function Menu({ label, icon, children }: { label: string; icon: "download" | "down"; children: ReactNode }) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const closeOutside = (event: Event) => {
      const menu = element.current;
      if (menu?.open && !(event.target instanceof Node && menu.contains(event.target))) menu.open = false;
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, []);
  return (
    <details
      ref={element}
      className="menu"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !element.current) return;
        element.current.open = false;
        element.current.querySelector("summary")?.focus();
      }}
      onClick={(event) => {
        if (element.current && event.target instanceof Element && event.target.closest(".menu-items")) element.current.open = false;
      }}
    >
      <summary className="button">{icon === "download" && <Icon name="download" />}{label}<Icon name="down" /></summary>
      <div className="menu-items">{children}</div>
    </details>
  );
}

function MenuItem({ onSelect, isDisabled = false, children }: { onSelect: () => void; isDisabled?: boolean; children: ReactNode }) {
  return <button type="button" disabled={isDisabled} onClick={onSelect}>{children}</button>;
}
