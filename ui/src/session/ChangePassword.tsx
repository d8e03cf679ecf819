import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { changePassword } from "../api/endpoints.ts";
import { Button, Dialog, Field, ProblemNote } from "../design/basics.tsx";
import { tell } from "../live/notices.ts";
import { signedIn, useMe } from "./session.ts";

/** One's own password. Other sessions end with the old one; this one goes on. */
export function ChangePassword({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: ({ token }) => {
      signedIn(token, me);
      tell({ tone: "good", text: "Your password is changed. You are signed out everywhere else." });
      onClose();
    },
  });
  return (
    <Dialog title="Change your password" onClose={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <input type="hidden" name="username" autoComplete="username" value={me.name} readOnly />
        <Field label="Your password now">
          <input className="input" type="password" autoComplete="current-password" required value={current} data-autofocus onChange={(event) => setCurrent(event.target.value)} />
        </Field>
        <Field label="The new one">
          <input className="input" type="password" autoComplete="new-password" required value={next} onChange={(event) => setNext(event.target.value)} />
        </Field>
        {change.error && <ProblemNote error={change.error} />}
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={change.isPending}>Change it</Button>
        </div>
      </form>
    </Dialog>
  );
}
