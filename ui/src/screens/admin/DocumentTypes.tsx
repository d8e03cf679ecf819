/** The document types of the tenant: built-in, its own, and those that replace a built-in one. */
import "./document-types.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import { findDocumentType, listDocumentTypes } from "../../api/endpoints.ts";
import type { DocumentTypeSummary } from "../../api/types.ts";
import { Badge, ProblemNote, ProblemOrMissing, SkeletonRows, Time } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { count, counted } from "../../format/numbers.ts";
import { draftOf, NEW_DRAFT, originOf } from "./document-types.ts";
import { DocumentTypeView } from "./DocumentTypeView.tsx";
import { TypeEditor } from "./TypeEditor.tsx";

/** The address says what is shown: `type` and `version`, and `edit` for the editor (`new` for a type without a name yet). */
export function DocumentTypes() {
  const [params] = useSearchParams();
  const [name, edit] = [params.get("type"), params.get("edit")];
  const version = params.has("version") ? Number(params.get("version")) : undefined;
  if (edit === "new") return <TypeEditor isNew saved={NEW_DRAFT} />;
  if (name === null) return <TypeList />;
  return <OneType key={`${name} ${version ?? ""}`} name={name} version={version} isEdited={edit !== null} />;
}

function OneType({ name, version, isEdited }: { name: string; version: number | undefined; isEdited: boolean }) {
  const type = useQuery({ queryKey: ["document-types", name, version ?? "current"], queryFn: () => findDocumentType(name, version) });
  if (type.error) return <ProblemNote error={type.error} onRetry={() => void type.refetch()} />;
  if (!type.data) return <SkeletonRows rows={10} />;
  return isEdited ? <TypeEditor saved={draftOf(type.data.definition)} /> : <DocumentTypeView type={type.data} isCurrent={version === undefined} />;
}

function TypeList() {
  const types = useQuery({ queryKey: ["document-types"], queryFn: listDocumentTypes });
  return (
    <section className="card" aria-label="Document types">
      <div className="card-head">
        <h2>{types.data ? counted(types.data.items.length, "document type") : "Document types"}</h2>
        <Link href="/admin/types?edit=new" className="button primary"><Icon name="plus" />New type</Link>
      </div>
      {types.isPending && <SkeletonRows rows={4} />}
      {types.error && <div className="card-body"><ProblemOrMissing error={types.error} what="list document types" route="GET /v1/document-types" onRetry={() => void types.refetch()} /></div>}
      {types.data && (
        <div className="table-wrap">
          <table className="table cards">
            <thead><tr><th>Type</th><th>Name</th><th>Origin</th><th className="number">Fields</th><th>Version</th><th>Changed</th></tr></thead>
            <tbody>{types.data.items.map((type) => <TypeRow key={type.name} type={type} />)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function TypeRow({ type }: { type: DocumentTypeSummary }) {
  const [tone, origin] = originOf(type);
  return (
    <tr>
      <td className="cell-name"><Link href={`/admin/types?type=${encodeURIComponent(type.name)}`}>{type.title}</Link><p className="quiet">{type.description}</p></td>
      <td className="cell-id" data-label="Name"><code>{type.name}</code></td>
      <td data-label="Origin"><Badge tone={tone}>{origin}</Badge></td>
      <td className="number" data-label="Fields">{count(type.field_count)}</td>
      <td data-label="Version">{type.origin === "built_in" ? "built-in" : count(type.version)}</td>
      <td className="cell-when" data-label="Changed">{type.created_at ? <Time at={type.created_at} /> : <span className="quiet">–</span>}</td>
    </tr>
  );
}
