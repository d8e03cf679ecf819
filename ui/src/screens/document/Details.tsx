import type { ReactNode } from "react";
import type { DocumentDetail, PageView } from "../../api/types.ts";
import { Time } from "../../design/basics.tsx";
import { bytes } from "../../format/numbers.ts";
import { sourceInWords } from "../../format/sources.ts";
import { PartsList } from "./Parts.tsx";
import { EditableTags } from "./Tags.tsx";

const TEXT_SOURCE: Record<PageView["text_source"], string> = {
  layer: "Text of the file",
  recognised: "OCR",
  wanted: "Waiting for OCR",
  unavailable: "None (OCR was not available)",
  blank: "None (blank page)",
};

export function Details({ detail, page }: { detail: DocumentDetail; page?: PageView }) {
  return (
    <>
      <dl className="facts">
        <Fact name="File">{detail.filename}</Fact>
        <Fact name="Type">{detail.file_kind} <span className="quiet">{detail.content_type}</span></Fact>
        <Fact name="Size">{bytes(detail.size_bytes)}</Fact>
        {detail.pages != null && <Fact name="Pages">{detail.pages}</Fact>}
        <Fact name="Tags"><EditableTags id={detail.doc_id} tags={detail.tags} /></Fact>
        <Fact name="Source">{sourceInWords(detail.source)}</Fact>
        <Fact name="Added"><Time at={detail.created_at} /></Fact>
        <Fact name="Updated"><Time at={detail.updated_at} /></Fact>
        <Fact name="Active version">{detail.version_label ?? "none"}</Fact>
        <Fact name="Id"><code>{detail.doc_id}</code></Fact>
        <Fact name="Content hash"><code>{detail.content_hash ?? "–"}</code></Fact>
        {page && <Fact name="Page text">{TEXT_SOURCE[page.text_source]}, quality {page.quality} of 100</Fact>}
        {page?.language && <Fact name="Language">{page.language}</Fact>}
      </dl>
      {detail.parts.length > 0 && (
        <>
          <h2 className="versions-title">Attachments</h2>
          <PartsList parts={detail.parts} />
        </>
      )}
      <h2 className="versions-title">Versions</h2>
      {detail.versions.length === 0 && <p className="quiet">None yet. The first successful run creates one.</p>}
      <ul className="versions">
        {detail.versions.map((version) => (
          <li key={version.doc_version_id}>
            <strong>{version.version_label}</strong> {version.is_active ? "active" : "previous"} <span className="quiet"><Time at={version.created_at} />, <code>{version.content_hash.slice(0, 19)}…</code></span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
