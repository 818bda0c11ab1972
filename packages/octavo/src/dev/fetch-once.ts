import type { FetchRemote } from "@octavo/site";

/**
 * Returns a function that fetches each address once and then returns the same response again. Failed requests are
 * repeated.
 */
export function fetchOnce(fetchRemote: FetchRemote): FetchRemote {
  const answers = new Map<string, ReturnType<FetchRemote>>();
  return async (url, options) => {
    const answer = answers.get(url) ?? fetchRemote(url, options);
    answers.set(url, answer);
    try {
      return await answer;
    } catch (error) {
      answers.delete(url);
      throw error;
    }
  };
}
