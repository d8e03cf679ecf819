/** What a paused stage waits for, in words. Pure. */
const NAMES: Record<string, string> = {
  object_store: "the object store",
  database: "the database",
  local_disk: "space for temporary files",
  embedding_model: "the embedding model",
  reader: "a working reader",
  secrets_key: "a worker with the key for document passwords",
};

/** For the name of a dependency in the API; null when nothing is waited for. */
export function waitingFor(dependency: string | null | undefined): string | null {
  return dependency ? `Waiting for ${NAMES[dependency] ?? dependency.replaceAll("_", " ")}` : null;
}
