import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { renameDocument } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { DocumentDetail } from "../../api/types.ts";
import { Button, IconButton } from "../../design/basics.tsx";
import { showNotice } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

/** The server's limit. */
const MAX_TITLE_LENGTH = 300;

/** The title of a document, editable where the role allows it. Editors rename for everyone, other owners for themselves. */
export function EditableTitle({ detail }: { detail: Pick<DocumentDetail, "doc_id" | "title" | "filename"> }) {
  const { role } = useMe();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <TitleForm detail={detail} onClose={() => setEditing(false)} />;
  return (
    <div className="title-line">
      <h1 title={detail.filename}>{detail.title}</h1>
      {may(role, "rename") && <IconButton icon="edit" label="Rename" onClick={() => setEditing(true)} />}
    </div>
  );
}

function TitleForm({ detail, onClose }: { detail: Pick<DocumentDetail, "doc_id" | "title">; onClose: () => void }) {
  const client = useQueryClient();
  const [title, setTitle] = useState(detail.title);
  const rename = useMutation({
    mutationFn: () => renameDocument(detail.doc_id, title),
    onSuccess: ({ title: saved }) => {
      client.setQueryData<DocumentDetail>(["document", detail.doc_id], (shown) => shown && { ...shown, title: saved });
      // Every list shows titles, and the event stream may be down.
      for (const queryKey of [["document", detail.doc_id], ["documents"], ["fresh"], ["dead"], ["jobs"]]) void client.invalidateQueries({ queryKey });
      onClose();
    },
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (title.trim() === detail.title) onClose();
    else rename.mutate();
  };
  return (
    <form className="title-form" onSubmit={submit}>
      <h1 className="visually-hidden">{detail.title}</h1>
      <input
        className="input"
        aria-label="Title"
        maxLength={MAX_TITLE_LENGTH}
        required
        autoFocus
        value={title}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onClose()}
      />
      <Button kind="primary" type="submit" disabled={rename.isPending || !title.trim()}>Save</Button>
      <Button onClick={onClose}>Cancel</Button>
    </form>
  );
}
