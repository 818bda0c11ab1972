import { sha256 } from "@octavo/site/core";
import { packFiles } from "../../packages/site/src/export/testing.ts";

/** The pages of the site. */
export const pageCount = 300;
/** The files of the theme that a page loads: the first ones at once, and the others when the reader searches. */
export const themeFiles = [
  "octavo.css",
  "octavo.js",
  "search/all/index.js",
  "search/all/docs-0.js",
];

/** Returns a page that names its deployment, as it is in the archive. */
function createPage(number: number, at: number): string {
  return `<!doctype html><html lang="en" data-root="../"><head><link rel="stylesheet" href="../_octavo/octavo.css"><script defer src="../_octavo/octavo.js"></script></head><body>page ${at} of deployment ${number}. ${"Text. ".repeat((at * 7) % 500)}</body></html>`;
}

function createThemeFile(number: number, path: string): string {
  return `${path} of deployment ${number}`;
}

/** Packs a deployment of the site into a zip file. Its files name its number. */
export async function packMarkedSite(number: number, outFile: string): Promise<void> {
  const files: Record<string, string> = {
    "index.html": createPage(number, pageCount).replaceAll("../", ""),
    "404.html": `<!doctype html><html lang="en" data-root="/"><body>missing ${number}</body></html>`,
  };
  for (let at = 0; at < pageCount; at += 1) files[`pages/${at}.html`] = createPage(number, at);
  for (const path of themeFiles) files[`_octavo/${path}`] = createThemeFile(number, path);
  const sources = Object.entries(files).map(([path, content]) => ({
    path,
    source: () => Buffer.from(content),
  }));
  await packFiles(sources, "zip", outFile);
}

/** A page that was read. */
export interface MarkedPage {
  /** The deployment that the page names. */
  readonly number: number;
  /** The folder with the files of the page's own deployment. */
  readonly files: string;
}

/** Returns the deployment and the files of a page that was served. Returns undefined for a page with other bytes. */
export function recognizePage(text: string, at: number): MarkedPage | undefined {
  const number = Number(/of deployment (\d+)/.exec(text)?.[1]);
  const [attribute = "", files = ""] =
    / data-files="\.\.\/(_octavo\/@[0-9a-f]{16}\/)"/.exec(text) ?? [];
  const original = text.replace(attribute, "").replaceAll(files, "_octavo/");
  const isSame = files !== "" && sha256(original) === sha256(createPage(number, at));
  return isSame ? { number, files } : undefined;
}

/** Reports whether a file of the theme that was served is that of the deployment. */
export function isThemeFile(text: string, number: number, path: string): boolean {
  return sha256(text) === sha256(createThemeFile(number, path));
}
