/** What tests of other rooms need of this one. Only tests may import it. */
export { en } from "./words/languages/en.ts";
export { supportedLanguages } from "./words/load-words.ts";
