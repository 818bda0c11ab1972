import {
  resolveSiblingModule,
  compareCodeUnits,
  createLazyFile,
  type BundleFile,
} from "../core/index.ts";
import { mermaidVersion, readMermaidScript } from "../markup/index.ts";
import type { ComponentScript } from "../page/index.ts";
import { createSiteLinks, collectExactRedirects, hasWildcard, type Site } from "../site/index.ts";
import { readBrowserFile } from "./browser-file.ts";

const runtimeFile = "_octavo/components.js";

/** The path of the script of `404.html` in the bundle. */
export const notFoundScriptPath = "_octavo/not-found.js";

/** Reads the reader's script, `octavo.js`. */
export function readClientScript(): Promise<string> {
  return readBrowserFile(resolveSiblingModule(import.meta.url, "client/main"));
}

/** Reads `page-markdown.js`, which is loaded to copy a page if the browser cannot read the Markdown file next to it. */
export function readPageMarkdownScript(): Promise<string> {
  return readBrowserFile(
    resolveSiblingModule(import.meta.url, "client/page-markdown/page-markdown"),
  );
}

/** The path of the script in a bundle that draws diagrams; only pages with such diagrams load it. */
export const diagramScriptPath = "_octavo/diagrams.js";

/** The script that it loads when a diagram comes near the window. */
const mermaidPath = "_octavo/mermaid.js";

/** Names the content of the script, too. */
const license = `Mermaid ${mermaidVersion}, MIT License, Copyright (c) 2014-2022 Knut Sveidqvist`;

/** Creates the scripts that draw diagrams in the reader's browser, if a page has such a diagram. */
export async function createDiagramFiles(
  classNames: ReadonlySet<string>,
): Promise<readonly BundleFile[]> {
  if (!classNames.has("diagram-live")) return [];
  const module = resolveSiblingModule(import.meta.url, "client/live-diagrams/live-diagrams");
  return [
    { path: diagramScriptPath, content: await readBrowserFile(module) },
    createLazyFile(mermaidPath, license, () =>
      Buffer.concat([Buffer.from(`/*! ${license} */\n`), readMermaidScript()]),
    ),
  ];
}

/** Lists the scripts that a page loads to hydrate its components, in order; empty for most pages. */
export function listComponentFiles(scripts: readonly ComponentScript[]): readonly string[] {
  return scripts.length === 0 ? [] : [runtimeFile, ...scripts.map(scriptFile)];
}

/** Creates the files that pages with these components load. Each file is created once. */
export async function createComponentFiles(
  scripts: readonly ComponentScript[],
): Promise<readonly BundleFile[]> {
  if (scripts.length === 0) return [];
  const byName = new Map(scripts.map((script) => [script.name, script]));
  const sorted = [...byName.values()].toSorted((a, b) => compareCodeUnits(a.name, b.name));
  return [
    { path: runtimeFile, content: await readComponentRuntime() },
    ...sorted.map((script) => ({ path: scriptFile(script), content: script.text })),
  ];
}

/**
 * Creates the script of `404.html`. On hosts that do not read `_redirects`, it redirects addresses without a file (e.g.
 * of redirects with wildcards, or of pages without their extension) to their targets. For unknown addresses, it
 * suggests the pages with the nearest ones. `siteFingerprint` is a hash of the whole site, or undefined.
 */
export async function createNotFoundScript(
  site: Site,
  siteFingerprint?: string,
): Promise<BundleFile> {
  const script = await readBrowserFile(
    resolveSiblingModule(import.meta.url, "client/not-found/redirect"),
  );
  return createLazyFile(
    notFoundScriptPath,
    siteFingerprint,
    () => `const octavoSiteMap = ${JSON.stringify(createSiteMap(site))};\n${script}`,
  );
}

/** Reads `components.js`, which pages with components load to hydrate them. */
function readComponentRuntime(): Promise<string> {
  return readBrowserFile(resolveSiblingModule(import.meta.url, "client/components/components"));
}

function scriptFile({ name }: Pick<ComponentScript, "name">): string {
  return `_octavo/components/${name}.js`;
}

function createSiteMap(site: Site) {
  const { addresses, redirects, pages, config } = site;
  return {
    pages: pages.map(({ path }) => path),
    titles: pages.map(({ title, hidden }) => (hidden ? "" : title)),
    addresses,
    home: createSiteLinks(site).home,
    exact: Object.fromEntries(
      Array.from(collectExactRedirects(redirects), ([path, { destination }]) => [
        path,
        destination,
      ]),
    ),
    patterns: redirects
      .filter(({ source }) => hasWildcard(source))
      .map(({ source, destination }) => [source, destination]),
    goesHome: config.notFound.redirect,
  };
}
