/** Changes the error rate that the tenant accepts without review, for all document types or for one. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";
import { changeAcceptance } from "../../api/endpoints.ts";
import type { Acceptance } from "../../api/types.ts";
import { Button, Field, ProblemNote } from "../../design/basics.tsx";
import { showNotice } from "../../live/notices.ts";
import { MOST_ERROR, percentText, shareOf, withTypeRate } from "./quality.ts";

/** What the server uses where the tenant has chosen nothing. */
const DEFAULT_SHARE = 0.02;
const NOT_A_SHARE = "Enter a number from 0 to 100.";
const NOT_A_RATE = "Enter a number from 0 to 50.";

function useSave() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: changeAcceptance,
    onSuccess: async () => {
      showNotice({ tone: "good", text: "Saved. It applies to documents that are processed from now on." });
      await Promise.all([client.invalidateQueries({ queryKey: ["tenant"] }), client.invalidateQueries({ queryKey: ["quality"] })]);
    },
  });
}

export function AcceptanceForm({ saved }: { saved: Acceptance }) {
  const save = useSave();
  const [rate, setRate] = useState(percentText(saved.accepted_error_rate ?? DEFAULT_SHARE));
  const [share, setShare] = useState(percentText(saved.review_share ?? DEFAULT_SHARE));
  const [accepted_error_rate, review_share] = [shareOf(rate, MOST_ERROR), shareOf(share)];
  const isValid = accepted_error_rate !== null && review_share !== null;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isValid) save.mutate({ ...saved, accepted_error_rate, review_share });
  };
  return (
    <form className="card card-body acceptance" aria-label="Accepted error rate" onSubmit={submit}>
      <Field label="Accepted error rate, in percent" note={accepted_error_rate === null ? NOT_A_RATE : "How many of 100 accepted fields may be wrong. 0 sends every field to review."}>
        <input className="input" inputMode="decimal" aria-invalid={accepted_error_rate === null} value={rate} onChange={(event) => setRate(event.target.value)} />
      </Field>
      <Field label="Documents reviewed at random, in percent" note={review_share === null ? NOT_A_SHARE : "How many of 100 accepted documents are reviewed anyway, to measure the error."}>
        <input className="input" inputMode="decimal" aria-invalid={review_share === null} value={share} onChange={(event) => setShare(event.target.value)} />
      </Field>
      <Button kind="primary" type="submit" disabled={!isValid || save.isPending}>Save</Button>
      {save.error && <ProblemNote error={save.error} />}
    </form>
  );
}

/** An empty field takes the rate of all types. */
export function TypeRateForm({ type, title, saved }: { type: string; title: string; saved: Acceptance }) {
  const save = useSave();
  const own = saved.types?.[type]?.accepted_error_rate;
  const [text, setText] = useState(own == null ? "" : percentText(own));
  const rate = text.trim() === "" ? null : shareOf(text, MOST_ERROR);
  const isValid = text.trim() === "" || rate !== null;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (isValid) save.mutate(withTypeRate(saved, type, rate));
  };
  return (
    <form className="acceptance" aria-label={`Accepted error rate of ${title}`} onSubmit={submit}>
      <Field label="Accepted error rate of this type, in percent" note={isValid ? "Empty: the rate of all types." : NOT_A_RATE}>
        <input className="input" inputMode="decimal" aria-invalid={!isValid} placeholder={percentText(saved.accepted_error_rate ?? DEFAULT_SHARE)} value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
      <Button type="submit" disabled={!isValid || save.isPending || rate === (own ?? null)}>Save</Button>
      {save.error && <ProblemNote error={save.error} />}
    </form>
  );
}
