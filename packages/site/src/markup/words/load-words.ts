import { toLanguageTag } from "./language-tag.ts";
import type { Words } from "./words.ts";

/**
 * The lower-case tags (BCP 47) of the languages for which there are words, each in a file with this name in
 * `languages/`.
 */
export const supportedLanguages: readonly string[] = [
  "ar",
  "de",
  "en",
  "es",
  "fr",
  "he",
  "hi",
  "id",
  "it",
  "ja",
  "ko",
  "nl",
  "pl",
  "pt",
  "ru",
  "tr",
  "uk",
  "vi",
  "zh",
  "zh-hant",
];

/** The words of some languages, keyed by tag. They are plain data, which can be sent to another process. */
export type LoadedWords = ReadonlyMap<string, Words>;

/**
 * Loads only the words of the languages with these codes. For languages without a translation, loads the English words.
 */
export async function loadWords(codes: Iterable<string | undefined>): Promise<LoadedWords> {
  const tags = new Set(Array.from(codes, toLanguageTag));
  return new Map(
    await Promise.all(Array.from(tags, async (tag) => [tag, await readWords(tag)] as const)),
  );
}

async function readWords(tag: string): Promise<Words> {
  const whole = tag.toLowerCase();
  const [primary = ""] = whole.split("-");
  const name = [whole, primary].find((language) => supportedLanguages.includes(language)) ?? "en";
  // A test checks the files with `wordsSchema`, because loading zod's schema here would take 10 ms in each export.
  const file = (await import(`./languages/${name}.json`, { with: { type: "json" } })) as {
    readonly default: Words;
  };
  return file.default;
}

/** Returns the loaded words of the language with a site's code. Throws if the language was not loaded. */
export function getLanguageWords(loaded: LoadedWords, code: string | undefined): Words {
  const tag = toLanguageTag(code);
  const words = loaded.get(tag);
  if (words === undefined) throw new Error(`The words of "${tag}" were not loaded.`);
  return words;
}
