import { Fragment } from "react";
import { Dialog } from "../design/basics.tsx";

const GROUPS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["Anywhere", [
    ["?", "This list"],
    ["/", "Search"],
    ["g h", "Home"],
    ["g d", "Documents"],
    ["g t", "Trades"],
    ["g a", "Search and ask"],
    ["g n", "Needs attention"],
    ["g m", "Admin"],
    ["t", "Light, dark or system theme"],
  ]],
  ["Documents", [
    ["u", "Upload files"],
    ["j k", "Next, previous row"],
    ["Enter", "Open the row"],
    ["x", "Select the row"],
    ["X", "Select up to the row"],
    ["Esc", "Clear the selection"],
  ]],
  ["A document", [
    ["← →", "Previous, next page"],
    ["+ −", "Larger, smaller"],
    ["0", "Fit the width"],
    ["r", "Rotate"],
    ["p", "Thumbnails"],
    ["n", "Next disputed word, or next field to review"],
    ["q", "Ask this document"],
    ["[ ]", "Previous, next tab"],
  ]],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" isWide onClose={onClose}>
      <div className="keys">
        {GROUPS.map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <Fragment key={key}>
                  <dt>{meaning}</dt>
                  <dd>{key.split(" ").map((part) => <Fragment key={part}><kbd>{part}</kbd> </Fragment>)}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
