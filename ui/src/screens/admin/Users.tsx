import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { createUser, deactivateUser, listUsers, updateUser } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { RoleName, UserView } from "../../api/types.ts";
import { Badge, Button, Confirm, Dialog, Field, ProblemNote, SkeletonRows, Time } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { tell } from "../../live/notices.ts";
import { ROLE_MEANING, ROLES } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";

type Asking = { kind: "new" } | { kind: "password" | "deactivate"; user: UserView } | null;

export function Users() {
  const me = useMe();
  const client = useQueryClient();
  const users = useQuery({ queryKey: ["users"], queryFn: () => listUsers() });
  const [asking, setAsking] = useState<Asking>(null);
  const close = () => setAsking(null);
  const change = useMutation({
    mutationFn: ({ run }: { run: () => Promise<unknown>; said: string }) => run(),
    onSuccess: (_, { said }) => tell({ tone: "good", text: said }),
    onError: (error) => tell({ tone: "bad", text: messageOf(error) }),
    onSettled: () => void client.invalidateQueries({ queryKey: ["users"] }),
  });
  return (
    <section className="card" aria-label="Users">
      <div className="card-head">
        <h2>{users.data ? counted(users.data.items.length, "person", "people") : "Users"}</h2>
        <Button icon="plus" kind="primary" onClick={() => setAsking({ kind: "new" })}>Add a person</Button>
      </div>
      {users.isPending && <SkeletonRows rows={4} />}
      {users.error && <div className="card-body"><ProblemNote error={users.error} onRetry={() => void users.refetch()} /></div>}
      {users.data && (
        <div className="table-wrap">
          <table className="table">
            <thead><tr><th>Email</th><th>Role</th><th>State</th><th>Added</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
            <tbody>
              {users.data.items.map((user) => (
                <tr key={user.user_id}>
                  <td>{user.email} {user.user_id === me.id && <span className="quiet">(you)</span>}</td>
                  <td>
                    <select className="input role-choice" aria-label={`Role of ${user.email}`} title={ROLE_MEANING[user.role]} value={user.role} disabled={user.user_id === me.id || !user.active} onChange={(event) => change.mutate({ run: () => updateUser(user.user_id, { role: event.target.value as RoleName }), said: `${user.email} is now ${event.target.value}.` })}>
                      {ROLES.map((role) => <option key={role}>{role}</option>)}
                    </select>
                  </td>
                  <td>{user.active ? <Badge tone="good">Active</Badge> : <Badge>Deactivated</Badge>}</td>
                  <td className="cell-when"><Time at={user.created_at} /></td>
                  <td className="cell-actions">
                    <Button kind="bare" onClick={() => setAsking({ kind: "password", user })}>New password</Button>
                    {user.user_id !== me.id && (user.active
                      ? <Button kind="bare" onClick={() => setAsking({ kind: "deactivate", user })}>Deactivate</Button>
                      : <Button kind="bare" onClick={() => change.mutate({ run: () => updateUser(user.user_id, { active: true }), said: `${user.email} may sign in again.` })}>Activate</Button>)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {asking?.kind === "new" && <NewUser onClose={close} onMade={() => void client.invalidateQueries({ queryKey: ["users"] })} />}
      {asking?.kind === "password" && <NewPassword user={asking.user} onClose={close} />}
      {asking?.kind === "deactivate" && (
        <Confirm title={`Deactivate ${asking.user.email}?`} action="Deactivate" onClose={close} onConfirm={() => change.mutate({ run: () => deactivateUser(asking.user.user_id), said: `${asking.user.email} is signed out everywhere.` })}>
          <p>They are signed out everywhere within a minute. Their documents stay, and they can be activated again.</p>
        </Confirm>
      )}
    </section>
  );
}

function NewUser({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<RoleName>("user");
  const make = useMutation({
    mutationFn: () => createUser({ email, password, role }),
    onSuccess: () => {
      tell({ tone: "good", text: `${email} can sign in now.` });
      onMade();
      onClose();
    },
  });
  return (
    <Dialog title="Add a person" onClose={onClose}>
      <form className="dialog-form" onSubmit={(event) => submit(event, make.mutate)}>
        <Field label="Email"><input className="input" name="new-email" type="text" inputMode="email" required autoComplete="off" value={email} onChange={(event) => setEmail(event.target.value)} /></Field>
        <Field label="Password" note="Tell them in person; they can ask for another one."><input className="input" name="new-password" type="password" required autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} /></Field>
        <Field label="Role" note={ROLE_MEANING[role]}>
          <select className="input" name="new-role" value={role} onChange={(event) => setRole(event.target.value as RoleName)}>{ROLES.map((name) => <option key={name}>{name}</option>)}</select>
        </Field>
        {make.error && <ProblemNote error={make.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={make.isPending}>Add</Button>
        </div>
      </form>
    </Dialog>
  );
}

function NewPassword({ user, onClose }: { user: UserView; onClose: () => void }) {
  const [password, setPassword] = useState("");
  const set = useMutation({
    mutationFn: () => updateUser(user.user_id, { password }),
    onSuccess: () => {
      tell({ tone: "good", text: `${user.email} has a new password.` });
      onClose();
    },
  });
  return (
    <Dialog title={`New password for ${user.email}`} onClose={onClose}>
      <form className="dialog-form" onSubmit={(event) => submit(event, set.mutate)}>
        <Field label="Password" note="Every session of theirs ends."><input className="input" type="password" required autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} /></Field>
        {set.error && <ProblemNote error={set.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={set.isPending}>Set</Button>
        </div>
      </form>
    </Dialog>
  );
}

function submit(event: SyntheticEvent, run: () => void): void {
  event.preventDefault();
  run();
}
