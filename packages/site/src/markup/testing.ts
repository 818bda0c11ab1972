/** What tests of other rooms need of this one. Only tests may import it. */
export { allWords } from "./words/all-words.test-support.ts";
export { en } from "./words/languages/en.ts";
