import { useRef } from "react";
import { Button } from "../design/basics.tsx";
import { useKeys } from "../design/keyboard.ts";
import { filesOfPicker } from "../live/dropped-files.ts";
import { addFiles } from "../live/uploads.ts";

export function UploadButtons() {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  useKeys({ u: () => files.current?.click() });
  const take = (input: HTMLInputElement) => {
    if (input.files) void addFiles(filesOfPicker(input.files));
    input.value = "";
  };
  return (
    <>
      <Button icon="folder" onClick={() => folder.current?.click()}>Folder</Button>
      <Button icon="upload" kind="primary" onClick={() => files.current?.click()} title="Upload files (u)">Upload</Button>
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
    </>
  );
}
