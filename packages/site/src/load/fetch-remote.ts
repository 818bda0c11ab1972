/**
 * Fetches a file from another host, as the caller allows it: the renderer itself knows no network. Rejects
 * where the address may not be asked, does not answer, or answers with more than `maxBytes`.
 */
export type FetchRemote = (
  url: string,
  options: { maxBytes: number; signal?: AbortSignal },
) => Promise<{ bytes: Uint8Array; mediaType: string | undefined }>;
