/** The files that are being uploaded, in a corner of every screen. */
import "./upload-tray.css";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { Button, Dialog, Field, IconButton, TraceId } from "../design/basics.tsx";
import { Icon } from "../design/Icon.tsx";
import { bytes, counted, percent } from "../format/numbers.ts";
import { progressOf } from "../live/live.ts";
import { stageProgress } from "../live/progress.ts";
import { useStore, useStorePart } from "../live/store.ts";
import { clearUploads, isWorthRetrying, outcomeInWords, retryRefused, sendWithPassword, uploads, type UploadItem } from "../live/uploads.ts";

const ROW_HEIGHT = 52;

export function UploadTray() {
  const items = useStore(uploads);
  const [isOpen, setOpen] = useState(true);
  if (items.length === 0) return null;
  const retryable = items.filter(isWorthRetrying).length;
  return (
    <section className="tray" aria-label="Uploads">
      <div className="tray-head">
        <div>
          <h2>{headline(items)}</h2>
          <div className="bar" role="progressbar" aria-label="Uploads" aria-valuenow={Math.round(100 * sentShare(items))}>
            <span style={{ width: percentWidth(sentShare(items)) }} />
          </div>
        </div>
        {retryable > 0 && <Button kind="bare" icon="refresh" onClick={retryRefused}>Retry {retryable}</Button>}
        <IconButton icon={isOpen ? "down" : "upload"} label={isOpen ? "Hide files" : "Show files"} onClick={() => setOpen(!isOpen)} />
        <IconButton icon="close" label="Close and cancel pending uploads" onClick={clearUploads} />
      </div>
      {isOpen && <TrayRows items={items} />}
    </section>
  );
}

function headline(items: readonly UploadItem[]): string {
  const unsent = items.filter((item) => item.state === "waiting" || item.state === "sending").length;
  if (unsent > 0) return `Uploading ${counted(unsent, "file")} of ${items.length}`;
  const reading = items.filter((item) => item.outcome?.run_id && item.ended === undefined).length;
  const refused = items.filter((item) => item.state === "refused").length;
  const rest = [reading > 0 ? `${reading} processing` : "", refused > 0 ? `${refused} refused` : ""].filter(Boolean);
  return [`${counted(items.length - refused, "file")} uploaded`, ...rest].join(", ");
}

function sentShare(items: readonly UploadItem[]): number {
  const total = items.reduce((sum, item) => sum + Math.max(1, item.file.size), 0);
  const sent = items.reduce((sum, item) => sum + Math.max(1, item.file.size) * (item.state === "refused" ? 1 : item.sent), 0);
  return sent / total;
}

function percentWidth(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

function TrayRows({ items: all }: { items: readonly UploadItem[] }) {
  // Refused files first: they need attention.
  const items = [...all.filter((item) => item.state === "refused"), ...all.filter((item) => item.state !== "refused")];
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  return (
    <div ref={scroller} className="tray-rows" tabIndex={0} role="group" aria-label="Files">
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => {
          const item = items[row.index];
          return item && (
            <li key={item.id} ref={rows.measureElement} data-index={row.index} style={{ transform: `translateY(${row.start}px)` }}>
              <TrayRow item={item} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function TrayRow({ item }: { item: UploadItem }) {
  const name = <span className="truncate" title={item.path}>{item.path}</span>;
  return (
    <>
      <StateIcon item={item} />
      <div className="tray-file">
        {item.outcome ? <Link href={`/documents/${item.outcome.doc_id}`} className="truncate" title={item.path}>{item.path}</Link> : name}
        <span className={item.state === "refused" ? "tray-problem" : "quiet"}>
          <StateWords item={item} />
        </span>
        {item.problem?.trace && <TraceId id={item.problem.trace} />}
      </div>
      {item.lockedBy && <Unlock item={item} />}
    </>
  );
}

/** Uploads the file again with its password. Every role that uploads may do this. */
function Unlock({ item }: { item: UploadItem }) {
  const [isAsking, setAsking] = useState(false);
  const [password, setPassword] = useState("");
  const close = () => setAsking(false);
  return (
    <>
      <Button kind="bare" onClick={() => setAsking(true)}>Enter password</Button>
      {isAsking && (
        <Dialog title="Enter password" onClose={close}>
          <form
            className="dialog-form"
            onSubmit={(event) => {
              event.preventDefault();
              close();
              sendWithPassword(item.id, password);
            }}
          >
            <p>“{item.path}” is encrypted. Docket uploads it again with the password.</p>
            <Field label="Password of the file">
              <input className="input" type="password" autoComplete="off" maxLength={200} required data-autofocus value={password} onChange={(event) => setPassword(event.target.value)} />
            </Field>
            <div className="dialog-foot">
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" type="submit" disabled={password === ""}>Upload</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}

function StateIcon({ item }: { item: UploadItem }) {
  if (item.state === "refused" || item.ended === "failed") return <span className="tray-icon bad"><Icon name="alert" /></span>;
  if (item.ended === "ready" || item.outcome?.status === "skipped") return <span className="tray-icon good"><Icon name="check" /></span>;
  return <span className="tray-icon"><Icon name={item.state === "accepted" ? "clock" : "upload"} /></span>;
}

function StateWords({ item }: { item: UploadItem }) {
  const docId = item.outcome?.doc_id;
  const progress = useStorePart(progressOf, (all) => (docId === undefined ? undefined : all.get(docId)));
  if (item.state === "waiting") return `Waiting · ${bytes(item.file.size)}`;
  if (item.state === "sending") return item.sent >= 1 ? "Sent, storing" : `${percent(item.sent)} of ${bytes(item.file.size)}`;
  if (item.state === "refused" || !item.outcome) return item.problem?.text ?? "Refused";
  const made = outcomeInWords(item.outcome);
  if (item.ended === "ready") return `${made} · ready`;
  if (item.lockedBy) return item.lockedBy === "wrong_password" ? "Wrong password" : "Encrypted: enter its password";
  if (item.ended === "failed") return `${made} · failed`;
  return progress?.stage ? `${made} · ${stageProgress(progress.stage, progress.done, progress.total).text}` : made;
}
