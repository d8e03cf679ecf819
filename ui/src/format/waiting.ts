/** What a paused stage waits for. Pure. */
const NAMES: Record<string, string> = {
  object_store: "the object store",
  database: "the database",
  local_disk: "space for temporary files",
  embedding_model: "the embedding model",
  reader: "a working reader",
  secrets_key: "a worker with the key for document passwords",
};

/** The label for a dependency of the API; null when the stage waits for nothing. */
export function waitingFor(dependency: string | null | undefined): string | null {
  return dependency ? `Waiting for ${NAMES[dependency] ?? dependency.replaceAll("_", " ")}` : null;
}
