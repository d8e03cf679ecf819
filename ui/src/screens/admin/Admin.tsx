/** Users, API keys, limits, rules, document types, quality, the audit log, health and settings. */
import "./admin.css";
import { TabLinks } from "../../design/basics.tsx";
import { may, type Right } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { ApiKeys } from "./ApiKeys.tsx";
import { Audit } from "./Audit.tsx";
import { Configuration } from "./Configuration.tsx";
import { DocumentTypes } from "./DocumentTypes.tsx";
import { Quality } from "./Quality.tsx";
import { Rules } from "./Rules.tsx";
import { Health, Usage } from "./System.tsx";
import { Users } from "./Users.tsx";

const TABS: readonly { tab: string; name: string; right: Right }[] = [
  { tab: "users", name: "Users", right: "users" },
  { tab: "keys", name: "API keys", right: "keys" },
  { tab: "usage", name: "Limits and usage", right: "users" },
  { tab: "rules", name: "Rules", right: "users" },
  { tab: "types", name: "Document types", right: "types" },
  { tab: "quality", name: "Quality", right: "quality" },
  { tab: "audit", name: "Audit log", right: "audit" },
  { tab: "health", name: "Health", right: "audit" },
  { tab: "configuration", name: "Configuration", right: "users" },
];

export default function Admin({ tab: given }: { tab?: string }) {
  const { role } = useMe();
  const tabs = TABS.filter(({ right }) => may(role, right));
  const tab = (tabs.find((known) => known.tab === given) ?? tabs[0])?.tab;
  return (
    <div className="screen">
      <div className="screen-head"><h1>Admin</h1></div>
      <TabLinks label="Admin" current={`/admin/${tab ?? ""}`} links={tabs.map((entry) => ({ to: `/admin/${entry.tab}`, name: entry.name }))} />
      {tab === "users" && <Users />}
      {tab === "keys" && <ApiKeys />}
      {tab === "usage" && <Usage />}
      {tab === "rules" && <Rules />}
      {tab === "types" && <DocumentTypes />}
      {tab === "quality" && <Quality />}
      {tab === "audit" && <Audit />}
      {tab === "health" && <Health />}
      {tab === "configuration" && <Configuration />}
    </div>
  );
}
