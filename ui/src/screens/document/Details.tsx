import type { ReactNode } from "react";
import type { DocumentDetail, PageView } from "../../api/types.ts";
import { Time } from "../../design/basics.tsx";
import { bytes } from "../../format/numbers.ts";
import { sourceInWords } from "../../format/sources.ts";
import { PartsList } from "./Parts.tsx";
import { EditableTags } from "./Tags.tsx";

const TEXT_SOURCE: Record<PageView["text_source"], string> = {
  layer: "the file's own text",
  recognised: "OCR",
  wanted: "OCR still to come",
  unavailable: "none: there was no OCR",
  blank: "none: the page is blank",
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
        <Fact name="Changed"><Time at={detail.updated_at} /></Fact>
        <Fact name="Served version">{detail.version_label ?? "none"}</Fact>
        <Fact name="Id"><code>{detail.doc_id}</code></Fact>
        <Fact name="Content"><code>{detail.content_hash ?? "–"}</code></Fact>
        {page && <Fact name="Text of this page">{TEXT_SOURCE[page.text_source]}, quality {page.quality} of 100</Fact>}
        {page?.language && <Fact name="Language">{page.language}</Fact>}
      </dl>
      {detail.parts.length > 0 && (
        <>
          <h3 className="versions-title">Came with it</h3>
          <PartsList parts={detail.parts} />
        </>
      )}
      <h3 className="versions-title">Versions</h3>
      {detail.versions.length === 0 && <p className="quiet">None yet: the first run that succeeds makes one.</p>}
      <ul className="versions">
        {detail.versions.map((version) => (
          <li key={version.doc_version_id}>
            <strong>{version.version_label}</strong> {version.is_active ? "served" : "kept"} <span className="quiet"><Time at={version.created_at} />, <code>{version.content_hash.slice(0, 19)}…</code></span>
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
