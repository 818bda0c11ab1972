import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { resolveSiblingModule, compareCodeUnits, createLazyFile } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";
import type { FindCopy, NavDivision, Site, SiteConfig } from "../site/index.ts";
import {
  getContextualMenu,
  createSiteLinks,
  collectExactRedirects,
  hasWildcard,
} from "../site/index.ts";
import { renderFilterStyles } from "./changelog.ts";
import type { ComponentScript } from "../page/index.ts";
import { readBrowserFile } from "./browser-file.ts";
import { createLinks } from "./link.ts";
import { createSidebars } from "./navigation/sidebar.ts";
import { createSiteIconRenderer } from "./site-icons.ts";
import { getThemeLayout } from "./theme-layout.ts";
import { renderTokenStyles } from "./tokens.ts";
import { renderLayoutIconStyles } from "./layout-icons.ts";
import { renderUtilityStyles } from "./utilities/utility-styles.ts";
import {
  getLanguageWords,
  type LoadedWords,
  type IconRenderer,
  mermaidVersion,
  readMermaidScript,
} from "../markup/index.ts";

interface ThemeFilesOptions {
  /** The CSS of the icons that pages use. */
  readonly iconCss: string;
  /** The CSS of highlighted code for both color schemes. */
  readonly codeCss: string;
  /** The class names that pages use. The style sheet has rules for the utility classes among them. */
  readonly classNames: ReadonlySet<string>;
  /** The words of the layout. */
  readonly words: LoadedWords;
  /** The scripts of all pages' components that run in the reader's browser. */
  readonly componentScripts?: readonly ComponentScript[];
  /** The maximum number of tags in a changelog. */
  readonly maxTagCount?: number;
  /** The layout's icon renderer, because nav scripts contain the same icons. */
  readonly renderIcon?: IconRenderer;
  /** The layout's function for finding local copies. */
  readonly findCopy?: FindCopy | undefined;
  /** Returns a hash of everything that a division's nav script shows. Returns undefined if hashes are unknown. */
  readonly getNavFingerprint?: (division: NavDivision) => string;
  /** The reader's script, if it is already built. It is the same for every site. */
  readonly clientScript?: string;
}

/** Lists the names of the style sheets that a site needs. Later sheets may override earlier ones. */
function listSheets(config: SiteConfig): readonly string[] {
  const layout = getThemeLayout(config.theme);
  const font = hasTextFont(config) ? ["text-font"] : [];
  const layoutSheets = layout === "classic" ? [] : [`layout-${layout}`];
  const commonSheets = [
    "base",
    "frame",
    "prose",
    "article",
    ...layoutSheets,
    "search",
    "components",
  ];
  return [...font, ...commonSheets, "api", "media"];
}

/**
 * Creates `_octavo/octavo.css`, `_octavo/octavo.js`, the files for the text font, formulas, diagrams and copying a
 * page, and `_octavo/nav/<id>.js` for each division that is too large to be on every page. The same site and options
 * always produce the same bytes.
 */
export async function createThemeFiles(
  site: Site,
  options: ThemeFilesOptions,
): Promise<readonly BundleFile[]> {
  const [css, script, font, formulas, diagrams] = await Promise.all([
    buildStyleSheet(site, options),
    options.clientScript ?? readClientScript(),
    createTextFontFiles(site.config),
    createFormulaFiles(options.classNames),
    createDiagramFiles(options.classNames),
  ]);
  return [
    { path: "_octavo/octavo.css", content: css },
    { path: "_octavo/octavo.js", content: script },
    ...font,
    ...(await createPageMarkdownFiles(site)),
    ...(await createComponentFiles(options.componentScripts ?? [])),
    ...formulas,
    ...diagrams,
    ...createNavFiles(site, options),
  ];
}

/** Returns the files that copying a page requires, if any page offers copying. */
async function createPageMarkdownFiles({ config, pages }: Site): Promise<readonly BundleFile[]> {
  const canCopy = pages.some((page) => getContextualMenu(config, page).options.includes("copy"));
  if (!canCopy) return [];
  return [{ path: "_octavo/page-markdown.js", content: await readPageMarkdownScript() }];
}

/**
 * Builds one style sheet with all styles in cascade layers, so that a site's own style sheet overrides them regardless
 * of the specificity of its selectors.
 */
async function buildStyleSheet(site: Site, options: ThemeFilesOptions): Promise<string> {
  const sheets = listSheets(site.config);
  const texts = await Promise.all(
    sheets.map((name) => readBrowserFile(new URL(`${name}.css`, import.meta.url))),
  );
  const layers: readonly (readonly [name: string, css: string])[] = [
    ["tokens", renderTokenStyles(site, options.findCopy)],
    ["icons", renderLayoutIconStyles(site)],
    ...sheets.map((name, index) => [name, texts[index] ?? ""] as const),
    ["changelog", renderFilterStyles(options.maxTagCount ?? 0)],
    ["code", limitDarkToScreens(options.codeCss)],
    ["site-icons", options.iconCss],
    ["utilities", limitDarkToScreens(renderUtilityStyles(options.classNames))],
  ];
  return layers
    .filter(([, css]) => css.trim() !== "")
    .map(([name, css]) => `@layer octavo.${name} {\n${css.trim()}\n}\n`)
    .join("\n");
}

const darkRules = /^\.dark .*$/gm;

/** Limits the rules for the dark scheme to screens, because paper is white. The sheet must have one rule per line. */
function limitDarkToScreens(css: string): string {
  return css.replaceAll(darkRules, "@media screen{$&}");
}

function createNavFiles(
  site: Site,
  { renderIcon, findCopy, words, getNavFingerprint }: ThemeFilesOptions,
): BundleFile[] {
  const links = createLinks(site, findCopy);
  const getSidebar = createSidebars(site, {
    links,
    renderIcon: createSiteIconRenderer(renderIcon, links),
  });
  const files: BundleFile[] = [];

  function visit(
    divisions: readonly [NavDivision, ...NavDivision[]],
    divisionIndexes: readonly number[],
  ) {
    const division = divisions.at(-1) ?? site.navigation;
    const language = divisions.find(({ kind }) => kind === "language")?.label;
    const sidebar = getSidebar(
      { divisions, divisionIndexes },
      getLanguageWords(words, language).frame,
    );
    if (sidebar.isPartial) {
      files.push({
        path: `_octavo/nav/${sidebar.id}.js`,
        fingerprint: getNavFingerprint?.(division),
        get content() {
          const callArguments = [sidebar.id, sidebar.renderWhole()].map((value) =>
            JSON.stringify(value),
          );
          return `octavoNav(${callArguments.join(",")});\n`;
        },
      });
    }
    for (const [index, inner] of division.divisions.entries()) {
      visit([...divisions, inner], [...divisionIndexes, index]);
    }
  }

  visit([site.navigation], []);
  return files;
}

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

/** The path in a bundle of the script that draws diagrams; only pages with such diagrams load it. */
export const diagramScriptPath = "_octavo/diagrams.js";

/** The script that `diagrams.js` loads when a diagram comes near the viewport. */
const mermaidPath = "_octavo/mermaid.js";

/** The license notice, which also identifies the content of the script. */
const mermaidLicense = `Mermaid ${mermaidVersion}, MIT License, Copyright (c) 2014-2022 Knut Sveidqvist`;

/** Creates the scripts that draw diagrams in the reader's browser, if a page has such a diagram. */
async function createDiagramFiles(classNames: ReadonlySet<string>): Promise<readonly BundleFile[]> {
  if (!classNames.has("diagram-live")) return [];
  const module = resolveSiblingModule(import.meta.url, "client/live-diagrams/live-diagrams");
  return [
    { path: diagramScriptPath, content: await readBrowserFile(module) },
    createLazyFile(mermaidPath, mermaidLicense, () =>
      Buffer.concat([Buffer.from(`/*! ${mermaidLicense} */\n`), readMermaidScript()]),
    ),
  ];
}

/** Lists the scripts that a page loads to hydrate its components, in order. The result is empty for most pages. */
export function listComponentFiles(scripts: readonly ComponentScript[]): readonly string[] {
  return scripts.length === 0 ? [] : [runtimeFile, ...scripts.map(getScriptPath)];
}

/** Creates the files that pages with these components load. Each file is created once. */
async function createComponentFiles(
  scripts: readonly ComponentScript[],
): Promise<readonly BundleFile[]> {
  if (scripts.length === 0) return [];
  const scriptsByName = new Map(scripts.map((script) => [script.name, script]));
  const sortedScripts = [...scriptsByName.values()].toSorted((a, b) =>
    compareCodeUnits(a.name, b.name),
  );
  return [
    { path: runtimeFile, content: await readComponentRuntime() },
    ...sortedScripts.map((script) => ({ path: getScriptPath(script), content: script.text })),
  ];
}

/**
 * Creates the script of `404.html`. On hosts that do not support `_redirects`, it redirects addresses without a file
 * (e.g. of redirects with wildcards, or of pages without their extension) to their targets. For unknown addresses, it
 * suggests the pages with the most similar addresses. `siteFingerprint` is a hash of the whole site, or undefined.
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

function getScriptPath({ name }: Pick<ComponentScript, "name">): string {
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

/** The files of the text font, whose style sheet is `text-font.css`. The license must accompany each copy. */
const fontFiles = ["geist.woff2", "geist-license.txt"] as const;
const textFontFolder = "_octavo/fonts";

/** Reports whether a site's pages are set in the text font, which is the case unless the author chose a font. */
function hasTextFont({ fonts }: Pick<SiteConfig, "fonts">): boolean {
  return fonts === undefined;
}

/**
 * Returns the path in the bundle of the text font for a page in a language, or undefined if the page is set in system
 * fonts. System fonts are better for languages with letters that the text font lacks, because their text would
 * otherwise mix two fonts.
 */
export function findTextFont(
  config: Pick<SiteConfig, "fonts">,
  languageTag: string,
): string | undefined {
  return hasTextFont(config) && isCoveredByTextFont(languageTag)
    ? `${textFontFolder}/${fontFiles[0]}`
    : undefined;
}

function isCoveredByTextFont(languageTag: string): boolean {
  const { language, script } = new Intl.Locale(languageTag).maximize();
  // Vietnamese has Latin letters with two accents.
  return script === "Latn" && language !== "vi";
}

/** Creates the files of the text font. Returns an empty list for a site with fonts of its own. */
async function createTextFontFiles(config: SiteConfig): Promise<readonly BundleFile[]> {
  if (!hasTextFont(config)) return [];
  const files = fontFiles.map(async (name) => ({
    path: `${textFontFolder}/${name}`,
    content: new Uint8Array(await readFile(new URL(`fonts/${name}`, import.meta.url))),
  }));
  return await Promise.all(files);
}

/** The path of the styles for formulas in a bundle. Only pages with formulas load these styles. */
export const formulaStylesPath = "_octavo/formulas/formulas.css";

const require = createRequire(import.meta.url);

/**
 * Creates the styles for typeset formulas and the fonts that this site's formulas use. Returns an empty list for a site
 * without formulas.
 */
async function createFormulaFiles(classNames: ReadonlySet<string>): Promise<BundleFile[]> {
  if (!classNames.has("katex")) return [];
  const file = require.resolve("katex/dist/katex.min.css");
  const css = await readFile(file, "utf8");
  const families = findUsedFamilies(css, classNames);
  const fonts: string[] = [];
  const content = css.replaceAll(fontFace, (face, family: string, name: string) => {
    if (!families.has(family)) return "";
    fonts.push(name);
    return face.replace(fontSources, `src:url(${name}) format("woff2")}`);
  });
  const folder = dirname(formulaStylesPath);
  const files = fonts.map(async (name) => ({
    path: `${folder}/${name}`,
    content: new Uint8Array(await readFile(join(dirname(file), "fonts", name))),
  }));
  return [{ path: formulaStylesPath, content }, ...(await Promise.all(files))];
}

const fontFace = /@font-face\{[^}]*font-family:"?(\w+)"?[^}]*url\(fonts\/([\w-]+\.woff2)\)[^}]*\}/g;
const fontSources = /src:[^}]*\}/;
const fontRule = /([^{}]+)\{[^{}]*?font(?:-family)?:[^;{}]*?(KaTeX_\w+)/g;

/** Finds the font families in the rules that match the classes of formulas. */
function findUsedFamilies(css: string, classNames: ReadonlySet<string>): ReadonlySet<string> {
  const usedFamilies = new Set<string>();
  for (const { 1: selectors = "", 2: family = "" } of css.matchAll(fontRule)) {
    if (selectors.includes("@font-face")) continue;
    const isUsed = selectors.split(",").some((selector) => {
      const names = Array.from(selector.matchAll(/\.([\w-]+)/g), ([, name = ""]) => name);
      return names.length > 0 && names.every((name) => classNames.has(name));
    });
    if (isUsed) usedFamilies.add(family);
  }
  return usedFamilies;
}
