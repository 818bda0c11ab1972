import { readFile } from "node:fs/promises";
import type { BundleFile } from "../core/index.ts";
import type { SiteConfig } from "../site/index.ts";

/** The text font, relative to `_octavo/`. Its style sheet is `text-font.css`. */
const fontFile = "fonts/geist.woff2";

/** The license must accompany each copy of the font. */
const fontFiles = [fontFile, "fonts/geist-license.txt"];

/** Reports whether a site's pages are set in the text font: not if the author chose a font. */
export function hasTextFont({ fonts }: Pick<SiteConfig, "fonts">): boolean {
  return fonts === undefined;
}

/**
 * Returns the path of the text font below `_octavo/` for a page in a language; undefined if the page is set in the
 * system's fonts. Those are better for languages with letters that the font lacks: their text would be a mixture of two
 * fonts, which share punctuation.
 */
export function findTextFont(
  config: Pick<SiteConfig, "fonts">,
  languageTag: string,
): string | undefined {
  return hasTextFont(config) && isCovered(languageTag) ? fontFile : undefined;
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
    path: `_octavo/${name}`,
    content: new Uint8Array(await readFile(new URL(name, import.meta.url))),
  }));
  return await Promise.all(files);
}
