import type { FetchRemote } from "@octavo/site";

/** Asks each address once and gives the same answer again; where that failed, it asks again. */
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
