/** The way in, and the way back in when a session has ended under somebody's hands. */
import "./sign-in.css";
import { useState, type SyntheticEvent } from "react";
import { readMe, signIn } from "../api/endpoints.ts";
import { Button, Dialog, Field, ProblemNote } from "../design/basics.tsx";
import { Icon, Logo } from "../design/Icon.tsx";
import { signedIn, signedOut, useMe } from "./session.ts";

export function SignIn({ notice }: { notice?: string }) {
  return (
    <main className="sign-in">
      <section className="sign-in-story" aria-label="About Docket">
        <div className="sign-in-brand"><Logo /> Docket</div>
        <p className="sign-in-claim">Documents go in. <mark>Every word stays findable,</mark> and every answer shows where it stands.</p>
        <ul>
          <li><Icon name="upload" /> Drop files or whole folders: PDF, scans, Office, mail, web pages.</li>
          <li><Icon name="quote" /> Ask, and follow each sentence to the passage it rests on.</li>
          <li><Icon name="admin" /> Nothing that was accepted is lost, and the audit log proves it.</li>
        </ul>
      </section>
      <section className="sign-in-form" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in</h1>
        {notice && <div className="note warn" role="status"><Icon name="clock" /><div>{notice}</div></div>}
        <Credentials email="" action="Sign in" />
        <details className="sign-in-first">
          <summary>Is this the first start?</summary>
          <p>
            When Docket started for the first time, it printed an address (<code>admin@localhost</code>) and a password,
            once, to where it was started. Sign in with those; then add everybody else under Admin → Users.
          </p>
          <p>
            Is the password gone? Whoever can reach the machine can give the administrator a new one: <code>docket users --help</code>.
          </p>
        </details>
      </section>
    </main>
  );
}

function Credentials({ email: known, action }: { email: string; action: string }) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const { token } = await signIn(email, password);
      signedIn(token, await readMe(token));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <form className="sign-in-fields" onSubmit={(event) => void submit(event)}>
      <Field label="Email">
        <input className="input" name="email" type="text" inputMode="email" autoComplete="username" required value={email} autoFocus={!known} readOnly={known !== ""} onChange={(event) => setEmail(event.target.value)} />
      </Field>
      <Field label="Password">
        <input className="input" name="password" type="password" autoComplete="current-password" required value={password} data-autofocus onChange={(event) => setPassword(event.target.value)} />
      </Field>
      {error !== null && <ProblemNote error={error} />}
      <Button kind="primary" type="submit" disabled={isBusy}>{isBusy ? "Signing in…" : action}</Button>
    </form>
  );
}

export function ExpiredDialog() {
  const me = useMe();
  return (
    <Dialog title="Your session has ended" isFirm onClose={() => undefined}>
      <p>Sign in again to go on where you are. Nothing that you typed is lost.</p>
      <Credentials email={me.name} action="Go on" />
      <Button kind="bare" onClick={() => signedOut()}>Sign out instead</Button>
    </Dialog>
  );
}
