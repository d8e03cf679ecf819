/** The server's settings: the value of each, its origin and its purpose. */
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { readConfiguration } from "../../api/endpoints.ts";
import { ApiError } from "../../api/problem.ts";
import type { SettingView } from "../../api/types.ts";
import { Badge, Empty, ProblemOrMissing, Segmented, SkeletonRows } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { matchesSetting, valueLabel } from "./settings.ts";

const WHICH = [{ value: "", label: "All" }, { value: "changed", label: "Changed" }] as const;

export function Configuration() {
  const configuration = useQuery({ queryKey: ["configuration"], queryFn: readConfiguration });
  const [params, setParams] = useSearchParams();
  const [text, which] = [params.get("q") ?? "", params.get("which") === "changed" ? "changed" : ""] as const;
  const set = (name: string, value: string) => setParams((now) => {
    const next = new URLSearchParams(now);
    if (value) next.set(name, value);
    else next.delete(name);
    return next;
  }, { replace: true });
  if (isForOperatorOnly(configuration.error)) {
    return <div className="card"><Empty icon="admin" title="Only the operator can see this"><p>The configuration of the server is visible to administrators of the first tenant.</p></Empty></div>;
  }
  if (configuration.error) return <ProblemOrMissing error={configuration.error} what="show its configuration here; run “docket config” on the server" route="GET /v1/config" />;
  const settings = configuration.data?.settings ?? [];
  const shown = settings.filter((setting) => matchesSetting(setting, text) && (which === "" || setting.origin !== "default"));
  return (
    <section className="card" aria-label="Configuration">
      <div className="card-head settings-head">
        <input className="input" type="search" data-search aria-label="Find settings" placeholder="Find settings" value={text} onChange={(event) => set("q", event.target.value)} />
        <span className="quiet">{configuration.data && counted(shown.length, "setting")}</span>
        <Segmented label="Which" value={which} choices={WHICH} onChange={(value) => set("which", value)} />
      </div>
      {configuration.isPending && <SkeletonRows rows={10} />}
      {configuration.data && shown.length === 0 && <Empty icon="search" title={text ? "No matching settings" : "Every setting has its default value"} />}
      {shown.length > 0 && (
        <div className="table-wrap">
          <table className="table cards settings">
            <thead><tr><th>Setting</th><th>Value</th><th>From</th></tr></thead>
            <tbody>{shown.map((setting) => <Setting key={setting.key} setting={setting} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function isForOperatorOnly(error: Error | null): boolean {
  return error instanceof ApiError && error.problem.status === 403;
}

function Setting({ setting }: { setting: SettingView }) {
  const value = valueLabel(setting.value);
  return (
    <tr>
      <td className="setting-name cell-name">
        <code>{setting.key}</code>
        <p className="quiet">{setting.help}</p>
      </td>
      <td className="setting-value" data-label="Value">{setting.is_secret ? <Badge tone={setting.value === "set" ? "good" : "off"}>{setting.value === "set" ? "Set" : "Not set"}</Badge> : value === "" ? <span className="quiet">empty</span> : <code>{value}</code>}</td>
      <td className="setting-origin" data-label="From">{setting.origin === "default" ? <span className="quiet">default</span> : <>{setting.origin} <code>{setting.origin_name}</code></>}</td>
    </tr>
  );
}
