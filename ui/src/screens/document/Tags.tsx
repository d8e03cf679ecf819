import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { tagDocument } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import { TagField } from "../../design/TagField.tsx";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

/** The tags of a document, for those who may change them. */
export function EditableTags({ id, tags }: { id: string; tags: readonly string[] }) {
  const { role } = useMe();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (next: readonly string[]) => tagDocument(id, next),
    // One after the other: each says all tags.
    scope: { id: `tags of ${id}` },
    onError: (error) => tell({ tone: "bad", text: messageOf(error) }),
    onSettled: () => Promise.all([["document", id], ["fresh"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  if (!may(role, "upload")) return tags.length === 0 ? <span className="quiet">none</span> : <TagLinks tags={tags} />;
  // What was asked for is shown until the document is fetched again.
  return <TagField tags={change.isPending ? change.variables : tags} onChange={change.mutate} />;
}

/** Each leads to the documents that have it. */
export function TagLinks({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => <Link key={tag} href={`/documents?${new URLSearchParams({ tag }).toString()}`} className="badge plain tag-link" title={`Documents tagged ${tag}`}>{tag}</Link>);
}
