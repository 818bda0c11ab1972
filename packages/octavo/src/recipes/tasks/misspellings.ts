import rightByWrong from "./misspellings.json" with { type: "json" };

/**
 * Common misspellings of English words, with the right spellings, all in lower case. None of the misspellings is an
 * English word or a usual name in any spelling. Words of other languages are left out where they are common.
 */
export const typos: ReadonlyMap<string, string> = new Map(Object.entries(rightByWrong));
