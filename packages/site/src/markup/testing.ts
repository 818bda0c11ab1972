/** Exports for tests in other folders. Only tests may import this module. */
export { allWords, en } from "./words/all-words.test-support.ts";
