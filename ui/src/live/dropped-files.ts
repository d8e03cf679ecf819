/** Files out of a drop or a picker, folders walked to the end. */

export interface DroppedFile {
  file: File;
  path: string;
  /** The folder that was dropped, for files that came in one. */
  folder: string | null;
}

/** Must be called while the drop is being handled: the browser forgets the items afterwards. */
export function filesOfDrop(transfer: DataTransfer): Promise<DroppedFile[]> {
  const entries = Array.from(transfer.items, (item) => (item.kind === "file" ? item.webkitGetAsEntry() : null));
  const loose = Array.from(transfer.files);
  if (entries.every((entry) => entry === null)) return Promise.resolve(loose.map(looseFile));
  return Promise.all(entries.map((entry) => (entry ? filesOfEntry(entry, null) : Promise.resolve([])))).then((lists) => lists.flat());
}

export function filesOfPicker(files: FileList): DroppedFile[] {
  return Array.from(files, (file) => {
    const [folder, ...rest] = file.webkitRelativePath.split("/");
    return rest.length > 0 && folder ? { file, path: file.webkitRelativePath, folder } : looseFile(file);
  }).filter(({ file }) => !isClutter(file.name));
}

function looseFile(file: File): DroppedFile {
  return { file, path: file.name, folder: null };
}

/** What systems leave in folders, and nobody means to upload. */
function isClutter(name: string): boolean {
  return name.startsWith(".") || name === "Thumbs.db" || name === "desktop.ini";
}

async function filesOfEntry(entry: FileSystemEntry, folder: string | null): Promise<DroppedFile[]> {
  if (folder !== null && isClutter(entry.name)) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, ""), folder }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: DroppedFile[] = [];
  // A reader returns its entries in parts; an empty part is the end.
  for (;;) {
    const piece = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return found;
    for (const child of piece) found.push(...(await filesOfEntry(child, folder ?? entry.name)));
  }
}
