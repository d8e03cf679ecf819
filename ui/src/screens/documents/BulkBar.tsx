/** What can be done with the selected documents. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deactivateDocument, linkToOriginal, rerunDocument } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import { Button, Confirm } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { startDownload } from "../../live/download.ts";
import { tell } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { forEachOf } from "./bulk.ts";

export function BulkBar({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const { role } = useMe();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);

  const run = async (past: string, action: (id: string) => Promise<unknown>) => {
    setBusy(true);
    const { done, failed } = await forEachOf(ids, action);
    setBusy(false);
    if (done > 0) tell({ tone: "good", text: `${counted(done, "document")} ${past}.` });
    const [first] = failed;
    if (first) tell({ tone: "bad", text: `${counted(failed.length, "document")} not ${past}: ${messageOf(first.error)}` });
    onDone();
    void client.invalidateQueries({ queryKey: ["documents"] });
    void client.invalidateQueries({ queryKey: ["summary"] });
  };
  const download = async (id: string) => startDownload(await linkToOriginal(id));
  return (
    <div className="bulk" role="toolbar" aria-label="Selected documents">
      <strong>{counted(ids.length, "document")} selected</strong>
      <Button icon="download" disabled={isBusy} onClick={() => void run("downloaded", download)}>Download</Button>
      {may(role, "rerun") && (
        <Button icon="refresh" disabled={isBusy} onClick={() => void run("queued again", (id) => rerunDocument(id, { reason: "asked for in the list" }))}>Rerun</Button>
      )}
      {may(role, "deactivate") && <Button icon="pause" kind="danger" disabled={isBusy} onClick={() => setAsking(true)}>Withdraw</Button>}
      <Button kind="bare" onClick={onDone}>Clear</Button>
      {isAsking && (
        <Confirm title={`Withdraw ${counted(ids.length, "document")}?`} action="Withdraw" onClose={() => setAsking(false)} onConfirm={() => void run("withdrawn", deactivateDocument)}>
          <p>They stay stored, with their history, but nobody finds them any more and no answer uses them.</p>
        </Confirm>
      )}
    </div>
  );
}
