/** One document type: its fields, its definition, its versions, and its withdrawal. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { listTypeVersions, withdrawDocumentType } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { DocumentType, DocumentTypeVersion } from "../../api/types.ts";
import { Badge, Button, Confirm, ProblemNote, SkeletonRows, Time } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { nameInWords, pathInWords } from "../../format/fields.ts";
import { showNotice } from "../../live/notices.ts";
import { originOf } from "./document-types.ts";
import { formatJson } from "./json-lines.ts";

const addressOf = (name: string, more = "") => `/admin/types?type=${encodeURIComponent(name)}${more}`;

/** Only the current version can be withdrawn. */
export function DocumentTypeView({ type, isCurrent }: { type: DocumentType; isCurrent: boolean }) {
  const [tone, origin] = originOf(type);
  return (
    <>
      <section className="card" aria-label={type.title}>
        <div className="card-head">
          <div className="type-title">
            <Link href="/admin/types" className="button bare square" aria-label="All document types" title="All document types"><Icon name="left" /></Link>
            <h2>{type.title}</h2>
            <code>{type.name}</code>
            <Badge tone={tone}>{origin}</Badge>
          </div>
          <div className="button-row">
            <Link href={addressOf(type.name, `&version=${type.version}&edit=1`)} className="button"><Icon name="edit" />{type.origin === "built_in" ? "Replace" : "Edit"}</Link>
            {type.origin === "own" && isCurrent && <Withdraw type={type} />}
          </div>
        </div>
        {type.description && <p className="card-body quiet">{type.description}</p>}
        <TypeFields type={type} />
        <details className="quality-details"><summary>Definition as JSON</summary><pre className="json" role="region" tabIndex={0} aria-label="Definition as JSON">{formatJson(type.definition)}</pre></details>
      </section>
      <Versions type={type} />
    </>
  );
}

function TypeFields({ type }: { type: DocumentType }) {
  return (
    <div className="table-wrap">
      <table className="table cards type-fields">
        <thead><tr><th>Field</th><th>Kind</th><th>If missing</th><th>Labels</th></tr></thead>
        <tbody>
          {type.definition.fields.map((field) => (
            <tr key={field.name}>
              <td className="cell-name">{pathInWords(field.name)} <code className="quiet">{field.name}</code></td>
              <td data-label="Kind">{nameInWords(field.kind)}{field.must_review && <span className="quiet"> always reviewed</span>}</td>
              <td data-label="If missing">{field.required ? "needs review" : <span className="quiet">nothing</span>}</td>
              <td className="cell-id" data-label="Labels">{Object.values(field.labels ?? {}).flat().slice(0, 3).join(", ")}</td>
            </tr>
          ))}
          {type.definition.fields.length === 0 && <tr><td colSpan={4}>This type has no fields of its own.</td></tr>}
        </tbody>
      </table>
    </div>
  );
}

function Withdraw({ type }: { type: DocumentType }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const withdraw = useMutation({
    mutationFn: () => withdrawDocumentType(type.name),
    onSuccess: async () => {
      showNotice({ tone: "good", text: `${type.title} was withdrawn.` });
      navigate("/admin/types");
      await client.invalidateQueries({ queryKey: ["document-types"] });
    },
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
  });
  return (
    <>
      <Button kind="danger" disabled={withdraw.isPending} onClick={() => setAsking(true)}>Withdraw</Button>
      {isAsking && (
        <Confirm title={`Withdraw ${type.title}?`} action="Withdraw" onClose={() => setAsking(false)} onConfirm={() => withdraw.mutate()}>
          <p>{type.replaces_built_in ? "The built-in type of the same name is used again." : "No document gets this type any more."} Results and versions stay readable.</p>
        </Confirm>
      )}
    </>
  );
}

function Versions({ type }: { type: DocumentType }) {
  const versions = useQuery({ queryKey: ["document-types", type.name, "versions"], queryFn: () => listTypeVersions(type.name) });
  return (
    <section className="card" aria-label="Versions">
      <div className="card-head"><h2>Versions</h2></div>
      {versions.error && <div className="card-body"><ProblemNote error={versions.error} onRetry={() => void versions.refetch()} /></div>}
      {versions.isPending && <SkeletonRows rows={2} />}
      <ul className="type-versions">{versions.data?.items.map((version) => <Version key={version.version} type={type} version={version} />)}</ul>
    </section>
  );
}

function Version({ type, version }: { type: DocumentType; version: DocumentTypeVersion }) {
  const label = version.version === 0 ? "Built-in" : `Version ${version.version}`;
  return (
    <li>
      {version.is_withdrawal || version.version === type.version ? <strong>{label}</strong> : <Link href={addressOf(type.name, `&version=${version.version}`)}>{label}</Link>}
      {version.is_withdrawal && <Badge>Withdrawn</Badge>}
      {version.version === type.version && <span className="quiet">shown above</span>}
      <span className="quiet">{version.created_at && <Time at={version.created_at} />}{version.created_by && ` by ${version.created_by}`}</span>
    </li>
  );
}
