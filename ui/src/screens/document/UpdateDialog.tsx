/** Asks for an updated original of a document. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateOriginal } from "../../api/endpoints.ts";
import type { DocumentDetail } from "../../api/types.ts";
import { Button, Dialog, Field, ProblemNote } from "../../design/basics.tsx";
import { showNotice } from "../../live/notices.ts";

export function UpdateDialog({ detail, onClose }: { detail: Pick<DocumentDetail, "doc_id" | "title" | "file_kind">; onClose: () => void }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [reason, setReason] = useState("");
  const [password, setPassword] = useState("");
  const update = useMutation({
    mutationFn: (chosen: File) => updateOriginal(detail.doc_id, { file: chosen, reason: reason || undefined, password: password || undefined }),
    onSuccess: () => {
      showNotice({ tone: "good", text: "Docket is reading the new version. The current one stays available until it is ready." });
      for (const queryKey of [["document", detail.doc_id], ["documents"], ["summary"]]) void client.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <Dialog title="Upload a new version" onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (file) update.mutate(file);
        }}
      >
        <p>The file becomes the new version of “{detail.title}”. Title, tags and history stay.</p>
        <Field label="File" note={`It must be a ${detail.file_kind} file, like the document.`}>
          <input className="input" type="file" required data-autofocus onChange={(event) => setFile(event.target.files?.[0] ?? null)} />
        </Field>
        <Field label="Password" note="Only for an encrypted file.">
          <input className="input" type="password" autoComplete="off" maxLength={200} value={password} onChange={(event) => setPassword(event.target.value)} />
        </Field>
        <Field label="Reason" note="Recorded in the audit log.">
          <input className="input" maxLength={1000} value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
        {update.error && <ProblemNote error={update.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!file || update.isPending}>Upload</Button>
        </div>
      </form>
    </Dialog>
  );
}
