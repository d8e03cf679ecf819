/** Fetches a result and the document type that it follows. */
import { useQuery } from "@tanstack/react-query";
import { findDocumentType, readResult } from "../../../api/endpoints.ts";
import type { DocumentType, ResultView } from "../../../api/types.ts";

export interface ShownResult {
  /** The version of the address; null for the current result. */
  version: number | null;
  result: ResultView | undefined;
  /** For the titles, the kinds and the order of the fields. The fields are shown without it too. */
  type: DocumentType | undefined;
  error: Error | null;
}

export function useResult(id: string, version: number | null, isWanted: boolean): ShownResult {
  const result = useQuery({
    queryKey: ["document", id, "result", version],
    queryFn: () => readResult(id, version ?? undefined),
    enabled: isWanted,
  });
  const name = result.data?.document_type ?? "";
  const typeVersion = result.data?.type_version ?? 0;
  const type = useQuery({
    queryKey: ["document-type", name, typeVersion],
    queryFn: () => findDocumentType(name, typeVersion),
    enabled: isWanted && name !== "",
    // Versions never change.
    staleTime: Infinity,
  });
  return { version, result: result.data, type: type.data, error: result.error };
}
