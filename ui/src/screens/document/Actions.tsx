/** What can be done with one document. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { deactivateDocument, deleteDocument, linkToOriginal, linkToPdf, readText, rerunDocument, retryDocument } from "../../api/endpoints.ts";
import { ApiError, messageOf } from "../../api/problem.ts";
import type { DocumentDetail } from "../../api/types.ts";
import { Button, Confirm, Dialog, Field } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { wantsPassword } from "../../format/failures.ts";
import { saveText, startDownload } from "../../live/download.ts";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { PasswordDialog } from "./PasswordDialog.tsx";
import { UpdateDialog } from "./UpdateDialog.tsx";

export function Actions({ detail }: { detail: DocumentDetail }) {
  const { role } = useMe();
  const [asking, setAsking] = useState<"password" | "rerun" | "update" | "withdraw" | "delete" | null>(null);
  const close = useCallback(() => setAsking(null), []);
  const [, navigate] = useLocation();
  const act = useAction(detail.doc_id);
  const id = detail.doc_id;
  const isLocked = wantsPassword(detail.error_code);
  const isUnderWay = detail.status === "uploaded" || detail.status === "processing";
  return (
    <div className="button-row">
      {isLocked && may(role, "rerun") && <Button icon="key" kind="primary" onClick={() => setAsking("password")}>Enter password</Button>}
      {detail.status === "failed" && !isLocked && may(role, "rerun") && (
        <Button icon="refresh" kind="primary" onClick={() => act.mutate({ run: () => retryDocument(id), said: "The document is tried again." })}>Retry</Button>
      )}
      <Menu label="Download" icon="download">
        <MenuItem onSelect={() => act.mutate({ run: async () => startDownload(await linkToOriginal(id)) })}>Original</MenuItem>
        {detail.file_kind !== "pdf" && <MenuItem onSelect={() => act.mutate({ run: async () => startDownload(await linkToPdf(id)) })}>PDF</MenuItem>}
        <MenuItem onSelect={() => act.mutate({ run: async () => saveText(await readText(id, "text"), `${detail.filename}.txt`) })}>Text</MenuItem>
        <MenuItem onSelect={() => act.mutate({ run: async () => saveText(await readText(id, "markdown"), `${detail.filename}.md`) })}>Markdown</MenuItem>
      </Menu>
      {(may(role, "rerun") || may(role, "deactivate")) && (
        <Menu label="More" icon="down">
          {may(role, "rerun") && <MenuItem isDisabled={isUnderWay} onSelect={() => setAsking("rerun")}>Rerun…</MenuItem>}
          {may(role, "rerun") && <MenuItem onSelect={() => setAsking("update")}>Upload a new version…</MenuItem>}
          {may(role, "deactivate") && <MenuItem isDisabled={detail.status === "inactive"} onSelect={() => setAsking("withdraw")}>Withdraw…</MenuItem>}
          {may(role, "deactivate") && <MenuItem onSelect={() => setAsking("delete")}>Delete…</MenuItem>}
        </Menu>
      )}
      {asking === "password" && <PasswordDialog id={id} title={detail.title} onClose={close} />}
      {asking === "rerun" && <RerunDialog detail={detail} onClose={close} onRerun={(request) => act.mutate({ run: () => rerunDocument(id, request), said: "A new run is queued. What is served stays served until it succeeds." })} />}
      {asking === "update" && <UpdateDialog detail={detail} onClose={close} />}
      {asking === "withdraw" && (
        <Confirm title="Withdraw this document?" action="Withdraw" onClose={close} onConfirm={() => act.mutate({ run: () => deactivateDocument(id), said: "The document is withdrawn." })}>
          <p>It stays stored, with its history, but nobody finds it any more and no answer uses it.</p>
        </Confirm>
      )}
      {asking === "delete" && (
        <Confirm title="Delete this document?" action="Delete" onClose={close} onConfirm={() => act.mutate({ run: () => deleteDocument(id).then(() => navigate("/documents")), said: "The document is deleted." })}>
          <p>Nobody can see, find or read it any more, in any version, and links to it stop working. Only an administrator can bring it back, by uploading it again. The audit log keeps that it was here.</p>
        </Confirm>
      )}
    </div>
  );
}

interface Act {
  run: () => Promise<unknown>;
  said?: string;
}

function useAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ run }: Act) => run(),
    onSuccess: (_, { said }) => {
      if (said) tell({ tone: "good", text: said });
      for (const queryKey of [["document", id], ["documents"], ["summary"]]) void client.invalidateQueries({ queryKey });
    },
    onError: (error) => tell({ tone: "bad", text: messageOf(error), trace: error instanceof ApiError ? error.problem.trace_id : undefined }),
  });
}

function RerunDialog({ detail, onClose, onRerun }: { detail: DocumentDetail; onClose: () => void; onRerun: (request: { from_stage?: string; reason?: string; password?: string }) => void }) {
  const [stage, setStage] = useState("");
  const [reason, setReason] = useState("");
  const [password, setPassword] = useState("");
  return (
    <Dialog title="Rerun this document" onClose={onClose}>
      <Field label="Begin at" note="A later stage takes over what the stages before it left in the last run.">
        <select className="input" value={stage} onChange={(event) => setStage(event.target.value)}>
          <option value="">the beginning</option>
          {detail.runs[0]?.pipeline.slice(1).map((name) => <option key={name}>{name}</option>)}
        </select>
      </Field>
      <Field label="Password" note="Only for a file that is locked. It opens the original and is shown nowhere.">
        <input className="input" type="password" autoComplete="off" value={password} onChange={(event) => setPassword(event.target.value)} />
      </Field>
      <Field label="Reason" note="It is kept in the audit log.">
        <input className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          onClick={() => {
            onRerun({ from_stage: stage || undefined, reason: reason || undefined, password: password || undefined });
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
