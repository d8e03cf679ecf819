/** Files can be dropped on any screen. */
import "./drop-anywhere.css";
import { useEffect, useState } from "react";
import { Icon } from "../design/Icon.tsx";
import { filesOfDrop } from "../live/dropped-files.ts";
import { takeFiles } from "../live/uploads.ts";

export function DropAnywhere() {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    // Every child that the pointer crosses fires an enter and a leave: the drag has left after as many leaves as enters.
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const onEnter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const onOver = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      void filesOfDrop(event.dataTransfer).then(takeFiles);
    };
    const listeners = { dragenter: onEnter, dragleave: onLeave, dragover: onOver, drop: onDrop };
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name as "drop", listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name as "drop", listener);
    };
  }, []);
  return isOver && (
    <div className="drop-overlay">
      <Icon name="upload" />
      <p>Drop to upload. A folder becomes a batch.</p>
    </div>
  );
}
