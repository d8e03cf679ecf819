/** The signed-in user: who they are, their password, their sessions and their API keys. */
import "./account.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { Link } from "wouter";
import { changePassword, listApiKeys, signOut, signOutEverywhere } from "../../api/endpoints.ts";
import { Badge, Button, Confirm, Field, ProblemNote, SkeletonRows, Time } from "../../design/basics.tsx";
import { showNotice } from "../../live/notices.ts";
import { may, ROLE_MEANING } from "../../session/permissions.ts";
import { signedIn, signedOut, useMe, useSession } from "../../session/session.ts";
import { whyInvalid } from "../admin/api-keys.ts";
import { passwordProblem } from "./password-problem.ts";

export default function Account() {
  const me = useMe();
  const session = useSession();
  // Without a token the server runs without authentication: there is no password and no session.
  const hasPassword = me.kind === "user" && !(session.state === "signed-in" && session.token === null);
  return (
    <div className="screen account">
      <div className="screen-head"><h1>Account</h1></div>
      <section className="card" aria-labelledby="who">
        <div className="card-head"><h2 id="who">Signed in as</h2></div>
        <dl className="facts card-body">
          <dt>{me.kind === "user" ? "Email" : "API key"}</dt><dd>{me.name}</dd>
          <dt>Role</dt><dd>{me.role} <span className="quiet">{ROLE_MEANING[me.role]}</span></dd>
          <dt>Tenant</dt><dd>{me.tenant_name}</dd>
        </dl>
      </section>
      {hasPassword && <PasswordCard />}
      {hasPassword && <SessionsCard />}
      {may(me.role, "keys") && <KeysCard />}
    </div>
  );
}

function PasswordCard() {
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [repeated, setRepeated] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const change = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: ({ token }) => {
      signedIn(token, me);
      showNotice({ tone: "good", text: "Password changed. Your other sessions are signed out." });
      for (const clear of [setCurrent, setNext, setRepeated]) clear("");
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const found = passwordProblem(current, next, repeated);
    setProblem(found);
    if (found === null) change.mutate();
    else change.reset();
  };
  return (
    <section className="card" aria-labelledby="password">
      <div className="card-head"><h2 id="password">Password</h2></div>
      <form className="card-body account-form" onSubmit={submit}>
        <input type="hidden" name="username" autoComplete="username" value={me.name} readOnly />
        <Field label="Current password">
          <input className="input" type="password" autoComplete="current-password" required value={current} onChange={(event) => setCurrent(event.target.value)} />
        </Field>
        <Field label="New password">
          <input className="input" type="password" autoComplete="new-password" required value={next} onChange={(event) => setNext(event.target.value)} />
        </Field>
        <Field label="Repeat the new password">
          <input className="input" type="password" autoComplete="new-password" required value={repeated} onChange={(event) => setRepeated(event.target.value)} />
        </Field>
        {problem !== null && <ProblemNote error={problem} />}
        {change.error && <ProblemNote error={change.error} />}
        <div className="account-foot">
          <p className="quiet">Changing your password signs out your other sessions. This one stays signed in.</p>
          <Button kind="primary" type="submit" disabled={change.isPending}>Change password</Button>
        </div>
      </form>
    </section>
  );
}

function SessionsCard() {
  const [isAsking, setAsking] = useState(false);
  const leave = useMutation({ mutationFn: signOutEverywhere, onSuccess: () => signedOut("You are signed out everywhere.") });
  const signOutHere = () => {
    signOut().catch(() => undefined).finally(() => signedOut());
  };
  return (
    <section className="card" aria-labelledby="sessions">
      <div className="card-head"><h2 id="sessions">Sessions</h2></div>
      <div className="card-body account-form">
        <p className="quiet">“Sign out everywhere” ends your sessions in every browser and command line, including this one. API keys keep working.</p>
        {leave.error && <ProblemNote error={leave.error} />}
        <div className="button-row">
          <Button icon="out" onClick={signOutHere}>Sign out</Button>
          <Button kind="danger" disabled={leave.isPending} onClick={() => setAsking(true)}>Sign out everywhere</Button>
        </div>
      </div>
      {isAsking && (
        <Confirm title="Sign out everywhere?" action="Sign out everywhere" onClose={() => setAsking(false)} onConfirm={() => leave.mutate()}>
          <p>You will have to sign in again in this browser too.</p>
        </Confirm>
      )}
    </section>
  );
}

/** The keys that the user created; all keys of the tenant are under Admin. */
function KeysCard() {
  const me = useMe();
  const keys = useQuery({ queryKey: ["keys"], queryFn: listApiKeys });
  const own = keys.data?.items.filter((key) => key.created_by?.user_id === me.id) ?? [];
  return (
    <section className="card" aria-labelledby="own-keys">
      <div className="card-head"><h2 id="own-keys">Your API keys</h2><Link href="/admin/keys">All API keys</Link></div>
      {keys.isPending && <SkeletonRows rows={2} />}
      {keys.error && <div className="card-body"><ProblemNote error={keys.error} /></div>}
      {keys.data && own.length === 0 && <p className="card-body quiet">You have not created any API keys.</p>}
      <ul className="account-keys">
        {own.map((key) => (
          <li key={key.api_key_id}>
            <span><strong>{key.name}</strong> <span className="quiet">{key.role}, <code>{key.prefix}…</code></span></span>
            {whyInvalid(key, new Date()) ? <Badge>{whyInvalid(key, new Date())}</Badge> : <span className="quiet">Last used: <Time at={key.last_used_at} /></span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
