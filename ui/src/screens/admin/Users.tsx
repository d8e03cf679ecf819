import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { createUser, deactivateUser, listUsers, updateUser } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { RoleName, UserView } from "../../api/types.ts";
import { Badge, Button, Confirm, Dialog, Field, ProblemNote, SkeletonRows, Time } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { showNotice } from "../../live/notices.ts";
import { ROLE_MEANING, ROLES } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

type OpenDialog = { kind: "new" } | { kind: "password" | "deactivate"; user: UserView } | null;

export function Users() {
  const me = useMe();
  const client = useQueryClient();
  const users = useQuery({ queryKey: ["users"], queryFn: () => listUsers() });
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const close = () => setDialog(null);
  const change = useMutation({
    mutationFn: ({ run }: { run: () => Promise<unknown>; done: string }) => run(),
    onSuccess: (_, { done }) => showNotice({ tone: "good", text: done }),
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["users"] }),
  });
  return (
    <section className="card" aria-label="Users">
      <div className="card-head">
        <h2>{users.data ? counted(users.data.items.length, "user") : "Users"}</h2>
        <Button icon="plus" kind="primary" onClick={() => setDialog({ kind: "new" })}>Add user</Button>
      </div>
      {users.isPending && <SkeletonRows rows={4} />}
      {users.error && <div className="card-body"><ProblemNote error={users.error} onRetry={() => void users.refetch()} /></div>}
      {users.data && (
        <div className="table-wrap">
          <table className="table cards">
            <thead><tr><th>Email</th><th>Role</th><th>Status</th><th>Added</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {users.data.items.map((user) => (
                <tr key={user.user_id}>
                  <td className="cell-name">{user.email} {user.user_id === me.id && <span className="quiet">(you)</span>}</td>
                  <td data-label="Role">
                    <select className="input role-choice" aria-label={`Role of ${user.email}`} title={ROLE_MEANING[user.role]} value={user.role} disabled={user.user_id === me.id || !user.active} onChange={(event) => change.mutate({ run: () => updateUser(user.user_id, { role: event.target.value as RoleName }), done: `${user.email} now has the role ${event.target.value}.` })}>
                      {ROLES.map((role) => <option key={role}>{role}</option>)}
                    </select>
                  </td>
                  <td data-label="Status">{user.active ? <Badge tone="good">Active</Badge> : <Badge>Deactivated</Badge>}</td>
                  <td className="cell-when" data-label="Added"><Time at={user.created_at} /></td>
                  <td className="cell-actions">
                    <Button kind="bare" onClick={() => setDialog({ kind: "password", user })}>Reset password</Button>
                    {user.user_id !== me.id && (user.active
                      ? <Button kind="bare" onClick={() => setDialog({ kind: "deactivate", user })}>Deactivate</Button>
                      : <Button kind="bare" onClick={() => change.mutate({ run: () => updateUser(user.user_id, { active: true }), done: `${user.email} can sign in again.` })}>Activate</Button>)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {dialog?.kind === "new" && <NewUser onClose={close} onCreated={() => void client.invalidateQueries({ queryKey: ["users"] })} />}
      {dialog?.kind === "password" && <ResetPassword user={dialog.user} onClose={close} />}
      {dialog?.kind === "deactivate" && (
        <Confirm title={`Deactivate ${dialog.user.email}?`} action="Deactivate" onClose={close} onConfirm={() => change.mutate({ run: () => deactivateUser(dialog.user.user_id), done: `${dialog.user.email} was deactivated and signed out.` })}>
          <p>The user is signed out everywhere within a minute. Their documents stay, and you can activate the account again.</p>
        </Confirm>
      )}
    </section>
  );
}

function NewUser({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<RoleName>("user");
  const create = useMutation({
    mutationFn: () => createUser({ email, password, role }),
    onSuccess: () => {
      showNotice({ tone: "good", text: `${email} can sign in now.` });
      onCreated();
      onClose();
    },
  });
  return (
    <Dialog title="Add user" onClose={onClose}>
      <form className="dialog-form" onSubmit={(event) => submit(event, create.mutate)}>
        <Field label="Email"><input className="input" name="new-email" type="text" inputMode="email" required autoComplete="off" value={email} onChange={(event) => setEmail(event.target.value)} /></Field>
        <Field label="Password" note="Share it securely. The user can change it on the Account page."><input className="input" name="new-password" type="password" required autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} /></Field>
        <Field label="Role" note={ROLE_MEANING[role]}>
          <select className="input" name="new-role" value={role} onChange={(event) => setRole(event.target.value as RoleName)}>{ROLES.map((name) => <option key={name}>{name}</option>)}</select>
        </Field>
        {create.error && <ProblemNote error={create.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={create.isPending}>Add user</Button>
        </div>
      </form>
    </Dialog>
  );
}

function ResetPassword({ user, onClose }: { user: UserView; onClose: () => void }) {
  const [password, setPassword] = useState("");
  const set = useMutation({
    mutationFn: () => updateUser(user.user_id, { password }),
    onSuccess: () => {
      showNotice({ tone: "good", text: `${user.email} has a new password.` });
      onClose();
    },
  });
  return (
    <Dialog title={`Reset the password of ${user.email}`} onClose={onClose}>
      <form className="dialog-form" onSubmit={(event) => submit(event, set.mutate)}>
        <Field label="Password" note="The user is signed out everywhere."><input className="input" type="password" required autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} /></Field>
        {set.error && <ProblemNote error={set.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={set.isPending}>Set password</Button>
        </div>
      </form>
    </Dialog>
  );
}

function submit(event: SyntheticEvent, run: () => void): void {
  event.preventDefault();
  run();
}
