/** Asks for the password of an encrypted document and reruns the document with it. */
import "./password-dialog.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { findDocument, rerunDocument } from "../../api/endpoints.ts";
import { Button, Dialog, Field, ProblemNote } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { showNotice } from "../../live/notices.ts";
import { openingOf } from "./password.ts";

interface PasswordDialogProps {
  id: string;
  title: string;
  onClose: () => void;
}

/** Events report the end of the run; polling is for when they do not arrive. */
const POLL_MS = 2_000;

export function PasswordDialog({ id, title, onClose }: PasswordDialogProps) {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const begin = useMutation({
    mutationFn: () => rerunDocument(id, { reason: "password entered", password }),
    onSuccess: () => {
      for (const queryKey of [["document", id], ["documents"], ["dead"], ["queues"], ["summary"]]) void client.invalidateQueries({ queryKey });
    },
  });
  const runId = begin.data?.run_id;
  const detail = useQuery({ queryKey: ["document", id], queryFn: () => findDocument(id), enabled: runId !== undefined, refetchInterval: POLL_MS });
  const opening = runId === undefined ? null : openingOf(detail.data, runId);
  useEffect(() => {
    if (opening !== "opened" && opening !== "failed") return;
    if (opening === "opened") showNotice({ tone: "good", text: "Password accepted. Docket is reading the document." });
    onClose();
  }, [opening, onClose]);
  const isBusy = begin.isPending || opening === "opening";
  return (
    <Dialog title="Enter password" onClose={onClose}>
      <form
        className="dialog-form password-form"
        onSubmit={(event) => {
          event.preventDefault();
          begin.mutate();
        }}
      >
        <p>“{title}” is encrypted. Enter its password to read it.</p>
        <Field label="Password of the file" note="Docket stores it encrypted, and only as long as the document needs it.">
          <input
            className="input"
            type="password"
            autoComplete="off"
            maxLength={200}
            required
            data-autofocus
            value={password}
            onChange={(event) => {
              setPassword(event.target.value);
              if (opening === "wrong") begin.reset();
            }}
          />
        </Field>
        {opening === "wrong" && <p className="password-wrong" role="alert"><Icon name="alert" /> Wrong password.</p>}
        {begin.error && <ProblemNote error={begin.error} />}
        {isBusy && <p className="quiet" role="status">Opening the file… You can close this dialog; processing continues.</p>}
        <div className="dialog-foot">
          <Button onClick={onClose}>{isBusy ? "Close" : "Cancel"}</Button>
          <Button kind="primary" type="submit" disabled={isBusy || password === ""}>Open</Button>
        </div>
      </form>
    </Dialog>
  );
}
