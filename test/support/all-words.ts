import {
  loadWords,
  supportedLanguages,
  type LoadedWords,
} from "../../packages/site/src/markup/words/load-words.ts";

/** Words of every language, for sites of any. */
export const allWords: LoadedWords = await loadWords([...supportedLanguages, "fr-CA", "cn", "sw"]);
