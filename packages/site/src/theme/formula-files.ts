import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { BundleFile } from "../core/index.ts";

/** The path of the styles for formulas in a bundle. Only pages with formulas load these styles. */
export const formulaStyles = "_octavo/formulas/formulas.css";

const require = createRequire(import.meta.url);

/**
 * Creates the styles for typeset formulas and the fonts that this site's formulas use. Returns an empty list for a site
 * without formulas.
 */
export async function createFormulaFiles(classNames: ReadonlySet<string>): Promise<BundleFile[]> {
  if (!classNames.has("katex")) return [];
  const file = require.resolve("katex/dist/katex.min.css");
  const css = await readFile(file, "utf8");
  const families = usedFamilies(css, classNames);
  const fonts: string[] = [];
  const content = css.replaceAll(fontFace, (face, family: string, name: string) => {
    if (!families.has(family)) return "";
    fonts.push(name);
    return face.replace(sources, `src:url(${name}) format("woff2")}`);
  });
  const folder = dirname(formulaStyles);
  const files = fonts.map(async (name) => ({
    path: `${folder}/${name}`,
    content: new Uint8Array(await readFile(join(dirname(file), "fonts", name))),
  }));
  return [{ path: formulaStyles, content }, ...(await Promise.all(files))];
}

const fontFace = /@font-face\{[^}]*font-family:"?(\w+)"?[^}]*url\(fonts\/([\w-]+\.woff2)\)[^}]*\}/g;
const sources = /src:[^}]*\}/;
const rule = /([^{}]+)\{[^{}]*?font(?:-family)?:[^;{}]*?(KaTeX_\w+)/g;

/** Finds the font families in the rules that match the classes of formulas. */
function usedFamilies(css: string, classNames: ReadonlySet<string>): ReadonlySet<string> {
  const used = new Set<string>();
  for (const { 1: selectors = "", 2: family = "" } of css.matchAll(rule)) {
    if (selectors.includes("@font-face")) continue;
    const isUsed = selectors.split(",").some((selector) => {
      const names = Array.from(selector.matchAll(/\.([\w-]+)/g), ([, name = ""]) => name);
      return names.length > 0 && names.every((name) => classNames.has(name));
    });
    if (isUsed) used.add(family);
  }
  return used;
}
