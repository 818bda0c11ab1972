import type { BundleFile } from "../core/index.ts";
import type { FindCopy, NavDivision, Site, SiteConfig } from "../site/index.ts";
import { getContextualMenu } from "../site/index.ts";
import { renderFilterStyles } from "./changelog.ts";
import type { ComponentScript } from "../page/index.ts";
import { readBrowserFile } from "./browser-file.ts";
import {
  readClientScript,
  readPageMarkdownScript,
  createComponentFiles,
  createDiagramFiles,
} from "./scripts.ts";
import { createFormulaFiles } from "./formula-files.ts";
import { createLinks } from "./link.ts";
import { createSidebars } from "./navigation/sidebar.ts";
import { createSiteIconRenderer } from "./site-icons.ts";
import { createTextFontFiles, hasTextFont } from "./text-font.ts";
import { getThemeLayout } from "./theme-layout.ts";
import { renderTokenStyles } from "./tokens.ts";
import { renderLayoutIconStyles } from "./layout-icons.ts";
import { renderUtilityStyles } from "./utilities/utility-styles.ts";
import { getLanguageWords, type LoadedWords, type IconRenderer } from "../markup/index.ts";

interface ThemeFilesOptions {
  /** The CSS of the icons that pages use. */
  readonly iconCss: string;
  /** The CSS of highlighted code for both color schemes. */
  readonly codeCss: string;
  /** The class names that pages use. The format's utility classes among them get rules. */
  readonly classNames: ReadonlySet<string>;
  /** The words of the layout. */
  readonly words: LoadedWords;
  /** The scripts of all pages' components that run in the reader's browser. */
  readonly componentScripts?: readonly ComponentScript[];
  /** The maximum number of tags in a changelog. */
  readonly tagCount?: number;
  /** The layout's icon renderer, because nav scripts contain the same icons. */
  readonly icons?: IconRenderer;
  /** The layout's function for finding local copies. */
  readonly copyOf?: FindCopy | undefined;
  /** Returns a hash of everything that a division's nav script shows. Undefined if hashes are unknown. */
  readonly navFingerprint?: (division: NavDivision) => string;
  /** The reader's script, if it is already built. It is the same for every site. */
  readonly script?: string;
}

/** Lists the style sheets in this folder. Later sheets may override earlier ones. */
function listSheets(config: SiteConfig): readonly string[] {
  const layout = getThemeLayout(config.theme);
  const font = hasTextFont(config) ? ["text-font"] : [];
  const own = layout === "classic" ? [] : [`layout-${layout}`];
  const shared = ["base", "frame", "prose", "article", ...own, "search", "components"];
  return [...font, ...shared, "api", "media"];
}

/**
 * Creates `_octavo/octavo.css`, `_octavo/octavo.js`, the files of the text font, of formulas, of diagrams and for copying
 * a page, and `_octavo/nav/<id>.js` for each division that is too large to be on every page. The same site and options give the
 * same bytes.
 */
export async function createThemeFiles(
  site: Site,
  options: ThemeFilesOptions,
): Promise<readonly BundleFile[]> {
  const [css, script, font, formulas, diagrams] = await Promise.all([
    styleSheet(site, options),
    options.script ?? readClientScript(),
    createTextFontFiles(site.config),
    createFormulaFiles(options.classNames),
    createDiagramFiles(options.classNames),
  ]);
  return [
    { path: "_octavo/octavo.css", content: css },
    { path: "_octavo/octavo.js", content: script },
    ...font,
    ...(await pageMarkdownFiles(site)),
    ...(await createComponentFiles(options.componentScripts ?? [])),
    ...formulas,
    ...diagrams,
    ...navFiles(site, options),
  ];
}

/** Returns the files that copying a page requires, if any page offers copying. */
async function pageMarkdownFiles({ config, pages }: Site): Promise<readonly BundleFile[]> {
  const canCopy = pages.some((page) => getContextualMenu(config, page).options.includes("copy"));
  if (!canCopy) return [];
  return [{ path: "_octavo/page-markdown.js", content: await readPageMarkdownScript() }];
}

/**
 * Builds one style sheet with all styles in cascade layers, so that a site's own style sheet overrides them regardless
 * of the specificity of its selectors.
 */
async function styleSheet(site: Site, options: ThemeFilesOptions): Promise<string> {
  const sheets = listSheets(site.config);
  const texts = await Promise.all(
    sheets.map((name) => readBrowserFile(new URL(`${name}.css`, import.meta.url))),
  );
  const layers: readonly (readonly [name: string, css: string])[] = [
    ["tokens", renderTokenStyles(site, options.copyOf)],
    ["icons", renderLayoutIconStyles(site)],
    ...sheets.map((name, at) => [name, texts[at] ?? ""] as const),
    ["changelog", renderFilterStyles(options.tagCount ?? 0)],
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

function navFiles(
  site: Site,
  { icons, copyOf, words, navFingerprint }: ThemeFilesOptions,
): BundleFile[] {
  const links = createLinks(site, copyOf);
  const sidebarOf = createSidebars(site, {
    links,
    renderIcon: createSiteIconRenderer(icons, links),
  });
  const files: BundleFile[] = [];

  function visit(divisions: readonly [NavDivision, ...NavDivision[]], indexes: readonly number[]) {
    const division = divisions.at(-1) ?? site.navigation;
    const language = divisions.find(({ kind }) => kind === "language")?.label;
    const sidebar = sidebarOf({ divisions, indexes }, getLanguageWords(words, language).frame);
    if (sidebar.isPartial) {
      files.push({
        path: `_octavo/nav/${sidebar.id}.js`,
        fingerprint: navFingerprint?.(division),
        get content() {
          const call = [sidebar.id, sidebar.renderWhole()].map((value) => JSON.stringify(value));
          return `octavoNav(${call.join(",")});\n`;
        },
      });
    }
    for (const [index, inner] of division.divisions.entries()) {
      visit([...divisions, inner], [...indexes, index]);
    }
  }

  visit([site.navigation], []);
  return files;
}
