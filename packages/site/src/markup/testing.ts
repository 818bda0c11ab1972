/** What tests of other rooms need of this one. Only tests may import it. */
export { allWords, en } from "./words/all-words.test-support.ts";
