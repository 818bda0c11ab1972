/** Exports for tests of other rooms. Only tests may import it. */
export { allWords, en } from "./words/all-words.test-support.ts";
