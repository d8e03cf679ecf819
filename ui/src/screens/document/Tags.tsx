import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { tagDocument } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

export function Tags({ id, tags }: { id: string; tags: readonly string[] }) {
  const { role } = useMe();
  const client = useQueryClient();
  const [added, setAdded] = useState("");
  const change = useMutation({
    mutationFn: (next: readonly string[]) => tagDocument(id, next),
    onSuccess: () => setAdded(""),
    onError: (error) => tell({ tone: "bad", text: messageOf(error) }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["document", id] }),
  });
  const canChange = may(role, "upload");
  return (
    <form
      className="tags-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (added.trim()) change.mutate([...new Set([...tags, added.trim()])]);
      }}
    >
      {tags.map((tag) => (
        <span key={tag} className="badge plain">
          {tag}
          {canChange && <button type="button" className="tag-remove" aria-label={`Remove ${tag}`} onClick={() => change.mutate(tags.filter((kept) => kept !== tag))}>×</button>}
        </span>
      ))}
      {canChange
        ? <input className="input" aria-label="Add a tag" placeholder="Add a tag" maxLength={100} value={added} disabled={change.isPending} onChange={(event) => setAdded(event.target.value)} />
        : tags.length === 0 && <span className="quiet">none</span>}
    </form>
  );
}
