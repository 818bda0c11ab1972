/**
 * Fetches a file from another host; the renderer itself has no network access. Rejects if the address is not
 * allowed, does not respond, or responds with more than `maxBytes`.
 */
export type FetchRemote = (
  url: string,
  options: { maxBytes: number; signal?: AbortSignal },
) => Promise<{ bytes: Uint8Array; mediaType: string | undefined }>;
