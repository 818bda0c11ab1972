import rightByWrong from "./misspellings.json" with { type: "json" };

/**
 * Common misspellings of English words, with the correct spellings, all in lower case. None of the misspellings is an
 * English word or a common name in any spelling. Misspellings that are common words in other languages are omitted.
 */
export const typos: ReadonlyMap<string, string> = new Map(Object.entries(rightByWrong));
