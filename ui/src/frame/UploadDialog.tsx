/** Files that are uploaded with tags or a password. */
import "./upload-dialog.css";
import { useState } from "react";
import { Button, Dialog, Field } from "../design/basics.tsx";
import { TagField } from "../design/TagField.tsx";
import { bytes, counted } from "../format/numbers.ts";
import { useStore } from "../live/store.ts";
import { addFiles, gathered, gatherFiles } from "../live/uploads.ts";

interface UploadDialogProps {
  onPickFiles: () => void;
  onPickFolder: () => void;
}

const NAMED = 6;

/** Open while files are gathered; files that are dropped meanwhile are added. */
export function UploadDialog({ onPickFiles, onPickFolder }: UploadDialogProps) {
  const files = useStore(gathered);
  const [tags, setTags] = useState<readonly string[]>([]);
  const [password, setPassword] = useState("");
  if (files === null) return null;
  const close = () => {
    gathered.set(null);
    setTags([]);
    setPassword("");
  };
  const upload = () => {
    close();
    void addFiles(files, { tags, password });
  };
  return (
    <Dialog title="Upload with tags or a password" onClose={close}>
      <div className="gathered">
        {files.length === 0
          ? <p className="quiet">Drop files or folders here, or choose them.</p>
          : <p>{counted(files.length, "file")}, {bytes(files.reduce((sum, { file }) => sum + file.size, 0))}</p>}
        {files.length > 0 && (
          <ul>
            {files.slice(0, NAMED).map(({ path }, at) => <li key={at} className="truncate" title={path}>{path}</li>)}
            {files.length > NAMED && <li className="quiet">and {counted(files.length - NAMED, "other")}</li>}
          </ul>
        )}
        <div className="button-row">
          <Button icon="upload" onClick={onPickFiles}>Choose files</Button>
          <Button icon="folder" onClick={onPickFolder}>Choose a folder</Button>
          {files.length > 0 && <Button kind="bare" onClick={() => gatherFiles([])}>Remove all</Button>}
        </div>
      </div>
      <div className="field" role="group" aria-label="Tags">
        <span>Tags</span>
        <TagField tags={tags} onChange={setTags} />
        <span className="field-note">All these files get them. Searches and questions can be limited to tags.</span>
      </div>
      <Field label="Password" note="For encrypted files. Docket never shows it.">
        <input className="input" type="password" autoComplete="off" maxLength={200} value={password} onChange={(event) => setPassword(event.target.value)} />
      </Field>
      <div className="dialog-foot">
        <Button onClick={close}>Cancel</Button>
        <Button kind="primary" icon="upload" disabled={files.length === 0} onClick={upload}>Upload {files.length > 0 ? counted(files.length, "file") : ""}</Button>
      </div>
    </Dialog>
  );
}
