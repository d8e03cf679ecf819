/** What stands in place of the fields when there are none, and what to do about it. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listDocumentTypes, rerunDocument } from "../../../api/endpoints.ts";
import type { DocumentDetail } from "../../../api/types.ts";
import { Button, Empty, Field, ProblemNote } from "../../../design/basics.tsx";
import { showNotice } from "../../../live/notices.ts";
import { may } from "../../../session/permissions.ts";
import { useMe } from "../../../session/session.ts";
import { whyNoResult } from "./empty.ts";

export function NoResultYet({ detail }: { detail: DocumentDetail }) {
  const mayRerun = may(useMe().role, "rerun");
  switch (whyNoResult(detail.runs)) {
    case "processing":
      return <Empty icon="clock" title="Still processing"><p>Docket has read the pages and now extracts the fields. This page updates when they are ready.</p></Empty>;
    case "before":
      return (
        <Empty icon="documents" title="No fields yet">
          <p>Docket processed this document without extracting fields.</p>
          <p>{mayRerun ? "Choose More → Rerun… to extract them." : "An administrator can rerun the document to extract them."}</p>
        </Empty>
      );
    case "ended":
      return <Empty icon="alert" title="No fields"><p>The latest run ended without a result. History shows the stage where it ended and why.</p></Empty>;
  }
}

/** The classifier abstained. */
export function NoTypeRecognised({ detail }: { detail: DocumentDetail }) {
  const mayRerun = may(useMe().role, "rerun");
  return (
    <Empty icon="search" title="Document type not recognised">
      <p>Docket did not find enough of what its document types expect, so it extracted no fields.</p>
      {mayRerun ? <ChooseType id={detail.doc_id} /> : <p>An administrator can choose the type and rerun the document.</p>}
    </Empty>
  );
}

/** Extracts the fields again as a type that the user chooses; the pages are not read again. */
function ChooseType({ id }: { id: string }) {
  const types = useQuery({ queryKey: ["document-types"], queryFn: listDocumentTypes });
  const [chosen, setChosen] = useState("");
  const rerun = useMutation({
    mutationFn: () => rerunDocument(id, { document_type: chosen, from_stage: "parse" }),
    onSuccess: () => showNotice({ tone: "good", text: "Rerun queued. The fields appear when it ends." }),
  });
  return (
    <div className="choose-type">
      <Field label="Document type">
        <select className="input" value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">Choose a type</option>
          {types.data?.items.map((type) => <option key={type.name} value={type.name}>{type.title}</option>)}
        </select>
      </Field>
      <Button kind="primary" icon="refresh" disabled={chosen === "" || rerun.isPending} onClick={() => rerun.mutate()}>Extract again</Button>
      {(types.error ?? rerun.error) && <ProblemNote error={types.error ?? rerun.error} />}
    </div>
  );
}
