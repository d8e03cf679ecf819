/** The checks of a result as sums that users read, and its warnings. */
import { Fragment } from "react";
import type { DocumentTypeDefinition, ResultCheck, ResultView } from "../../../api/types.ts";
import { Badge, type Tone } from "../../../design/basics.tsx";
import { Icon } from "../../../design/Icon.tsx";
import { counted } from "../../../format/numbers.ts";
import { hoverField, type Focus } from "../focus.ts";
import { byOutcome, explain } from "./checks.ts";

/** A check without all its values neither passed nor failed. */
function outcome(check: ResultCheck): readonly [Tone, string] {
  if (check.passed == null) return ["off", "Not checked"];
  return check.passed ? ["good", "Passed"] : ["bad", "Failed"];
}

interface ChecksProps {
  result: Pick<ResultView, "fields" | "trades" | "lines" | "checks">;
  definition: DocumentTypeDefinition | undefined;
  focus: Focus;
}

/** A few checks are all listed; of many, those that passed are folded away, as are those without all their values. */
const MOST_PASSED = 6;

export function Checks({ result, definition, focus }: ChecksProps) {
  const { failed, passed, unchecked } = byOutcome(result.checks ?? []);
  if (failed.length + passed.length + unchecked.length === 0) return null;
  const list = (checks: readonly ResultCheck[]) => (
    <ul className="result-checks">{checks.map((check) => <CheckRow key={check.name} check={check} result={result} definition={definition} focus={focus} />)}</ul>
  );
  const isLong = passed.length > MOST_PASSED;
  return (
    <section className="result-section" aria-label="Checks">
      <h2>Checks</h2>
      {list([...failed, ...(isLong ? [] : passed)])}
      {isLong && <details className="more-checks"><summary>{counted(passed.length, "check")} passed</summary>{list(passed)}</details>}
      {unchecked.length > 0 && <details className="more-checks"><summary>{counted(unchecked.length, "check")} not possible: a value is missing</summary>{list(unchecked)}</details>}
    </section>
  );
}

function CheckRow({ check, result, definition, focus }: ChecksProps & { check: ResultCheck }) {
  const [tone, label] = outcome(check);
  const { title, terms, text, paths } = explain(check, result, definition);
  return (
    <li onPointerEnter={() => hoverField(focus, { paths, area: null, from: "list" })} onPointerLeave={() => hoverField(focus, null)}>
      <span className="result-label">{title}</span>
      <span className="result-sum">
        {terms.map((term, at) => (
          <Fragment key={at}>
            <span className="sum-term">{term.sign && `${term.sign} `}{term.label && <span className="quiet">{term.label} </span>}<span className="sum-value">{term.value}</span></span>{" "}
          </Fragment>
        ))}
        {text && <span className={terms.length > 0 ? "sum-gap" : undefined}>{text}</span>}
      </span>
      <Badge tone={tone}>{label}</Badge>
    </li>
  );
}

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="note warn" role="note">
      <Icon name="alert" />
      <ul>{warnings.map((warning, at) => <li key={at}><Warning text={warning} /></li>)}</ul>
    </div>
  );
}

/** A long warning begins with its first words. */
const MOST_LETTERS = 160;

function Warning({ text }: { text: string }) {
  if (text.length <= MOST_LETTERS) return text;
  const cut = text.lastIndexOf(" ", MOST_LETTERS - 40);
  return <details className="long-warning"><summary>{text.slice(0, cut)}…</summary>{text}</details>;
}
