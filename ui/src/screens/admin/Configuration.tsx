/** How the server is set up: every setting, where its value came from, and what it is for. */
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { readConfiguration } from "../../api/endpoints.ts";
import { ApiError } from "../../api/problem.ts";
import type { SettingView } from "../../api/types.ts";
import { Badge, Empty, ProblemOrMissing, Segmented, SkeletonRows } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { isFound, valueInWords } from "./settings.ts";

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
  if (isOperatorsOnly(configuration.error)) {
    return <div className="card"><Empty icon="admin" title="For the operator of this server"><p>Paths, hosts and limits are shown to administrators of the first tenant only.</p></Empty></div>;
  }
  if (configuration.error) return <ProblemOrMissing error={configuration.error} what="show its configuration over HTTP (on its machine, “docket config” prints it)" route="GET /v1/config" />;
  const settings = configuration.data?.settings ?? [];
  const found = settings.filter((setting) => isFound(setting, text) && (which === "" || setting.origin !== "default"));
  return (
    <section className="card" aria-label="Configuration">
      <div className="card-head settings-head">
        <input className="input" type="search" data-search aria-label="Find a setting" placeholder="Find a setting" value={text} onChange={(event) => set("q", event.target.value)} />
        <span className="quiet">{configuration.data && counted(found.length, "setting")}</span>
        <Segmented label="Which" value={which} choices={WHICH} onChange={(value) => set("which", value)} />
      </div>
      {configuration.isPending && <SkeletonRows rows={10} />}
      {configuration.data && found.length === 0 && <Empty icon="search" title={text ? "No setting matches" : "Everything is at its default"} />}
      {found.length > 0 && (
        <div className="table-wrap">
          <table className="table settings">
            <thead><tr><th>Setting</th><th>Value</th><th>From</th></tr></thead>
            <tbody>{found.map((setting) => <Setting key={setting.key} setting={setting} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function isOperatorsOnly(error: Error | null): boolean {
  return error instanceof ApiError && error.problem.status === 403;
}

function Setting({ setting }: { setting: SettingView }) {
  const value = valueInWords(setting.value);
  return (
    <tr>
      <td className="setting-name">
        <code>{setting.key}</code>
        <p className="quiet">{setting.help}</p>
      </td>
      <td className="setting-value">{setting.is_secret ? <Badge tone={setting.value === "set" ? "good" : "off"}>{setting.value === "set" ? "Set" : "Not set"}</Badge> : value === "" ? <span className="quiet">empty</span> : <code>{value}</code>}</td>
      <td className="setting-origin">{setting.origin === "default" ? <span className="quiet">default</span> : <>{setting.origin} <code>{setting.origin_name}</code></>}</td>
    </tr>
  );
}
