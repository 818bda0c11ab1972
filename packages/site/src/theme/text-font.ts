import { readFile } from "node:fs/promises";
import type { BundleFile } from "../core/index.ts";
import type { SiteConfig } from "../site/index.ts";

/** The files of the text font, whose style sheet is `text-font.css`. The license must accompany each copy. */
const fontFiles = ["geist.woff2", "geist-license.txt"] as const;
const folder = "_octavo/fonts";

/** Reports whether a site's pages are set in the text font: not if the author chose a font. */
export function hasTextFont({ fonts }: Pick<SiteConfig, "fonts">): boolean {
  return fonts === undefined;
}

/**
 * Returns the path of the text font in the bundle for a page in a language; undefined if the page is set in the system's
 * fonts. Those are better for languages with letters that the font lacks: their text would be a mixture of two
 * fonts, which share punctuation.
 */
export function findTextFont(
  config: Pick<SiteConfig, "fonts">,
  languageTag: string,
): string | undefined {
  return hasTextFont(config) && isCovered(languageTag) ? `${folder}/${fontFiles[0]}` : undefined;
}

function isCovered(languageTag: string): boolean {
  const { language, script } = new Intl.Locale(languageTag).maximize();
  // Vietnamese has Latin letters with two accents.
  return script === "Latn" && language !== "vi";
}

/** Creates the files of the text font. Returns an empty list for a site with fonts of its own. */
export async function createTextFontFiles(config: SiteConfig): Promise<readonly BundleFile[]> {
  if (!hasTextFont(config)) return [];
  const files = fontFiles.map(async (name) => ({
    path: `${folder}/${name}`,
    content: new Uint8Array(await readFile(new URL(`fonts/${name}`, import.meta.url))),
  }));
  return await Promise.all(files);
}
