import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createApiKey, listApiKeys, revokeApiKey } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { ApiKeyView, CreatedApiKey, RoleName } from "../../api/types.ts";
import { Badge, Button, Confirm, Dialog, Empty, Field, ProblemNote, SkeletonRows, Time } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { showNotice } from "../../live/notices.ts";
import { ROLE_MEANING, ROLES } from "../../session/permissions.ts";
import { endOfDay, whyInvalid } from "./api-keys.ts";

export function ApiKeys() {
  const client = useQueryClient();
  const keys = useQuery({ queryKey: ["keys"], queryFn: listApiKeys });
  const [isNew, setNew] = useState(false);
  const [revoking, setRevoking] = useState<ApiKeyView | null>(null);
  const refetch = () => void client.invalidateQueries({ queryKey: ["keys"] });
  const revoke = useMutation({
    mutationFn: revokeApiKey,
    onSuccess: () => showNotice({ tone: "good", text: "Key revoked. It stops working within a minute." }),
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
    onSettled: refetch,
  });
  return (
    <section className="card" aria-label="API keys">
      <div className="card-head">
        <h2>{keys.data ? counted(keys.data.items.length, "key") : "API keys"}</h2>
        <Button icon="plus" kind="primary" onClick={() => setNew(true)}>New key</Button>
      </div>
      {keys.isPending && <SkeletonRows rows={3} />}
      {keys.error && <div className="card-body"><ProblemNote error={keys.error} /></div>}
      {keys.data?.items.length === 0 && <Empty icon="key" title="No keys yet"><p>A key gives a program access with its own role. You can revoke it without changing a password.</p></Empty>}
      {keys.data && keys.data.items.length > 0 && (
        <div className="table-wrap">
          <table className="table cards">
            <thead><tr><th>Name</th><th>Prefix</th><th>Role</th><th>Created</th><th>Created by</th><th>Expires</th><th>Last used</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {keys.data.items.map((key) => (
                <tr key={key.api_key_id}>
                  <td className="cell-name">{key.name}</td>
                  <td data-label="Prefix"><code>{key.prefix}…</code></td>
                  <td data-label="Role">{key.role}</td>
                  <td className="cell-when" data-label="Created"><Time at={key.created_at} /></td>
                  <td className="cell-id" data-label="Created by">{key.created_by?.email ?? <span className="quiet">unknown</span>}</td>
                  <td className="cell-when" data-label="Expires"><Time at={key.expires_at} /></td>
                  <td className="cell-when" data-label="Last used"><Time at={key.last_used_at} /></td>
                  <td className="cell-actions">
                    {whyInvalid(key, new Date()) && <Badge>{whyInvalid(key, new Date())}</Badge>}
                    {!key.revoked_at && <Button kind="bare" onClick={() => setRevoking(key)}>Revoke</Button>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isNew && <NewKey onClose={() => setNew(false)} onCreated={refetch} />}
      {revoking && (
        <Confirm title={`Revoke “${revoking.name}”?`} action="Revoke" onClose={() => setRevoking(null)} onConfirm={() => revoke.mutate(revoking.api_key_id)}>
          <p>Programs that use this key lose access within a minute. You can’t undo this.</p>
        </Confirm>
      )}
    </section>
  );
}

function NewKey({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<RoleName>("api_client");
  const [lastDay, setLastDay] = useState("");
  const create = useMutation({ mutationFn: () => createApiKey({ name, role, expires_at: endOfDay(lastDay) }), onSuccess: onCreated });
  if (create.data) return <CreatedKey created={create.data} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field label="Name" note="Which program will use it?"><input className="input" required value={name} onChange={(event) => setName(event.target.value)} /></Field>
        <Field label="Role" note={ROLE_MEANING[role]}>
          <select className="input" value={role} onChange={(event) => setRole(event.target.value as RoleName)}>{ROLES.map((known) => <option key={known}>{known}</option>)}</select>
        </Field>
        <Field label="Expires after" note="Leave empty for a key without expiry. The key also stops working when your account is deactivated.">
          <input className="input" type="date" value={lastDay} onChange={(event) => setLastDay(event.target.value)} />
        </Field>
        {create.error && <ProblemNote error={create.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={create.isPending}>Create key</Button>
        </div>
      </form>
    </Dialog>
  );
}

function CreatedKey({ created, onClose }: { created: CreatedApiKey; onClose: () => void }) {
  const copy = () => navigator.clipboard.writeText(created.key).then(() => showNotice({ tone: "good", text: "Key copied." }));
  return (
    <Dialog title="Copy your key now" isFirm onClose={onClose}>
      <p>You can’t see this key again: Docket stores only a hash of it.</p>
      <pre className="json">{created.key}</pre>
      <div className="dialog-foot">
        <Button icon="copy" onClick={() => void copy()}>Copy</Button>
        <Button kind="primary" onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
