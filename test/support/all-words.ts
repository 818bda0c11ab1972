import { loadWords } from "../../packages/site/src/markup/index.ts";
import type { LoadedWords } from "../../packages/site/src/markup/index.ts";
import { supportedLanguages } from "../../packages/site/src/markup/testing.ts";

/** Words of every language, for sites of any. */
export const allWords: LoadedWords = await loadWords([...supportedLanguages, "fr-CA", "cn", "sw"]);
