/** Asks for the password of an encrypted document, runs the document again with it, and says when it is the wrong one. */
import "./password-dialog.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { findDocument, rerunDocument } from "../../api/endpoints.ts";
import { Button, Dialog, Field, ProblemNote } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { tell } from "../../live/notices.ts";
import { openingOf } from "./password.ts";

interface PasswordDialogProps {
  id: string;
  title: string;
  onClose: () => void;
}

/** Events say when the run has ended; asking again is for when they do not come. */
const ASK_AGAIN_MS = 2_000;

export function PasswordDialog({ id, title, onClose }: PasswordDialogProps) {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const begin = useMutation({
    mutationFn: () => rerunDocument(id, { reason: "the password was entered", password }),
    onSuccess: () => {
      for (const queryKey of [["document", id], ["documents"], ["dead"], ["queues"], ["summary"]]) void client.invalidateQueries({ queryKey });
    },
  });
  const runId = begin.data?.run_id;
  const detail = useQuery({ queryKey: ["document", id], queryFn: () => findDocument(id), enabled: runId !== undefined, refetchInterval: ASK_AGAIN_MS });
  const opening = runId === undefined ? null : openingOf(detail.data, runId);
  useEffect(() => {
    if (opening !== "opened" && opening !== "failed") return;
    if (opening === "opened") tell({ tone: "good", text: "The password opens the file. The document is being read." });
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
        <p>“{title}” is encrypted. With its password the document is run again.</p>
        <Field label="Password of the file" note="It is stored encrypted, and only for as long as the document needs it.">
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
        {opening === "wrong" && <p className="password-wrong" role="alert"><Icon name="alert" /> This password does not open the file.</p>}
        {begin.error && <ProblemNote error={begin.error} />}
        {isBusy && <p className="quiet" role="status">Opening the file… You can close this; the document goes on.</p>}
        <div className="dialog-foot">
          <Button onClick={onClose}>{isBusy ? "Close" : "Cancel"}</Button>
          <Button kind="primary" type="submit" disabled={isBusy || password === ""}>Open</Button>
        </div>
      </form>
    </Dialog>
  );
}
