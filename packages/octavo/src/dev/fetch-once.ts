import type { FetchRemote } from "@octavo/site";

/**
 * Returns a function that fetches each address once and then returns the same response again. Failed requests are
 * repeated.
 */
export function cacheResponses(fetchRemote: FetchRemote): FetchRemote {
  const responses = new Map<string, ReturnType<FetchRemote>>();
  return async (url, options) => {
    const response = responses.get(url) ?? fetchRemote(url, options);
    responses.set(url, response);
    try {
      return await response;
    } catch (error) {
      responses.delete(url);
      throw error;
    }
  };
}
