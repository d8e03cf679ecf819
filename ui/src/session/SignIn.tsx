/** The sign-in page, and the dialog that asks for the password again when a session ends while someone works. */
import "./sign-in.css";
import { useState, type SyntheticEvent } from "react";
import { readMe, signIn } from "../api/endpoints.ts";
import { Button, Dialog, Field, ProblemNote } from "../design/basics.tsx";
import { Icon, Logo } from "../design/Icon.tsx";
import { signedIn, signedOut, useMe } from "./session.ts";

export function SignIn({ notice }: { notice?: string }) {
  return (
    <main className="sign-in">
      <section className="sign-in-about" aria-label="About Docket">
        <div className="sign-in-brand"><Logo /> Docket</div>
        <p className="sign-in-claim">Add documents. <mark>Find every word again,</mark> and get answers that cite their source.</p>
        <ul>
          <li><Icon name="upload" /> Drop files or whole folders: PDF, scans, Office, email, web pages.</li>
          <li><Icon name="quote" /> Ask a question and open the passage behind each answer.</li>
          <li><Icon name="admin" /> No accepted document is lost, and the audit log records every step.</li>
        </ul>
      </section>
      <section className="sign-in-form" aria-labelledby="sign-in-title">
        <h1 id="sign-in-title">Sign in</h1>
        {notice && <div className="note warn" role="status"><Icon name="clock" /><div>{notice}</div></div>}
        <Credentials email="" action="Sign in" />
        <details className="sign-in-first">
          <summary>First time here?</summary>
          <p>
            When Docket started for the first time, it printed an email address (<code>admin@localhost</code>) and a
            password in its terminal. Sign in with those, then add other people under Admin → Users.
          </p>
          <p>
            Lost the password? On the server, run <code>docket users reset-password EMAIL</code>.
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
    <Dialog title="Your session ended" isFirm onClose={() => undefined}>
      <p>Sign in again to continue. Nothing you typed is lost.</p>
      <Credentials email={me.name} action="Continue" />
      <Button kind="bare" onClick={() => signedOut()}>Sign out</Button>
    </Dialog>
  );
}
