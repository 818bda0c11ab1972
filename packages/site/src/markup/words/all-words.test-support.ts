import { createRequire } from "node:module";
import { supportedLanguages, toLanguageTag } from "./load-words.ts";
import type { LoadedWords } from "./load-words.ts";
import type { Words } from "./words.ts";

const load = createRequire(import.meta.url);

function loadLanguageWords(language: string): Words {
  return load(`./languages/${language}.json`) as Words;
}

const otherCodes = [
  ["fr-CA", "fr"],
  ["cn", "zh"],
  ["sw", "en"],
] as const;

/** The words of all languages. They are loaded synchronously, because test files must not await them. */
export const allWords: LoadedWords = new Map(
  [...supportedLanguages.map((language) => [language, language] as const), ...otherCodes].map(
    ([code, language]) => [toLanguageTag(code), loadLanguageWords(language)],
  ),
);

export const en = loadLanguageWords("en");
