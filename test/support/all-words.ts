import {
  loadWords,
  spokenLanguages,
  type LoadedWords,
} from "../../packages/site/src/markup/words/load-words.ts";

/** Words of every language, for sites of any. */
export const allWords: LoadedWords = await loadWords([...spokenLanguages, "fr-CA", "cn", "sw"]);
