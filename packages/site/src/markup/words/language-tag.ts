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
