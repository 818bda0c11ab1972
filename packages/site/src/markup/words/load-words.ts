import type { Words } from "./words.ts";

/** The lower-case tags (BCP 47) of the languages for which there are words, each in the file `languages/<tag>.json`. */
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
  // A test checks the files with `wordsSchema`, because loading the zod schema here would take 10 ms in each export.
  const file = (await import(`./languages/${name}.json`, { with: { type: "json" } })) as {
    readonly default: Words;
  };
  return file.default;
}

/** Returns the loaded words for a site's language code. Throws if the language was not loaded. */
export function getLanguageWords(loaded: LoadedWords, code: string | undefined): Words {
  const tag = toLanguageTag(code);
  const words = loaded.get(tag);
  if (words === undefined) throw new Error(`The words of "${tag}" were not loaded.`);
  return words;
}

/** Non-standard language codes that sites use, with the standard tags. */
const customCodes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cn: "zh-Hans",
    "zh-cn": "zh-Hans",
    "zh-tw": "zh-Hant",
    "zh-hk": "zh-Hant",
    jp: "ja",
    kr: "ko",
    ua: "uk",
  }),
);

/**
 * Returns the standard tag (BCP 47) for a site's language code, or the tag of English if the code is missing or
 * invalid.
 */
export function toLanguageTag(code: string | undefined): string {
  if (code === undefined) return "en";
  const custom = customCodes.get(code.toLowerCase());
  if (custom !== undefined) return custom;
  return /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(code) ? code : "en";
}

/** Returns the name of a language in that language, e.g. `Deutsch`. */
export function getLanguageName(code: string): string {
  const tag = toLanguageTag(code);
  const name = new Intl.DisplayNames([tag], { type: "language", fallback: "code" }).of(tag) ?? code;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

const rightToLeftLanguages = new Set(["ar", "he", "fa", "ur"]);

export function getTextDirection(tag: string): "ltr" | "rtl" {
  return rightToLeftLanguages.has(tag.split("-")[0]?.toLowerCase() ?? "") ? "rtl" : "ltr";
}
