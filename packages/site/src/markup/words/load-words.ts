import { languageTag } from "./language-tag.ts";
import type { Words } from "./words.ts";

async function english(): Promise<Words> {
  return (await import("./languages/en.ts")).en;
}

/** By lower-case tag (BCP 47), or its language alone. */
const languages: ReadonlyMap<string, () => Promise<Words>> = new Map(
  Object.entries({
    ar: async () => (await import("./languages/ar.ts")).ar,
    de: async () => (await import("./languages/de.ts")).de,
    en: english,
    es: async () => (await import("./languages/es.ts")).es,
    fr: async () => (await import("./languages/fr.ts")).fr,
    he: async () => (await import("./languages/he.ts")).he,
    hi: async () => (await import("./languages/hi.ts")).hi,
    id: async () => (await import("./languages/id.ts")).id,
    it: async () => (await import("./languages/it.ts")).it,
    ja: async () => (await import("./languages/ja.ts")).ja,
    ko: async () => (await import("./languages/ko.ts")).ko,
    nl: async () => (await import("./languages/nl.ts")).nl,
    pl: async () => (await import("./languages/pl.ts")).pl,
    pt: async () => (await import("./languages/pt.ts")).pt,
    ru: async () => (await import("./languages/ru.ts")).ru,
    tr: async () => (await import("./languages/tr.ts")).tr,
    uk: async () => (await import("./languages/uk.ts")).uk,
    vi: async () => (await import("./languages/vi.ts")).vi,
    zh: async () => (await import("./languages/zh.ts")).zh,
    "zh-hant": async () => (await import("./languages/zh-hant.ts")).zhHant,
  }),
);

/** Lower-case tags of the languages that have words. */
export const supportedLanguages: readonly string[] = [...languages.keys()];

/** Words of some languages by tag. Plain data, which can be sent to another process. */
export type LoadedWords = ReadonlyMap<string, Words>;

/** Loads the words of only these languages, as a site names them; English for those without words. */
export async function loadWords(codes: Iterable<string | undefined>): Promise<LoadedWords> {
  const tags = new Set(Array.from(codes, languageTag));
  return new Map(
    await Promise.all(Array.from(tags, async (tag) => [tag, await readWords(tag)] as const)),
  );
}

async function readWords(tag: string): Promise<Words> {
  const whole = tag.toLowerCase();
  const [language = ""] = whole.split("-");
  const read = languages.get(whole) ?? languages.get(language) ?? english;
  return await read();
}

/** The loaded words of a language, as a site names it. Throws if it was not loaded. */
export function wordsInLanguage(loaded: LoadedWords, code: string | undefined): Words {
  const tag = languageTag(code);
  const words = loaded.get(tag);
  if (words === undefined) throw new Error(`The words of "${tag}" were not loaded.`);
  return words;
}
