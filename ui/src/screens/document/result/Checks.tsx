/** The checks of a result as sums that users read, and its warnings. */
import type { ResultCheck } from "../../../api/types.ts";
import { Badge, type Tone } from "../../../design/basics.tsx";
import { Icon } from "../../../design/Icon.tsx";
import { nameInWords } from "../../../format/fields.ts";

/** A check without all its values neither passed nor failed. */
function outcome(check: ResultCheck): readonly [Tone, string] {
  if (check.passed == null) return ["off", "Not checked"];
  return check.passed ? ["good", "Passed"] : ["bad", "Failed"];
}

export function Checks({ checks }: { checks: readonly ResultCheck[] }) {
  if (checks.length === 0) return null;
  return (
    <section className="result-section" aria-label="Checks">
      <h2>Checks</h2>
      <ul className="result-checks">
        {checks.map((check, at) => {
          const [tone, label] = outcome(check);
          return <li key={at}><Badge tone={tone}>{label}</Badge><span>{nameInWords(check.name)}</span><span className="result-sum">{check.detail}</span></li>;
        })}
      </ul>
    </section>
  );
}

export function Warnings({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <div className="note warn" role="note">
      <Icon name="alert" />
      <ul>{warnings.map((warning, at) => <li key={at}>{warning}</li>)}</ul>
    </div>
  );
}
