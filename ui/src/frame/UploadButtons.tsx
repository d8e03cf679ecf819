import { useRef } from "react";
import { Button } from "../design/basics.tsx";
import { useKeys } from "../design/keyboard.ts";
import { filesOfPicker } from "../live/dropped-files.ts";
import { gatherFiles, takeFiles } from "../live/uploads.ts";
import { UploadDialog } from "./UploadDialog.tsx";

export function UploadButtons() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const pickFiles = () => files.current?.click();
  const pickFolder = () => folder.current?.click();
  useKeys({ u: pickFiles });
  const take = (input: HTMLInputElement) => {
    if (input.files) takeFiles(filesOfPicker(input.files));
    input.value = "";
  };
  return (
    <>
      <Button kind="bare" title="Upload files with tags or a password" onClick={() => gatherFiles([])}>Upload with…</Button>
      <Button className="upload-folder" icon="folder" onClick={pickFolder}>Folder</Button>
      <Button icon="upload" kind="primary" onClick={pickFiles} title="Upload files (u)">Upload</Button>
      <input ref={files} type="file" multiple hidden aria-label="Files to upload" onChange={(event) => take(event.target)} />
      <input
        ref={(input) => {
          folder.current = input;
          input?.setAttribute("webkitdirectory", "");
        }}
        type="file"
        hidden
        aria-label="Folder to upload"
        onChange={(event) => take(event.target)}
      />
      <UploadDialog onPickFiles={pickFiles} onPickFolder={pickFolder} />
    </>
  );
}
