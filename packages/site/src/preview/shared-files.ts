import { iconStyles } from "../markup/index.ts";
import { redirects, siteOutputs } from "../outputs/index.ts";
import { codeStyles, loadPalettes } from "../highlight/index.ts";
import type { BundleFile } from "../core/index.ts";
import type { RenderedPage } from "../export/index.ts";
import { searchFiles } from "../search/index.ts";
import {
  changelogTags,
  notFoundScript,
  notFoundScriptPath,
  siteIcons,
  themeFiles,
} from "../theme/index.ts";
import type { MadePages } from "./made-pages.ts";
import type { Reading } from "./reading.ts";

type Files = ReadonlyMap<string, BundleFile["content"]>;

/** What stands beside the pages of one reading's bundle, made when it is asked for. */
export interface SharedFiles {
  /** Undefined where the bundle has no such file. */
  find(path: string): Promise<BundleFile["content"] | undefined>;
  /** Pages have changed: what all of them make is made again. */
  renew(): void;
}

/** Files that only all pages together make: asking for one of them renders the whole site. */
const ofAllPages =
  /^_octavo\/search\/|^(?:\.well-known\/)?llms(?:-full)?\.txt$|^robots\.txt$|^sitemap(?:-\d+)?\.xml$|(?:^|\/)rss\.xml$/;

/** `script` is the reader's, which is the same for every site. */
export function createSharedFiles(
  reading: Reading,
  pages: MadePages,
  script: Promise<string>,
): SharedFiles {
  const { site, shared } = reading;
  let theme: { readonly wants: string; readonly files: Promise<Files> } | undefined;
  let whole: Promise<Files> | undefined;
  let lost: Promise<Files> | undefined;

  /** For addresses that have no page. */
  async function lostFiles(): Promise<Files> {
    const notFound = { path: "404.html", content: shared.layout.notFound() };
    return byPath([...redirects(site, [], {}), notFound, await notFoundScript(site)]);
  }
  async function wholeFiles(): Promise<Files> {
    const all = await pages.all();
    return byPath([...(await searchFiles(site, all)), ...siteOutputs(site, all)]);
  }
  /** Styles are for what the pages made so far show, and made again when these show more. */
  function themeNow(): Promise<Files> {
    const wanted = wantedStyles(pages.soFar());
    const wants = JSON.stringify(wanted);
    if (theme?.wants !== wants) theme = { wants, files: themeOf(reading, wanted, script) };
    return theme.files;
  }
  return {
    async find(path) {
      if (ofAllPages.test(path)) return (await (whole ??= wholeFiles())).get(path);
      const isOfTheme = path.startsWith("_octavo/") && path !== notFoundScriptPath;
      return (await (isOfTheme ? themeNow() : (lost ??= lostFiles()))).get(path);
    },
    renew() {
      whole = undefined;
    },
  };
}

interface WantedStyles {
  readonly icons: readonly string[];
  readonly classNames: readonly string[];
  readonly tagCount: number;
}

function wantedStyles(pages: Iterable<RenderedPage>): WantedStyles {
  const [icons, classNames] = [new Set<string>(), new Set<string>()];
  let tagCount = 0;
  for (const page of pages) {
    for (const icon of page.icons) icons.add(icon);
    for (const name of page.classNames) classNames.add(name);
    tagCount = Math.max(tagCount, changelogTags(page.changes).length);
  }
  return { icons: [...icons].toSorted(), classNames: [...classNames].toSorted(), tagCount };
}

async function themeOf(
  { site, shared }: Reading,
  wanted: WantedStyles,
  script: Promise<string>,
): Promise<Files> {
  const { icons } = shared;
  const { codeTheme } = site.config;
  const files = await themeFiles(site, {
    iconCss: await iconStyles([...siteIcons(site, icons).keys, ...wanted.icons]),
    codeCss: codeStyles(codeTheme && (await loadPalettes(codeTheme))),
    classNames: new Set(wanted.classNames),
    tagCount: wanted.tagCount,
    icons,
    script: await script,
  });
  return byPath(files);
}

function byPath(files: readonly BundleFile[]): Files {
  return new Map(files.map(({ path, content }) => [path, content]));
}
