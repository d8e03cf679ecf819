/** The actions on the selected documents, as far as the role allows them. */
import { useState } from "react";
import { linkToOriginal } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { DocumentView } from "../../api/types.ts";
import { Button, IconButton } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";
import { startDownload } from "../../live/download.ts";
import { showNotice } from "../../live/notices.ts";
import { may } from "../../session/permissions.ts";
import { useMe } from "../../session/session.ts";
import { forEachOf } from "./bulk.ts";
import { BulkDialog, type BulkAction } from "./BulkDialog.tsx";

export function BulkBar({ rows, onDone }: { rows: readonly DocumentView[]; onDone: () => void }) {
  const { role } = useMe();
  const [action, setAction] = useState<BulkAction | null>(null);
  const download = async () => {
    const { failed } = await forEachOf(rows.map((row) => row.doc_id), async (id) => startDownload(await linkToOriginal(id)));
    const [first] = failed;
    if (first) showNotice({ tone: "bad", text: `${counted(failed.length, "document")} not downloaded: ${messageOf(first.error)}` });
  };
  return (
    <div className="bulk" role="toolbar" aria-label="Selected documents">
      <strong>{counted(rows.length, "document")} selected</strong>
      {may(role, "tag") && <Button icon="plus" onClick={() => setAction("tag")}>Tags</Button>}
      <Button icon="download" onClick={() => void download()}>Download</Button>
      {may(role, "rerun") && <Button icon="refresh" onClick={() => setAction("rerun")}>Rerun</Button>}
      {may(role, "deactivate") && <Button icon="pause" onClick={() => setAction("withdraw")}>Withdraw</Button>}
      {may(role, "deactivate") && <Button icon="trash" kind="danger" onClick={() => setAction("delete")}>Delete</Button>}
      <IconButton icon="close" label="Clear the selection" onClick={onDone} />
      {action && (
        <BulkDialog
          action={action}
          rows={rows}
          onClose={(isDone) => {
            setAction(null);
            if (isDone) onDone();
          }}
        />
      )}
    </div>
  );
}
