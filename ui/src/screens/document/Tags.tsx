import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { tagDocument } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import { TagField } from "../../design/TagField.tsx";
import { showNotice } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

/** The tags of a document, editable where the role allows it. */
export function EditableTags({ id, tags }: { id: string; tags: readonly string[] }) {
  const { role } = useMe();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (next: readonly string[]) => tagDocument(id, next),
    // One after the other: each request replaces all tags.
    scope: { id: `tags of ${id}` },
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
    onSettled: () => Promise.all([["document", id], ["fresh"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  if (!may(role, "tag")) return tags.length === 0 ? <span className="quiet">none</span> : <TagLinks tags={tags} />;
  // Shows the requested tags until the document is fetched again.
  return <TagField tags={change.isPending ? change.variables : tags} onChange={change.mutate} />;
}

/** Each tag links to the documents that have it. */
export function TagLinks({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => <Link key={tag} href={`/documents?${new URLSearchParams({ tag }).toString()}`} className="badge plain tag-link" title={`Documents tagged ${tag}`}>{tag}</Link>);
}
