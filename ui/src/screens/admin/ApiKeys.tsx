import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createApiKey, listApiKeys, revokeApiKey } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { ApiKeyView, CreatedApiKey, RoleName } from "../../api/types.ts";
import { Badge, Button, Confirm, Dialog, Empty, Field, ProblemNote, SkeletonRows, Time } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { tell } from "../../live/notices.ts";
import { ROLE_MEANING, ROLES } from "../../session/permissions.ts";
import { endOfDay, whyInvalid } from "./api-keys.ts";

export function ApiKeys() {
  const client = useQueryClient();
  const keys = useQuery({ queryKey: ["keys"], queryFn: listApiKeys });
  const [isNew, setNew] = useState(false);
  const [revoking, setRevoking] = useState<ApiKeyView | null>(null);
  const renew = () => void client.invalidateQueries({ queryKey: ["keys"] });
  const revoke = useMutation({
    mutationFn: revokeApiKey,
    onSuccess: () => tell({ tone: "good", text: "The key is revoked. It ends everywhere within a minute." }),
    onError: (error) => tell({ tone: "bad", text: messageOf(error) }),
    onSettled: renew,
  });
  return (
    <section className="card" aria-label="API keys">
      <div className="card-head">
        <h2>{keys.data ? counted(keys.data.items.length, "key") : "API keys"}</h2>
        <Button icon="plus" kind="primary" onClick={() => setNew(true)}>New key</Button>
      </div>
      {keys.isPending && <SkeletonRows rows={3} />}
      {keys.error && <div className="card-body"><ProblemNote error={keys.error} /></div>}
      {keys.data?.items.length === 0 && <Empty icon="key" title="No keys yet"><p>A key lets a program in, with a role of its own. It can be revoked without touching anybody's password.</p></Empty>}
      {keys.data && keys.data.items.length > 0 && (
        <div className="table-wrap">
          <table className="table">
            <thead><tr><th>Name</th><th>Begins with</th><th>Role</th><th>Made</th><th>Made by</th><th>Expires</th><th>Last used</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {keys.data.items.map((key) => (
                <tr key={key.api_key_id}>
                  <td>{key.name}</td>
                  <td><code>{key.prefix}…</code></td>
                  <td>{key.role}</td>
                  <td className="cell-when"><Time at={key.created_at} /></td>
                  <td>{key.created_by?.email ?? <span className="quiet">unknown</span>}</td>
                  <td className="cell-when"><Time at={key.expires_at} /></td>
                  <td className="cell-when"><Time at={key.last_used_at} /></td>
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
      {isNew && <NewKey onClose={() => setNew(false)} onMade={renew} />}
      {revoking && (
        <Confirm title={`Revoke “${revoking.name}”?`} action="Revoke" onClose={() => setRevoking(null)} onConfirm={() => revoke.mutate(revoking.api_key_id)}>
          <p>Programs that use it are shut out within a minute. This cannot be undone.</p>
        </Confirm>
      )}
    </section>
  );
}

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<RoleName>("api_client");
  const [lastDay, setLastDay] = useState("");
  const make = useMutation({ mutationFn: () => createApiKey({ name, role, expires_at: endOfDay(lastDay) }), onSuccess: onMade });
  if (make.data) return <MadeKey made={make.data} onClose={onClose} />;
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label="Name" note="What will use it?"><input className="input" required value={name} onChange={(event) => setName(event.target.value)} /></Field>
        <Field label="Role" note={ROLE_MEANING[role]}>
          <select className="input" value={role} onChange={(event) => setRole(event.target.value as RoleName)}>{ROLES.map((known) => <option key={known}>{known}</option>)}</select>
        </Field>
        <Field label="Last day" note="Empty: it does not expire. It also ends when your account is deactivated.">
          <input className="input" type="date" value={lastDay} onChange={(event) => setLastDay(event.target.value)} />
        </Field>
        {make.error && <ProblemNote error={make.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={make.isPending}>Make it</Button>
        </div>
      </form>
    </Dialog>
  );
}

function MadeKey({ made, onClose }: { made: CreatedApiKey; onClose: () => void }) {
  const copy = () => navigator.clipboard.writeText(made.key).then(() => tell({ tone: "good", text: "The key is in the clipboard." }));
  return (
    <Dialog title="Keep this key now" isFirm onClose={onClose}>
      <p>It is shown this once. Docket keeps only a hash of it.</p>
      <pre className="json">{made.key}</pre>
      <div className="dialog-foot">
        <Button icon="copy" onClick={() => void copy()}>Copy</Button>
        <Button kind="primary" onClick={onClose}>I have kept it</Button>
      </div>
    </Dialog>
  );
}
